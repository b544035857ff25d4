/**
 * How a Brine minion says who it is when it subscribes: a property of the ZMTP handshake that its session key seals.
 * Peers that do not know it ignore it. It tells a master whose connection comes and goes, so that nobody waits for a
 * minion that is known to be away; it authorises nothing.
 */
import type { Crypticle } from '../crypto/crypticle.ts';
import type { Clock } from '../../host/clock.ts';
import type { Missed } from '../transport/recent-messages.ts';
import type { PeerIdentity } from '../transport/transport.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { CLEAR } from '../../formats/wire/budget.ts';
import { asBytes, decode, encode } from '../../formats/wire/msgpack.ts';
import type { SessionKeys } from './session-keys.ts';

/** The property's name as it is sent; ZMTP compares names without case. */
const PROPERTY = 'X-Brine-Minion';
/** A proof is made for one connection: an older one is a recorded one, unless clocks are very far apart. */
const AGE_MAX_SECONDS = 24 * 3600;

/** What a peer is: a minion, or the syndic of the master that the id stands for. */
export type PeerRole = 'minion' | 'syndic';

/**
 * The property for one connection.
 * @param missed of a minion that was subscribed before: what it can have missed meanwhile, which it gets once more
 */
export function presenceProof(
  id: string,
  session: Crypticle,
  clock: Clock,
  role: PeerRole = 'minion',
  missed?: Missed,
): ReadonlyMap<string, Buffer> {
  const proof = session.dumps({
    id,
    presence: Math.floor(clock.nowMs() / 1000),
    role: role === 'minion' ? undefined : role,
    missed: missed && [missed.after, Math.ceil(missed.forMs)],
  });
  return new Map([[PROPERTY, encode({ id, proof }, 'network')]]);
}

/**
 * Who a peer proves to be.
 * @param nameOf the name of a syndic in place of its id, which a minion may have, too
 * @returns undefined when it does not say, or not credibly
 */
export function readPresenceProof(
  properties: ReadonlyMap<string, Buffer>,
  sessions: SessionKeys,
  clock: Clock,
  nameOf: (syndicId: string) => string = (syndicId) => syndicId,
): PeerIdentity | undefined {
  const bytes = properties.get(PROPERTY.toLowerCase());
  if (bytes === undefined) return undefined;
  try {
    const claim = decode(bytes, 'network', CLEAR);
    const id = isDict(claim) ? claim.get('id') : undefined;
    const proof = isDict(claim) ? asBytes(claim.get('proof')) : undefined;
    if (typeof id !== 'string' || proof === undefined) return undefined;
    const claimed = genuineClaim(id, proof, sessions, clock);
    if (claimed === undefined) return undefined;
    const missed = readMissed(claimed.get('missed'));
    const name = claimed.get('role') === 'syndic' ? nameOf(id) : id;
    return missed === undefined ? { id: name } : { id: name, missed };
  } catch {
    return undefined; // no claim of a minion of ours
  }
}

/** What the proof says, when it is this minion's, and new. */
function genuineClaim(id: string, proof: Buffer, sessions: SessionKeys, clock: Clock): Dict | undefined {
  const content = openedBy(id, proof, sessions);
  if (content === undefined || !isDict(content) || content.get('id') !== id) return undefined;
  const at = content.get('presence');
  const isFresh =
    typeof at === 'number' &&
    Number.isSafeInteger(at) &&
    Math.abs(clock.nowMs() / 1000 - at) < AGE_MAX_SECONDS;
  return isFresh ? content : undefined;
}

/** It may have logged in at another master of a cluster. */
function openedBy(id: string, proof: Buffer, sessions: SessionKeys): Value | undefined {
  const own = sessions.reload(id);
  const others = sessions.elsewhere.read(id).map(({ crypticle }) => crypticle);
  for (const crypticle of own === undefined ? others : [own, ...others]) {
    try {
      return crypticle.loads(proof);
    } catch {
      // sealed with another one
    }
  }
  return undefined;
}

/** What a minion says that it has missed, as it is packed in what says who it is. */
export function readMissed(value: Value | undefined): Missed | undefined {
  const [after, forMs] = Array.isArray(value) ? value : [];
  const isGiven = typeof after === 'number' && typeof forMs === 'number';
  return isGiven && Number.isSafeInteger(after) && Number.isSafeInteger(forMs) && after >= 0 && forMs >= 0
    ? { after, forMs }
    : undefined;
}
