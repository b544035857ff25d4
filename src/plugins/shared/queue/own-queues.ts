/**
 * Backends of queues of the site's own (`_queues`), with the functions that Salt's have (salt/queues/sqlite_queue.py,
 * 3006.16).
 */
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, type Dict, type Value } from '../../../python/values/value.ts';
import type { KindModule } from '../../../runtime/extensions/kind-module.ts';
import { QueueError, type QueueBackend } from './queue-backend.ts';

const NOTHING: Dict = new Map();

/** @param name what `backend=` says */
export function ownQueues(name: string, module: KindModule): QueueBackend {
  const call = async (fun: string, args: readonly Value[], named = NOTHING): Promise<Value> => {
    if (!module.has(fun)) throw new QueueError(`Function "${name}.${fun}" is not available`);
    return module.call(fun, args, named);
  };
  const list = async (fun: string, args: readonly Value[], named?: Dict): Promise<Value[]> => {
    const given = await call(fun, args, named);
    return Array.isArray(given) ? given : [];
  };
  return {
    queues: async () => (await list('list_queues', [])).map(pyStr).sort(),
    items: (queue) => list('list_items', [queue]),
    length: async (queue) => toNumber(await call('list_length', [queue])) ?? 0,
    insert: (queue, items) => call('insert', [queue, items]),
    delete: async (queue, items) => {
      await call('delete', [queue, items]);
      return undefined;
    },
    take: async (queue, { quantity, isRunner }, use) => {
      const items = await list(
        'pop',
        [queue],
        new Map<Value, Value>([
          ['quantity', quantity],
          ['is_runner', isRunner],
        ]),
      );
      try {
        return await use(items);
      } catch (error) {
        // what was taken for nothing goes back: whoever calls next gets it
        if (items.length > 0) await call('insert', [queue, items]);
        throw error;
      }
    },
    close: () => Promise.resolve(),
  };
}
