/**
 * `salt.wait_for_event`: waiting for events of the master's bus as a step of an orchestration (3006.16
 * salt/states/saltmod.py).
 */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { compileGlob } from '../../../python/text/fnmatch.ts';
import { floatRepr } from '../../../python/values/repr.ts';
import {
  dict,
  isDict,
  toNumber,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';

const TIMEOUT_S = 300;

/** What is still waited for. */
class Awaited {
  readonly left: Value[];
  readonly seen: Value[] = [];
  readonly #eventId: string;

  constructor(ids: readonly Value[], eventId: string) {
    this.left = [...ids];
    this.#eventId = eventId;
  }

  /** Takes note of an event whose tag is the one to wait for. */
  hear(data: Dict): void {
    const inner = data.get('data');
    const value = data.get(this.#eventId) ?? (isDict(inner) ? inner.get(this.#eventId) : undefined) ?? null;
    if (value === null) return;
    for (const found of Array.isArray(value) ? this.#among(value) : [value]) this.#take(found);
  }

  #among(values: readonly Value[]): Value[] {
    return this.left.filter((id) => values.some((value) => valuesEqual(value, id)));
  }

  #take(value: Value): void {
    const at = this.left.findIndex((id) => valuesEqual(id, value));
    if (at < 0) return;
    this.left.splice(at, 1);
    this.seen.push(value);
  }
}

interface Wait {
  readonly tag: string;
  readonly awaited: Awaited;
  readonly timeoutMs: number;
}

/** @returns whether all was seen in time */
async function wait(ctx: StateContext, { tag, awaited, timeoutMs }: Wait): Promise<boolean> {
  if (ctx.master === undefined)
    throw new CommandExecutionError('Only a master hears these events: use it in an orchestration.');
  const glob = compileGlob(tag);
  const over = new AbortController();
  const stop = (): void => over.abort();
  ctx.signal.addEventListener('abort', stop, { once: true });
  let isComplete = false;
  // Salt compat: each event, whatever its tag, ends a wait for nobody
  const close = await ctx.master.listen(
    (candidate) => awaited.left.length === 0 || glob.matches(candidate),
    (candidate, data) => {
      if (glob.matches(candidate)) awaited.hear(data);
      isComplete = awaited.left.length === 0;
      if (isComplete) stop();
    },
  );
  try {
    await ctx.clock.sleep(timeoutMs, over.signal);
    return isComplete;
  } finally {
    ctx.signal.removeEventListener('abort', stop);
    close();
  }
}

/** The state `salt.wait_for_event`. */
export const waitForEvent = defineState({
  doc: 'Waits until events of a tag have named everything in a list.',
  params: {
    name: param.text({ doc: 'The tag of the events, or a glob.' }),
    id_list: param.list({ doc: 'What the events have to name, such as ids of minions.' }),
    event_id: param.text({
      default: 'id',
      doc: 'The key of the data of the events under which they name it.',
    }),
    timeout: param.by((value) => toNumber(value) ?? TIMEOUT_S, {
      default: TIMEOUT_S,
      type: 'int',
      doc: 'Seconds after which the step fails.',
    }),
    node: param.text({
      default: 'master',
      doc: 'Whose bus: `master`; a minion has none for an orchestration.',
    }),
  },
  run: async (ctx, { name, id_list, event_id, timeout, node }) => {
    const result = dict({ name, changes: {}, comment: '', result: false });
    if (truthy(ctx.opts.get('test')))
      return result.set('comment', `Orchestration would wait for event '${name}'`).set('result', null);
    if (node !== 'master')
      return result.set('comment', `There is no event bus of a ${node} here; leave node out.`);
    const awaited = new Awaited(id_list, event_id);
    const startMs = ctx.clock.monotonicMs();
    let isComplete: boolean;
    try {
      isComplete = await wait(ctx, { tag: name, awaited, timeoutMs: timeout * 1000 });
    } catch (error) {
      return result.set('comment', messageOf(error));
    }
    if (awaited.seen.length > 0) result.set('changes', dict({ minions_seen: awaited.seen }));
    if (!isComplete) return result.set('comment', 'Timeout value reached.');
    const seconds = floatRepr((ctx.clock.monotonicMs() - startMs) / 1000);
    return result.set('result', true).set('comment', `All events seen in ${seconds} seconds.`);
  },
});
