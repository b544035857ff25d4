/**
 * The authorization code flow with PKCE (OpenID Connect Core 1.0, 3.1; RFC 7636): where a browser is sent, and the
 * token that its code is worth.
 */
import { createHash } from 'node:crypto';
import { BrineError } from '../../errors/errors.ts';
import type { Random } from '../../host/random.ts';
import { IdTokenError, nonceOf } from './id-token.ts';
import type { Provider } from './provider.ts';
import type { OidcSettings } from './settings.ts';

const SECRET_BYTES = 32;

/** What belongs to one log-in, and is known here alone until it is over. */
export interface Begun {
  readonly state: string;
  /** What the nonce is the digest of. */
  readonly secret: string;
  /** For PKCE. */
  readonly verifier: string;
}

/** Begins a log-in. */
export function begin(random: Random): Begun {
  const fresh = (): string => random.bytes(SECRET_BYTES).toString('base64url');
  return { state: fresh(), secret: fresh(), verifier: fresh() };
}

/** Where the browser goes. @throws as `Provider.description` */
export async function authorizationUrl(provider: Provider, { state, secret, verifier }: Begun): Promise<URL> {
  const { clientId, redirectUri, scopes } = provider.settings;
  const url = new URL((await provider.description()).authorization);
  const fields = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes,
    state,
    nonce: nonceOf(secret),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url;
}

/**
 * Turns a code into the ID token that it is worth.
 * @throws IdTokenError when the provider says no, and as `Provider.description`
 */
export async function redeem(provider: Provider, code: string, { verifier }: Begun): Promise<string> {
  const { settings } = provider;
  const { token: url, secretMethods } = await provider.description();
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: settings.redirectUri,
    client_id: settings.clientId,
    code_verifier: verifier,
  });
  const headers = new Map([
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Accept', 'application/json'],
  ]);
  showSecret(settings, secretMethods, headers, body);
  const { status, json } = await provider.send({ method: 'POST', url, headers, body: body.toString() });
  if (status !== 200) {
    const error = json['error'];
    throw new IdTokenError(
      `the provider does not take the code (${status}${typeof error === 'string' ? `, ${error.slice(0, 100)}` : ''})`,
    );
  }
  const token = json['id_token'];
  if (typeof token !== 'string') throw new BrineError('The provider has answered without an ID token.');
  return token;
}

function showSecret(
  { clientId, clientSecret }: OidcSettings,
  methods: readonly string[],
  headers: Map<string, string>,
  body: URLSearchParams,
): void {
  if (clientSecret === undefined) return;
  if (!methods.includes('client_secret_basic') && methods.includes('client_secret_post'))
    return body.set('client_secret', clientSecret.reveal());
  // both parts are written as in a form (RFC 6749 2.3.1)
  const coded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  const pair = `${coded(clientId)}:${coded(clientSecret.reveal())}`;
  headers.set('Authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
}
