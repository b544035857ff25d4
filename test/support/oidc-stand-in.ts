/**
 * A provider of OpenID Connect for tests: it speaks the protocol over HTTP, logs everybody in at once, and can be made
 * to misbehave.
 */
import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { startHttpStandIn, type HttpGiven, type HttpStandIn, type HttpTaken } from './http-stand-in.ts';

export const CLIENT = { id: 'brine', secret: 'canary-client-secret: +ü' } as const;

type Claims = Record<string, unknown>;

/** What it does otherwise than a good provider. */
export interface Misdeeds {
  /** Changes what the next tokens say. */
  claims?: (claims: Claims) => Claims;
  /** Makes the token itself. */
  token?: (claims: Claims, provider: OidcStandIn) => string;
  /** Takes a code twice. */
  takesCodesAgain?: boolean;
  /** Answers to discovery. */
  description?: (description: Claims) => Claims;
}

interface Code {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
  isUsed: boolean;
}

/** The provider. */
export class OidcStandIn {
  readonly server: HttpStandIn;
  misdeeds: Misdeeds = {};
  /** What it knows of whoever logs in. */
  person: Claims = { sub: 'u-1', preferred_username: 'olga', groups: ['ops'], email: 'olga@example.com' };
  key = newKey('key-1');
  readonly #codes = new Map<string, Code>();

  private constructor(server: HttpStandIn) {
    this.server = server;
  }

  static async start(t: { after(run: () => void): void }): Promise<OidcStandIn> {
    const made: OidcStandIn[] = [];
    const server = await startHttpStandIn(t, (request) => (made[0] as OidcStandIn).#answer(request));
    made.push(new OidcStandIn(server));
    return made[0] as OidcStandIn;
  }

  get issuer(): string {
    return this.server.url.replace(/\/$/, '');
  }

  /** The claims of a good token. */
  claims(nonce: string): Claims {
    const now = Math.floor(Date.now() / 1000);
    return { iss: this.issuer, aud: CLIENT.id, iat: now, exp: now + 300, nonce, ...this.person };
  }

  /** A token as the provider signs it. */
  signed(claims: Claims, header: Claims = { alg: 'RS256', kid: this.key.kid }): string {
    const text = `${coded(header)}.${coded(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), this.key.private).toString('base64url')}`;
  }

  #answer(request: HttpTaken): HttpGiven {
    const url = new URL(request.path, this.issuer);
    if (url.pathname === '/.well-known/openid-configuration') return json(200, this.#description());
    if (url.pathname === '/keys') return json(200, { keys: [this.key.jwk] });
    if (url.pathname === '/authorize') return this.#authorize(url.searchParams);
    if (url.pathname === '/token' && request.method === 'POST') return this.#redeem(request);
    return json(404, {});
  }

  #description(): Claims {
    const at = (path: string): string => `${this.issuer}${path}`;
    const good = {
      issuer: this.issuer,
      authorization_endpoint: at('/authorize?tenant=1'),
      token_endpoint: at('/token'),
      jwks_uri: at('/keys'),
    };
    return this.misdeeds.description?.(good) ?? good;
  }

  #authorize(given: URLSearchParams): HttpGiven {
    const field = (name: string): string => given.get(name) ?? '';
    const isGood =
      field('response_type') === 'code' &&
      field('client_id') === CLIENT.id &&
      field('scope').split(' ').includes('openid') &&
      field('code_challenge_method') === 'S256' &&
      field('tenant') === '1' &&
      [field('nonce'), field('code_challenge')].every((text) => /^[\w-]{43}$/.test(text));
    if (!isGood) return json(400, { error: 'invalid_request' });
    const code = randomBytes(16).toString('hex');
    this.#codes.set(code, {
      nonce: field('nonce'),
      challenge: field('code_challenge'),
      redirectUri: field('redirect_uri'),
      isUsed: false,
    });
    const back = new URL(field('redirect_uri'));
    const fields = { code, state: field('state'), iss: this.issuer, session_state: 'of-the-provider' };
    for (const [name, value] of Object.entries(fields)) back.searchParams.set(name, value);
    return { status: 302, headers: { Location: back.href } };
  }

  #redeem({ body, headers }: HttpTaken): HttpGiven {
    const given = new URLSearchParams(body);
    const basic = Buffer.from(
      (headers.get('authorization') ?? '').replace(/^Basic /, ''),
      'base64',
    ).toString();
    const [id, secret] = basic.split(':').map((part) => new URLSearchParams(`x=${part}`).get('x'));
    if (id !== CLIENT.id || secret !== CLIENT.secret) return json(401, { error: 'invalid_client' });
    const code = this.#codes.get(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      code === undefined ||
      (code.isUsed && this.misdeeds.takesCodesAgain !== true) ||
      code.challenge !== challenge ||
      code.redirectUri !== given.get('redirect_uri')
    )
      return json(400, { error: 'invalid_grant' });
    code.isUsed = true;
    const claims = this.misdeeds.claims?.(this.claims(code.nonce)) ?? this.claims(code.nonce);
    const token = this.misdeeds.token?.(claims, this) ?? this.signed(claims);
    return json(200, { access_token: 'a', token_type: 'Bearer', id_token: token });
  }
}

/** A token that nobody has signed. */
export function unsigned(claims: Claims): string {
  return `${coded({ alg: 'none' })}.${coded(claims)}.`;
}

/** A token signed with the public key as if it were a secret that both sides share. */
export function signedWithPublicKey(claims: Claims, { key }: OidcStandIn): string {
  const text = `${coded({ alg: 'HS256', kid: key.kid })}.${coded(claims)}`;
  const pem = key.public.export({ type: 'spki', format: 'pem' });
  return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
}

/** A key under a name. */
export function newKey(kid: string): { kid: string; private: KeyObject; public: KeyObject; jwk: object } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicKey = createPublicKey(privateKey);
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
  return { kid, private: privateKey, public: publicKey, jwk };
}

function coded(value: Claims): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function json(status: number, value: Claims): HttpGiven {
  return { status, body: JSON.stringify(value), headers: { 'Content-Type': 'application/json' } };
}
