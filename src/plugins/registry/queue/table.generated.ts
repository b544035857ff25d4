/** The backends of queues, by the name that `backend=` takes. Each is imported on first use. */
import type { QueueBackend, QueueSettings } from '../../shared/queue/queue-backend.ts';

/** Opens a backend. */
export type OpenQueues = (settings: QueueSettings) => QueueBackend;

/** Name to the import of its file. */
export const QUEUE_TABLE: ReadonlyMap<string, () => Promise<OpenQueues>> = new Map([
  ['pgjsonb', async () => (await import('../../postgres/queue.ts')).openPgjsonbQueues],
  ['sqlite', async () => (await import('../../sqlite3/queue.ts')).openSqliteQueues],
]);
