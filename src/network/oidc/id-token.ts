/**
 * ID tokens (OpenID Connect Core 1.0, 3.1.3.7): whether one is the provider's, for this client, of now, and of the
 * log-in that whoever shows it has begun; and whom it names. The nonce of a log-in is the digest of a secret: who has
 * read a token along the way, or got one for another log-in, cannot show it together with the secret.
 */
import { createHash } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { BrineError, messageOf, UnreachableError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Provider } from './provider.ts';
import type { OidcSettings } from './settings.ts';

/** Seconds by which clocks may differ. */
const SKEW_S = 30;
/** Seconds from the making of a token to its use. */
export const TOKEN_AGE_S = 300;
/** Longer ones are none. */
export const TOKEN_LENGTH_MAX = 16 * 1024;
const GROUPS_MAX = 1_000;
const NAME_MAX = 1_024;
/** Public keys only: whoever can check a token cannot make one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** A token that is not good. */
export class IdTokenError extends BrineError {
  override readonly name: string = 'IdTokenError';
}

/** Whom a token names. */
export interface Named {
  readonly username: string;
  readonly groups: readonly string[];
}

/** The nonce of the log-in that a secret was made for. */
export function nonceOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/**
 * Whom a token names.
 * @param secret of the log-in
 * @throws IdTokenError for one that is not good, UnreachableError where the provider cannot be asked for its keys
 */
export async function namedBy(
  token: string,
  secret: string,
  provider: Provider,
  clock: Clock,
): Promise<Named> {
  const { settings } = provider;
  const claims = await verified(token, provider, clock);
  if (typeof claims['nonce'] !== 'string' || claims['nonce'] !== nonceOf(secret))
    throw new IdTokenError('the nonce is that of another log-in');
  const others = Array.isArray(claims.aud) && claims.aud.length > 1;
  const party = claims['azp'];
  if (party === undefined ? others : party !== settings.clientId)
    throw new IdTokenError('the token was made for another client (azp)');
  return { username: nameIn(claims, settings), groups: groupsIn(claims, settings) };
}

async function verified(token: string, provider: Provider, clock: Clock): Promise<JWTPayload> {
  if (token.length > TOKEN_LENGTH_MAX) throw new IdTokenError('the token is too long');
  const { issuer, clientId } = provider.settings;
  const check = async (again: boolean): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, await provider.keys(again), {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_S,
      maxTokenAge: TOKEN_AGE_S,
      requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
      currentDate: new Date(clock.nowMs()),
    });
    return payload;
  };
  try {
    return await check(false).catch((error: unknown) => {
      // the provider may have begun to sign with another key
      if (error instanceof errors.JWKSNoMatchingKey) return check(true);
      throw error;
    });
  } catch (cause) {
    if (cause instanceof UnreachableError || cause instanceof BrineError) throw cause;
    throw new IdTokenError(messageOf(cause).replace(/\.$/, ''), { cause });
  }
}

/**
 * Names that rules, or other users of them, have another meaning for are refused: at some providers people choose their
 * names.
 */
function nameIn(claims: JWTPayload, { usernameClaim }: OidcSettings): string {
  const name = claimAt(claims, usernameClaim);
  if (typeof name !== 'string' || name === '' || name.length > NAME_MAX)
    throw new IdTokenError(`the claim ${usernameClaim} has no name of a user`);
  if (/^[\^*]|%$|^token:|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name))
    throw new IdTokenError(`the claim ${usernameClaim} has a name that no user may have`);
  if (usernameClaim === 'email' && claims['email_verified'] !== true)
    throw new IdTokenError('the provider has not checked the address in the claim email (email_verified)');
  return name;
}

function groupsIn(claims: JWTPayload, { groupsClaim }: OidcSettings): string[] {
  const given = claimAt(claims, groupsClaim);
  const all: unknown[] = Array.isArray(given) ? given : [given];
  const groups = all.filter((group) => typeof group === 'string' && group !== '') as string[];
  if (groups.length > GROUPS_MAX)
    throw new IdTokenError(`the claim ${groupsClaim} has more than ${GROUPS_MAX} groups`);
  return groups;
}

/** A claim by its name, or by the names on the way to it with colons between them. */
function claimAt(claims: JWTPayload, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let at: unknown = claims;
  for (const name of path.split(':')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}
