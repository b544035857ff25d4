/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { QueueKind } from '../../shared/queue/queue-backend.ts';

/** The backends of queues, by the name that `backend=` takes. */
export const QUEUE_TABLE: ReadonlyMap<string, () => Promise<QueueKind>> = new Map([
  ['pgjsonb', async () => (await import('../../postgres/queue.ts')).pgjsonbQueues],
  ['sqlite', async () => (await import('../../sqlite3/queue.ts')).sqliteQueues],
]);
