/** `queue.*`: queues of items to be worked on later (salt/runners/queue.py, 3006.16). */
import { BrineError, messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import {
  dict,
  isDict,
  pyTypeName,
  toNumber,
  truthy,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { intOfText } from '../../python/values/int-text.ts';
import { param } from '../../runtime/loader/params.ts';
import { QueueError, type Quantity, type QueueBackend, type Taking } from '../shared/queue/queue-backend.ts';
import { QUEUE_TABLE } from '../registry/queue/table.generated.ts';
import { hasExtensions } from '../../runtime/extensions/folder.ts';
import {
  defineRunner,
  defineRunners,
  refusing,
  RunnerRefusal,
  type RunnerContext,
} from '../shared/runner/runner.ts';

const queueParam = { queue: param.text({ doc: 'The queue.' }) } as const;
const backendParam = {
  backend: param.text({ default: 'sqlite', doc: 'Where queues are kept: `sqlite` or `pgjsonb`.' }),
} as const;
const itemsParam = { items: { doc: 'The item, or a list of items.' } } as const;
const takingParams = {
  quantity: { default: 1, type: 'int or str', doc: 'How many items; `all` for every item.' },
  ...backendParam,
  is_runner: param.flag({ default: false, doc: 'The items are calls of runners.' }),
} as const;
const runnerQueueParams = {
  queue: param.textOrNone({ default: null, doc: 'The queue; without it that of the option `runner_queue`.' }),
  backend: param.textOrNone({
    default: null,
    doc: 'Where the queue is kept; without it as `runner_queue` says, else `pgjsonb`.',
  }),
} as const;

/** The queue runner. */
export const queueRunners = defineRunners({
  name: 'queue',
  doc: 'Queues of items that are worked on later, by reactions or by runners.',
  failsWith: { empty: ['pop'], text: ['delete', 'insert', 'insert_runner'] },
  functions: {
    insert: defineRunner({
      doc: 'Puts an item, or a list of items, into a queue.',
      params: { ...queueParam, ...itemsParam, ...backendParam },
      returns: 'True, or a sentence when an item is in the queue already',
      examples: ['salt-run queue.insert myqueue web1', "salt-run queue.insert myqueue \"['web1', 'web2']\""],
      run: (ctx, { queue, items, backend }) =>
        withQueues(ctx, 'insert', backend, (queues) => queues.insert(queue, items)),
    }),
    delete: defineRunner({
      doc: 'Removes an item, or a list of items, from a queue.',
      params: { ...queueParam, ...itemsParam, ...backendParam },
      returns: 'True, or a sentence when an item was not in the queue',
      examples: ['salt-run queue.delete myqueue web1'],
      run: (ctx, { queue, items, backend }) =>
        withQueues(ctx, 'delete', backend, async (queues) => {
          const removed = await queues.delete(queue, items);
          return saidOfRemoved(queue, removed, numberOf(items));
        }),
    }),
    list_queues: defineRunner({
      doc: 'Lists the queues.',
      params: backendParam,
      returns: 'list of names',
      examples: ['salt-run queue.list_queues'],
      run: (ctx, { backend }) => withQueues(ctx, 'list_queues', backend, (queues) => queues.queues()),
    }),
    list_length: defineRunner({
      doc: 'Counts the items of a queue.',
      params: { ...queueParam, ...backendParam },
      returns: 'a number',
      examples: ['salt-run queue.list_length myqueue'],
      run: (ctx, { queue, backend }) =>
        withQueues(ctx, 'list_length', backend, (queues) => queues.length(queue)),
    }),
    list_items: defineRunner({
      doc: 'Lists the items of a queue.',
      params: { ...queueParam, ...backendParam },
      returns: 'list of items',
      examples: ['salt-run queue.list_items myqueue'],
      run: (ctx, { queue, backend }) =>
        withQueues(ctx, 'list_items', backend, (queues) => queues.items(queue)),
    }),
    pop: defineRunner({
      doc: 'Takes items out of a queue. Each item is given to one caller only.',
      params: { ...queueParam, ...takingParams },
      returns: 'list of items',
      examples: ['salt-run queue.pop myqueue', 'salt-run queue.pop myqueue all'],
      run: (ctx, { queue, backend, ...taking }) =>
        withQueues(ctx, 'pop', backend, (queues) =>
          queues.take(queue, takingOf(taking), (items) => Promise.resolve(items)),
        ),
    }),
    process_queue: defineRunner({
      doc:
        'Takes items out of a queue and fires an event `salt/queue/<queue>/process` with them, to which the reactor can react. The items ' +
        'stay in the queue until the event is fired.',
      params: { ...queueParam, ...takingParams },
      returns: 'mapping with the items, the backend and the queue',
      examples: ['salt-run queue.process_queue myqueue', 'salt-run queue.process_queue myqueue all'],
      run: (ctx, { queue, backend, ...taking }) => processQueue(ctx, queue, backend, taking),
    }),
    insert_runner: defineRunner({
      doc: 'Puts a call of a runner into a queue, for `queue.process_runner`.',
      params: {
        fun: param.text({ doc: 'The runner.' }),
        args: {
          default: null,
          type: 'list or str',
          doc: 'Its arguments, also as a text with commas between them.',
        },
        kwargs: { default: null, type: 'dict', doc: 'Its arguments by name.' },
        ...runnerQueueParams,
      },
      returns: 'True, or a sentence when the same call is in the queue already',
      examples: ['salt-run queue.insert_runner test.stdout_print'],
      run: (ctx, { fun, args, kwargs, ...place }) => {
        const { queue, backend } = runnerQueue(ctx, place);
        const list = typeof args === 'string' ? args.split(',') : (args ?? []);
        const call = dict({ fun, args: list, kwargs: kwargs ?? new Map<Value, Value>() });
        return withQueues(ctx, 'insert', backend, (queues) => queues.insert(queue, call));
      },
    }),
    process_runner: defineRunner({
      doc: 'Takes calls of runners out of a queue and runs them, one after the other.',
      params: { quantity: takingParams.quantity, ...runnerQueueParams },
      returns: 'None',
      examples: ['salt-run queue.process_runner', 'salt-run queue.process_runner 5'],
      run: async (ctx, { quantity, ...place }) => {
        const { queue, backend } = runnerQueue(ctx, place);
        const data = await processQueue(ctx, queue, backend, { quantity, is_runner: true });
        const items = isDict(data) ? data.get('items') : undefined;
        await runCalls(ctx, queue, Array.isArray(items) ? items : []);
        return null;
      },
    }),
  },
});

/** How many different items are meant. */
function numberOf(named: Value): number {
  return Array.isArray(named) ? new Set(named.map(pyStr)).size : 1;
}

/** Salt compat: Salt says True also of what was not in the queue. */
function saidOfRemoved(queue: string, removed: number | undefined, wanted: number): Value {
  if (removed === undefined || removed >= wanted) return true;
  return removed === 0
    ? `Nothing was removed: the queue ${queue} has none of what was named. queue.list_items shows what is in it.`
    : `Only ${removed} of ${wanted} items were removed: the queue ${queue} did not have the others.`;
}

/** Opens a backend for one use. @throws SaltInvocationError for one that does not exist, in Salt's words */
async function withQueues<T>(
  { opts, settings, clock, log }: RunnerContext,
  fun: string,
  backend: string,
  use: (queues: QueueBackend) => Promise<T>,
): Promise<T> {
  const used = await useOwnBackend({ settings, clock, log }, backend, use);
  if (used !== undefined) return used.result;
  if (backend === 'sqlite') {
    const { openClusterQueues } = await import('../cluster/queue/stream-queues.ts');
    const shared = await refusing(() => openClusterQueues({ opts, clock, log }));
    if (shared !== undefined) return useAndClose(shared, use);
  }
  const load = QUEUE_TABLE.get(backend);
  if (load === undefined) throw new SaltInvocationError(`Function "${backend}.${fun}" is not available`);
  const kind = await load();
  return useAndClose(kind.open({ opts: settings, clock, log }), use);
}

async function useAndClose<T>(queues: QueueBackend, use: (queues: QueueBackend) => Promise<T>): Promise<T> {
  try {
    return await refusing(() => use(queues));
  } finally {
    await queues.close();
  }
}

/** A backend of the site's own (`_queues`), which comes before one of ours with that name. */
async function useOwnBackend<T>(
  { settings: opts, clock, log }: Pick<RunnerContext, 'settings' | 'clock' | 'log'>,
  backend: string,
  use: (queues: QueueBackend) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  if (!hasExtensions(opts, 'queues')) return undefined;
  const [{ useKindModule }, { ownQueues }] = await Promise.all([
    import('../../runtime/extensions/kind-module.ts'),
    import('../shared/queue/own-queues.ts'),
  ]);
  return useKindModule('queues', backend, { opts, clock, log }, (module) =>
    refusing(() => use(ownQueues(backend, module))),
  );
}

interface TakingArguments {
  readonly quantity: Value;
  readonly is_runner: boolean;
}

function takingOf({ quantity, is_runner: isRunner }: TakingArguments): Taking {
  return { quantity: quantityOf(quantity), isRunner };
}

/** As Python's `int()` reads it; below zero is all. @throws SaltInvocationError in Python's words */
function quantityOf(quantity: Value): Quantity {
  if (quantity === 'all') return 'all';
  const number =
    typeof quantity === 'string'
      ? intOfText(quantity)
      : typeof quantity === 'boolean'
        ? Number(quantity)
        : toNumber(quantity);
  if (number !== undefined && Number.isFinite(Number(number)))
    return Number(number) < 0 ? 'all' : Math.trunc(Number(number));
  if (typeof quantity !== 'string')
    throw new SaltInvocationError(
      `int() argument must be a string, a bytes-like object or a real number, not '${pyTypeName(quantity)}'`,
    );
  const reason = `invalid literal for int() with base 10: '${quantity}'`;
  throw new SaltInvocationError(`Quantity must be an integer or "all".\nError: "${reason}".`);
}

/** Fires while the items are still held, so that neither a kill nor a master that is away loses them. */
async function processQueue(
  ctx: RunnerContext,
  queue: string,
  backend: string,
  taking: TakingArguments,
): Promise<Value> {
  try {
    return await withQueues(ctx, 'pop', backend, (queues) =>
      queues.take(queue, takingOf(taking), async (items) => {
        const data = dict({ items, backend, queue });
        if (!(await ctx.fire(`salt/queue/${queue}/process`, data)) && items.length > 0)
          throw new QueueError(
            `The event with the items of the queue ${queue} could not be fired, because no master runs here; all items are still in the queue.`,
          );
        return data;
      }),
    );
  } catch (error) {
    if (!(error instanceof SaltInvocationError)) throw error;
    await ctx.progress(dict({ errors: error.message }));
    return false;
  }
}

/** @throws RunnerRefusal when no queue is named */
function runnerQueue(
  { settings }: RunnerContext,
  place: { readonly queue: string | undefined; readonly backend: string | undefined },
): { readonly queue: string; readonly backend: string } {
  const configured = settings.get('runner_queue');
  const options: Dict = isDict(configured) ? configured : new Map();
  const queue = place.queue ?? options.get('queue') ?? null;
  if (queue === null)
    throw new RunnerRefusal(
      'No queue is named for calls of runners: give queue=NAME, or set the option runner_queue: {queue: NAME, backend: sqlite}.',
    );
  return { queue: pyStr(queue), backend: pyStr(place.backend ?? options.get('backend') ?? 'pgjsonb') };
}

/**
 * Runs calls; one that fails does not keep the others from being run, since none of them is in the queue any more.
 * @throws RunnerRefusal naming those that failed
 */
async function runCalls(ctx: RunnerContext, queue: string, calls: readonly Value[]): Promise<void> {
  const failed: string[] = [];
  for (const call of calls) {
    if (ctx.signal.aborted) break;
    const item: Dict = isDict(call) ? call : new Map();
    const fun = pyStr(item.get('fun') ?? null);
    const [args, kwargs] = [item.get('args'), item.get('kwargs')];
    try {
      await ctx.call(fun, Array.isArray(args) ? args : [], isDict(kwargs) ? kwargs : new Map());
    } catch (error) {
      ctx.log.debug(`The runner ${fun} of the queue ${queue} failed`, error);
      failed.push(`${fun}: ${error instanceof BrineError ? error.message : messageOf(error)}`);
    }
  }
  if (!truthy(failed)) return;
  throw new RunnerRefusal(
    `${failed.length} of ${calls.length} calls of the queue ${queue} failed, and are not in it any more:\n${failed.join('\n')}`,
  );
}
