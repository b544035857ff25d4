/**
 * How a subscriber of the tcp transport says which minion it is: a message that the shared key seals, with the token
 * that only the holder of its key can make (salt/channel/client.py `send_id`, salt/channel/server.py
 * `presence_callback`, 3006.16).
 */
import type { Crypticle } from '../crypto/crypticle.ts';
import type { Missed } from '../transport/recent-messages.ts';
import type { PeerIdentity } from '../transport/transport.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { parsePublishEnvelope, PROTOCOL_VERSION } from '../../formats/wire/envelope.ts';
import { asBytes, encode } from '../../formats/wire/msgpack.ts';
import type { AcceptedKeys } from './accepted-keys.ts';
import { readMissed, type PeerRole } from './presence-proof.ts';

/**
 * The message's body.
 * @param token the minion's signature of `salt`
 * @param missed of a minion that was subscribed before: what it can have missed; only a Brine master looks at it
 */
export function subscriberIdentity(
  id: string,
  token: Buffer,
  shared: Crypticle,
  role: PeerRole = 'minion',
  missed?: Missed,
): Buffer {
  const load = shared.dumps({
    id,
    tok: token,
    role: role === 'minion' ? undefined : role,
    missed: missed && [missed.after, Math.ceil(missed.forMs)],
  });
  return encode({ enc: 'aes', load, version: PROTOCOL_VERSION }, 'network');
}

/**
 * Who a subscriber proves to be.
 * @param nameOf the name of a syndic in place of its id, which a minion may have, too
 * @returns undefined when the proof is not good
 */
export function readSubscriberIdentity(
  body: Buffer,
  sharedKeys: readonly Crypticle[],
  accepted: AcceptedKeys,
  nameOf: (syndicId: string) => string = (syndicId) => syndicId,
): PeerIdentity | undefined {
  const envelope = parsePublishEnvelope([body]);
  if (envelope === undefined) return undefined;
  for (const shared of sharedKeys) {
    let value: Value | undefined;
    try {
      value = shared.loads(envelope.load);
    } catch {
      continue; // sealed with another key
    }
    if (value === undefined || !isDict(value)) return undefined;
    const id = value.get('id');
    const token = asBytes(value.get('tok'));
    if (typeof id !== 'string' || token === undefined || !accepted.verifyToken(id, token)) return undefined;
    const name = value.get('role') === 'syndic' ? nameOf(id) : id;
    const missed = readMissed(value.get('missed'));
    return missed === undefined ? { id: name } : { id: name, missed };
  }
  return undefined;
}
