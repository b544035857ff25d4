/**
 * States with `parallel: True`: they go on beside the others. Salt gives each a process; here they run within the
 * process of the run, which is one that can be killed (salt/state.py `call_parallel`, `reconcile_procs`, 3006.16).
 */
import type { ModuleContext } from '../loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { nameOfCall } from './bind-state.ts';
import { runState, thrownResult, type BoundState } from './call-state.ts';
import { durationOf, StopWatch } from './result.ts';
import { attemptLine, pauseOf, readRetry, retrySentence } from './retry.ts';

/** The states that go on beside a run, and the placeholders that their results will replace. */
export class ParallelStates {
  /** What goes on or has ended since, by the result that stands for it until {@link settle}. */
  readonly #going = new Map<Dict, Promise<Dict>>();
  readonly #unended = new Set<Value>();
  #ended = 0;

  /** How many have ended so far. */
  get ended(): number {
    return this.#ended;
  }

  /** Begins a state. @returns the result that stands for it until {@link settle} */
  start(state: BoundState, ctx: ModuleContext): Dict {
    const meanwhile = dict({
      name: nameOfCall(state.spec, state.bound, state.low),
      result: null,
      changes: {},
      comment: 'Started in a separate process',
    });
    this.#unended.add(meanwhile);
    const going = runBeside(state, ctx).finally(() => {
      this.#ended += 1;
      this.#unended.delete(meanwhile);
    });
    this.#going.set(meanwhile, going);
    return meanwhile;
  }

  /** What will replace a result; undefined for one that stands for nothing. */
  resultOf(result: Dict): Promise<Dict> | undefined {
    return this.#going.get(result);
  }

  /** Whether a result stands for a state that has not ended. */
  isGoing(result: Value): boolean {
    return this.#unended.has(result);
  }

  /** Whether as many go on as may at a time. @param max `state_max_parallel`, 0 for no limit */
  isFull(max: number): boolean {
    return max > 0 && this.#unended.size >= max;
  }

  /** Waits until the next of those that go on has ended. */
  async nextEnd(): Promise<void> {
    const going = [...this.#going].filter(([result]) => this.#unended.has(result));
    if (going.length > 0) await Promise.race(going.map(([, end]) => end));
  }

  /** Waits until the states of these results have ended, and writes what they gave into them. */
  async settle(results: Iterable<Value>): Promise<void> {
    for (const result of results) {
      if (!isDict(result)) continue;
      const going = this.#going.get(result);
      if (going === undefined) continue;
      for (const [key, value] of await going) result.set(key, value);
      this.#going.delete(result);
    }
  }
}

/** Never throws. */
async function runBeside(state: BoundState, ctx: ModuleContext): Promise<Dict> {
  const watch = new StopWatch(ctx.clock);
  let result: Dict;
  try {
    result = resultOf(await runState(state, ctx), state);
  } catch (error) {
    result = thrownResult(state, error, ctx);
  }
  result.set('start_time', watch.startTime);
  result.set('duration', durationOf(watch.read()));
  result.set('__parallel__', true);
  if (!state.low.has('retry')) return result;
  try {
    return await retried(state, result, ctx);
  } catch (error) {
    return thrownResult(state, error, ctx);
  }
}

function resultOf(value: Value, { spec, bound, low }: BoundState): Dict {
  if (isDict(value)) return value;
  const name = nameOfCall(spec, bound, low);
  return dict({ result: false, comment: 'Parallel process failed to return', name, changes: {} });
}

/** Salt compat: the comments of attempts stand the other way round here, and without the fields of the first. */
async function retried(state: BoundState, first: Dict, ctx: ModuleContext): Promise<Dict> {
  const retry = readRetry(state.low.get('retry') ?? null, ctx.log);
  if (truthy(ctx.opts.get('test')))
    return first.set('comment', [pyStr(first.get('comment') ?? ''), retrySentence(retry)].join('  '));
  let result = first;
  for (let attempt = 1; attempt <= retry.attempts && result.get('result') !== retry.until; attempt++) {
    const seconds = pauseOf(retry, ctx.random);
    await ctx.clock.sleep(seconds * 1000, ctx.signal);
    if (ctx.signal.aborted) break;
    const next = resultOf(await runState(state, ctx), state);
    const line = truthy(next.get('comment')) ? attemptLine(attempt, next) : '';
    next.set('comment', [pyStr(result.get('comment') ?? ''), line].join('\n'));
    next.set('duration', durationOf((toNumber(result.get('duration')) ?? 0) + seconds * 1000));
    if (attempt === 1) next.set('start_time', result.get('start_time') ?? null);
    result = next;
  }
  return result;
}
