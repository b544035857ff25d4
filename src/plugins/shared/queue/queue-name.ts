/** Names of queues. They are also names of files and of tables, which Salt writes into its statements as they are. */
import { QueueError } from './queue-backend.ts';

/** Returns the name. @throws QueueError for one that is no name of a table without quotes */
export function queueName(name: string, bytesMax: number): string {
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && Buffer.byteLength(name) <= bytesMax) return name;
  throw new QueueError(
    `${JSON.stringify(name)} cannot be the name of a queue: take letters, digits and underscores, no digit first, at most ${bytesMax} bytes.`,
  );
}
