/** What a minion subscribes to (wire-protocol.md, 1.4). */
import { createHash } from 'node:crypto';

/** Everything, or with `zmq_filtering` the broadcasts and what is sent to this minion. */
export function zmqTopics(filtering: boolean, id: string): string[] {
  return filtering ? ['broadcast', createHash('sha1').update(id).digest('hex')] : [''];
}
