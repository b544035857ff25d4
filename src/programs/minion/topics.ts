/** What a minion subscribes to (docs/internals/wire-protocol.md#transports). */
import { createHash } from 'node:crypto';
import type { PeerRole } from '../../network/channel/presence-proof.ts';

/** Everything, or with `zmq_filtering` the broadcasts and what is sent to this minion, or to syndics. */
export function zmqTopics(filtering: boolean, id: string, role: PeerRole = 'minion'): string[] {
  if (!filtering) return [''];
  // Salt compat: Salt's syndics take the topic of their id, too, and so get such a job twice
  return ['broadcast', role === 'syndic' ? 'syndic' : createHash('sha1').update(id).digest('hex')];
}
