/**
 * The reply to `_pillar`: a key for this reply alone, wrapped for us, and signed data
 * (docs/internals/wire-protocol.md#pillar).
 */
import type { ErrorCode } from '../../../errors/codes.ts';
import { Crypticle, isKeyString, MacError } from '../../crypto/crypticle.ts';
import { AuthenticationError, BrineError } from '../../../errors/errors.ts';
import { Secret } from '../../../host/secret.ts';
import { isDict, pyTypeName, type Dict, type Value } from '../../../python/values/value.ts';
import { AUTHENTICATED } from '../../../formats/wire/budget.ts';
import { asBytes, decode } from '../../../formats/wire/msgpack.ts';
import type { AuthClient, MinionCredentials } from './authenticate.ts';

/** The master answered with something that is no pillar. */
class BadPillarError extends BrineError {
  static override readonly errorCode: ErrorCode = 'pillar-invalid';
  override readonly name = 'BadPillarError';
}

/**
 * @returns the pillar
 * @throws MacError when the master asks us to authenticate anew; AuthenticationError when the reply is not the
 *   master's; BadPillarError
 */
export function openPillarReply(
  reply: Dict,
  nonce: string,
  client: AuthClient,
  credentials: MinionCredentials,
): Dict {
  const wrapped = asBytes(reply.get('key'));
  const sealed = asBytes(reply.get('pillar'));
  if (wrapped === undefined || sealed === undefined) throw new MacError();
  const keyString = client.key.decrypt(wrapped, client.encAlgo)?.toString('latin1');
  if (keyString === undefined || !isKeyString(keyString))
    throw new AuthenticationError('The key of the pillar cannot be opened.');
  const outer = new Crypticle(new Secret(keyString)).loads(sealed);
  const data = outer !== undefined && isDict(outer) ? asBytes(outer.get('data')) : undefined;
  const sig = outer !== undefined && isDict(outer) ? asBytes(outer.get('sig')) : undefined;
  if (data === undefined || sig === undefined || !credentials.masterKey.verify(data, sig, client.sigAlgo)) {
    throw new AuthenticationError('The signature of the pillar does not fit the master key.');
  }
  const content = decode(data, 'network', AUTHENTICATED);
  if (!isDict(content) || content.get('nonce') !== nonce)
    throw new AuthenticationError('The pillar answers another request.');
  if (!asBytes(content.get('key'))?.equals(wrapped))
    throw new AuthenticationError('The key of the pillar was exchanged on the way.');
  return knownPillar(content.get('pillar'));
}

/**
 * A pillar that is none is an error, as in Salt: taken for an empty one, states would run with their defaults
 * (CVE-2024-37088).
 * @throws BadPillarError
 */
export function knownPillar(value: Value | undefined): Dict {
  if (value !== undefined && isDict(value)) return value;
  const type = value === undefined ? 'none at all' : `type ${pyTypeName(value)}`;
  throw new BadPillarError(
    `Got a bad pillar from master, ${type}, expecting dict. The log of the master says what failed there.`,
  );
}
