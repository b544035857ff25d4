/** How a provider of OpenID Connect is configured: the entries of `external_auth: oidc` that begin with `^`. */
import { ConfigError } from '../../errors/errors.ts';
import { Secret } from '../../host/secret.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict } from '../../python/values/value.ts';

/** What is known of the provider, and of this client of it. */
export interface OidcSettings {
  /** As the provider names itself, to the letter. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client, which PKCE alone protects. */
  readonly clientSecret: Secret | undefined;
  /** Where the provider sends browsers back to: an address of `salt-api`. */
  readonly redirectUri: string;
  /** Names between spaces. */
  readonly scopes: string;
  /** The claim that has the user's name. */
  readonly usernameClaim: string;
  /** The claim that has his groups. */
  readonly groupsClaim: string;
  /** What people are shown. */
  readonly name: string;
  /** File of the authorities that the provider's certificate may come from; undefined for those of the system. */
  readonly caFile: string | undefined;
}

/** Where the provider sends browsers back to, below the root of `salt-api`. */
const CALLBACK = '/api/v2/session/oidc/callback';
const KNOWN: ReadonlySet<string> = new Set([
  ...['^issuer', '^client_id', '^client_secret', '^redirect_uri', '^scopes', '^username_claim'],
  ...['^groups_claim', '^name', '^ca_file'],
]);

/**
 * Reads the settings.
 * @param config the entries of `external_auth: oidc`
 * @throws ConfigError naming the one that is wrong
 */
export function readOidcSettings(config: Dict): OidcSettings {
  for (const key of config.keys()) {
    const name = pyStr(key);
    if (name.startsWith('^') && !KNOWN.has(name))
      throw new ConfigError(`external_auth:oidc has no setting ${name}; it has ${[...KNOWN].join(', ')}.`);
  }
  const issuer = required(config, '^issuer');
  checkAddress('^issuer', issuer);
  const redirectUri = required(config, '^redirect_uri');
  if (!checkAddress('^redirect_uri', redirectUri).pathname.endsWith(CALLBACK))
    throw new ConfigError(
      `external_auth:oidc:^redirect_uri must end with ${CALLBACK}, the address of salt-api that takes what the provider says.`,
    );
  const scopes = textOf(config, '^scopes') ?? 'openid profile email';
  if (!scopes.split(/\s+/).includes('openid'))
    throw new ConfigError('external_auth:oidc:^scopes must have openid among them.');
  const secret = textOf(config, '^client_secret');
  return {
    issuer,
    clientId: required(config, '^client_id'),
    clientSecret: secret === undefined ? undefined : new Secret(secret),
    redirectUri,
    scopes,
    usernameClaim: textOf(config, '^username_claim') ?? 'sub',
    groupsClaim: textOf(config, '^groups_claim') ?? 'groups',
    name: textOf(config, '^name') ?? new URL(issuer).hostname,
    caFile: textOf(config, '^ca_file'),
  };
}

/**
 * Passwords, codes and keys go to such addresses: TLS, unless they never leave this machine.
 * @param what for the message @throws ConfigError
 */
export function checkAddress(what: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isEncrypted = url?.protocol === 'https:';
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url === undefined || !(isEncrypted || isHere) || url.hash !== '' || url.username !== '')
    throw new ConfigError(
      `external_auth:oidc: ${what} must be an address that begins with https://, or with http:// on this machine.`,
    );
  return url;
}

function required(config: Dict, name: string): string {
  const text = textOf(config, name);
  if (text === undefined) throw new ConfigError(`external_auth:oidc:${name} is not set.`);
  return text;
}

function textOf(config: Dict, name: string): string | undefined {
  const value = config.get(name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new ConfigError(`external_auth:oidc:${name} must be text.`);
  return value;
}
