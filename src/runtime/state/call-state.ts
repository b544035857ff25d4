/**
 * Calling one state: checks, conditions, the function itself, what it has left behind, and further attempts
 * (salt/state.py `State.call`, 3006.16).
 */
import { DiskRefusesError, SaltInvocationError } from '../../errors/errors.ts';
import { exceptionText } from '../loader/execute.ts';
import { checkWords } from '../loader/words.ts';
import type { FunctionSpec, ModuleContext } from '../loader/module.ts';
import { withUmask } from '../../host/umask.ts';
import { pyStr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { bindState, nameOfCall, type StateArguments } from './bind-state.ts';
import { checkCommands, checkConditions } from './conditions.ts';
import type { RunEnvironment } from './run-environment.ts';
import { logResult } from './log-result.ts';
import { durationOf, failedResult, StopWatch, textIn, timeOfDay, unified } from './result.ts';
import { attemptLine, pauseOf, readRetry, retrySentence } from './retry.ts';
import { fillSlots } from './slots.ts';
import { verifyLow } from './verify.ts';

/** What calling needs of its run. */
export interface StateCallerDeps {
  readonly environment: RunEnvironment;
  /** Takes states with `parallel: True`, and gives what stands for their results meanwhile. */
  readonly parallel: { start(state: BoundState, ctx: ModuleContext): Dict };
  /** States are not called, only said to be. */
  readonly isMocked: boolean;
  /** The next `__run_num__`. */
  readonly nextNumber: () => number;
}

/** A state function with its arguments. */
export interface BoundState {
  readonly full: string;
  readonly spec: FunctionSpec;
  readonly bound: StateArguments;
  readonly low: Dict;
}

/** Calls states of one run. */
export class StateCaller {
  readonly #deps: StateCallerDeps;
  #conditions: Dict | undefined;

  constructor(deps: StateCallerDeps) {
    this.#deps = deps;
  }

  /**
   * Calls a state. A chunk with `__prereq__` is called in test mode, and its result has no number.
   * @param chunks all of the run
   * @param running the results so far
   */
  async call(low: Dict, chunks: readonly Dict[], running: Dict, attempt = 1): Promise<Dict> {
    const { environment, nextNumber } = this.#deps;
    const { clock, log } = environment.job;
    const watch = new StopWatch(clock);
    log.info(`Running state [${strip(textIn(low, 'name'))}] at time ${watch.startTime}`);
    const errors = await verifyLow(low, await environment.states());
    if (errors.length > 0) {
      const refused = failedResult(low.get('name') ?? null, errors.map((error) => `${error}\n`).join(''));
      refused.set('__run_num__', nextNumber());
      logResult(refused, log);
      await environment.refreshAfter(low, refused);
      return refused;
    }
    const result = unified(await this.#execute(low, chunks, running));
    if (truthy(low.get('__prereq__'))) {
      low.set('__prereq__', false);
      return result;
    }
    result.set('__sls__', low.get('__sls__') ?? null);
    result.set('__run_num__', nextNumber());
    logResult(result, log);
    await environment.refreshAfter(low, result);
    result.set('start_time', watch.startTime);
    result.set('duration', durationOf(watch.read()));
    result.set('__id__', low.get('__id__') ?? null);
    log.info(
      `Completed state [${strip(textIn(low, 'name'))}] at time ${timeOfDay(clock.nowMs())} (duration_in_ms=${watch.read().toFixed(3)})`,
    );
    if (!low.has('retry') || low.has('parallel')) return result;
    return this.#tryAgain({ low, chunks, running, attempt, result });
  }

  async #execute(low: Dict, chunks: readonly Dict[], running: Dict): Promise<Value> {
    const { environment } = this.#deps;
    if (!truthy(low.get('__prereq__')))
      environment.job.log.info(
        `Executing state ${textIn(low, 'state')}.${textIn(low, 'fun')} for [${strip(textIn(low, 'name'))}]`,
      );
    const full = `${textIn(low, 'state')}.${textIn(low, 'fun')}`;
    environment.job.services.showStep?.(
      `state ${running.size + 1} of ${chunks.length}: ${full} ${strip(textIn(low, 'name'))}`,
    );
    const { spec } = await (await environment.states()).find(full);
    if (spec === undefined) throw new Error(`${full} has been verified`);
    const bound = boundOrRefused(full, spec, low);
    // Salt compat: Salt ends the whole run there, and says nothing of what it has done until then
    if (typeof bound === 'string') {
      const refused = failedResult(low.get('name') ?? null, bound);
      return low.has('watch') || low.has('watch_any') ? refused.set('skip_watch', true) : refused;
    }
    const state = { full, spec, low, bound };
    const test = environment.isTest || truthy(low.get('__prereq__'));
    const ctx = await environment.forState({ test, low, lowstate: chunks, running });
    try {
      const result = await this.#run(state, ctx);
      return isDict(result) ? await this.#checked(state, result, ctx) : result;
    } catch (error) {
      return thrownResult(state, error, ctx);
    }
  }

  async #run(state: BoundState, ctx: ModuleContext): Promise<Value> {
    const { low } = state;
    const left = await this.#leftOut(low, ctx);
    if (left !== undefined) return left;
    if (this.#deps.isMocked) {
      const name = nameOfCall(state.spec, state.bound, low);
      return dict({ name, comment: 'Not called, mocked', changes: {}, result: true });
    }
    const unmet = await this.#unmetConditions(state);
    if (unmet !== undefined) return unmet;
    if (!truthy(low.get('__prereq__')) && truthy(low.get('parallel')))
      return this.#deps.parallel.start(state, ctx);
    return withUmask(toNumber(low.get('__umask__')), () => runState(state, ctx));
  }

  /** The result of a state that its conditions leave out. */
  async #leftOut(low: Dict, ctx: ModuleContext): Promise<Dict | undefined> {
    if (!['unless', 'onlyif', 'creates'].some((condition) => low.has(condition))) return undefined;
    const states = await this.#deps.environment.states();
    if ((await states.find(`${textIn(low, 'state')}.mod_run_check`)).spec !== undefined) return undefined;
    const fields = await checkConditions(low, ctx);
    if (fields.get('result') !== true) return undefined;
    const result = failedResult(low.get('name') ?? null, '');
    for (const [key, value] of fields) result.set(key, value);
    return result;
  }

  /** The option `global_state_conditions`: the result of a state that none of its conditions allows. */
  async #unmetConditions({ full, low }: BoundState): Promise<Dict | undefined> {
    const { functions, log } = this.#deps.environment.context;
    if (this.#conditions === undefined) {
      const given = await functions.call('config.option', ['global_state_conditions']);
      this.#conditions = isDict(given) ? given : new Map();
    }
    const allowed: boolean[] = [];
    for (const [pattern, conditions] of this.#conditions) {
      if (!['*', full, low.get('state')].includes(pyStr(pattern))) continue;
      const list =
        typeof conditions === 'string' ? [conditions] : Array.isArray(conditions) ? conditions : [];
      for (const condition of list) allowed.push(truthy(await functions.call('match.compound', [condition])));
    }
    if (allowed.length === 0 || allowed.includes(true)) return undefined;
    log.info(`Failed to meet global state conditions. State '${textIn(low, 'name')}' not called.`);
    return dict({
      name: low.get('name') ?? null,
      comment: 'Failed to meet global state conditions. State not called.',
      changes: {},
      result: null,
    });
  }

  /** A result after `check_cmd`, unless the state function does that itself. */
  async #checked({ low, spec }: BoundState, result: Dict, ctx: ModuleContext): Promise<Dict> {
    if (!low.has('check_cmd')) return result;
    const states = await this.#deps.environment.states();
    const own = (await states.find(`${textIn(low, 'state')}.mod_run_check_cmd`)).spec;
    if (own !== undefined && Object.hasOwn(spec.params ?? {}, 'check_cmd')) return result;
    for (const [key, value] of await checkCommands(low, ctx)) result.set(key, value);
    return result;
  }

  async #tryAgain(done: {
    readonly low: Dict;
    readonly chunks: readonly Dict[];
    readonly running: Dict;
    readonly attempt: number;
    readonly result: Dict;
  }): Promise<Dict> {
    const { low, chunks, running, attempt, result } = done;
    const { environment } = this.#deps;
    const { log, random } = environment.job;
    const retry = readRetry(low.get('retry') ?? null, log);
    if (environment.isTest) {
      const comment = pyStr(result.get('comment') ?? '');
      return result.set('comment', [comment, retrySentence(retry)].join('  '));
    }
    if (retry.until === result.get('result') || retry.attempts <= attempt) return result;
    const seconds = pauseOf(retry, random);
    log.info(`State result does not match retry until value, state will be re-run in ${seconds} seconds`);
    await environment.context.functions.call('test.sleep', [seconds]);
    const next = await this.call(low, chunks, running, attempt + 1);
    next.set('comment', `${attemptLine(attempt, result)}\n${pyStr(next.get('comment') ?? '')}`);
    const spent = [next, result].map((each) => toNumber(each.get('duration')) ?? 0);
    next.set('duration', durationOf(spent.reduce((sum, ms) => sum + ms, seconds * 1000)));
    if (attempt === 1) next.set('start_time', result.get('start_time') ?? null);
    return next;
  }
}

/** The arguments of a state, or the sentence about those that its function does not take. */
function boundOrRefused(full: string, spec: FunctionSpec, low: Dict): StateArguments | string {
  try {
    return bindState(full, spec, low);
  } catch (error) {
    if (error instanceof SaltInvocationError) return error.message;
    throw error;
  }
}

/** Runs the function of a state, with its slots filled. @throws whatever it throws */
export async function runState({ full, spec, bound }: BoundState, ctx: ModuleContext): Promise<Value> {
  const args = Object.create(null) as Record<string, Value>;
  for (const [name, value] of Object.entries(bound.args)) args[name] = await fillSlots(value, ctx);
  const kwargs: Dict = new Map();
  for (const [key, value] of bound.kwargs) kwargs.set(key, await fillSlots(value, ctx));
  // before anything is looked at, so that test mode refuses what the functions of the run would refuse
  checkWords(full, spec.words, { args, rest: [], kwargs });
  return spec.run(ctx, args, [], kwargs);
}

/** The result of a state that has thrown. */
export function thrownResult({ spec, bound, low }: BoundState, error: unknown, ctx: ModuleContext): Dict {
  // Salt compat: there, what is wrong with arguments is the last line of a traceback
  if (error instanceof DiskRefusesError || error instanceof SaltInvocationError)
    return failedResult(nameOfCall(spec, bound, low), error.message);
  const trace = exceptionText(error, ctx);
  ctx.log.debug(`An exception occurred in this state: ${trace}`, error);
  return failedResult(nameOfCall(spec, bound, low), `An exception occurred in this state: ${trace}`);
}
