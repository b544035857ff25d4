/** The reply to `_pillar`: a key for this reply alone, wrapped for us, and signed data (wire-protocol.md, 5.6). */
import { Crypticle, isKeyString, MacError } from '../../crypto/crypticle.ts';
import { AuthenticationError } from '../../errors/errors.ts';
import { Secret } from '../../host/secret.ts';
import { isDict, type Dict } from '../../values/value.ts';
import { asBytes, decode } from '../../wire/msgpack.ts';
import type { AuthClient, Credentials } from './authenticate.ts';

/**
 * @returns the pillar
 * @throws MacError when the master asks us to authenticate anew; AuthenticationError when the reply is not the master's
 */
export function openPillarReply(
  reply: Dict,
  nonce: string,
  client: AuthClient,
  credentials: Credentials,
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
  const content = decode(data, 'network');
  if (!isDict(content) || content.get('nonce') !== nonce)
    throw new AuthenticationError('The pillar answers another request.');
  if (!asBytes(content.get('key'))?.equals(wrapped))
    throw new AuthenticationError('The key of the pillar was exchanged on the way.');
  const pillar = content.get('pillar');
  return pillar !== undefined && isDict(pillar) ? pillar : new Map();
}
