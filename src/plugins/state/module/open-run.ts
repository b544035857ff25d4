/** A state run from the keywords of its function to its return code (salt/modules/state.py, 3006.16). */
import { readFileSync } from 'node:fs';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { isTrue } from '../../../python/conversions.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { freshPillar } from '../../../runtime/pillar/fresh.ts';
import { isGoodRun } from '../../../runtime/state/check-result.ts';
import type { StateCompiler } from '../../../runtime/state/compile.ts';
import type { Compiled } from '../../../runtime/state/compiled.ts';
import { RunEnvironment } from '../../../runtime/state/run-environment.ts';
import { StateRun } from '../../../runtime/state/run.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import { COMPILER_ERROR, PILLAR_FAILURE, STATE_FAILURE } from './codes.ts';
import { prepareRun, type PreparedRun } from './prepare.ts';
import { optionText } from '../../shared/settings.ts';

/** A run that can begin. */
export interface OpenRun extends PreparedRun {
  readonly ctx: ModuleContext;
  readonly kwargs: Dict;
}

/** What comes before a run. */
export interface OpenOptions {
  /** The parameters `test` and `state_events` of the function. */
  readonly test?: Value;
  readonly stateEvents?: Value;
  /** The environment where none is configured or named. */
  readonly saltenv?: string;
}

/**
 * Prepares a run.
 * @throws SaltInvocationError, CommandExecutionError, see {@link prepareRun}
 */
export async function openRun(ctx: ModuleContext, kwargs: Dict, options: OpenOptions = {}): Promise<OpenRun> {
  const opts = localOptions(kwargs);
  opts.set('test', await testValue(ctx, options.test ?? null, kwargs));
  if ((options.stateEvents ?? null) !== null) opts.set('state_events', options.stateEvents ?? null);
  const { saltenv } = options;
  const prepared = await prepareRun(ctx, kwargs, { opts, ...(saltenv === undefined ? {} : { saltenv }) });
  return { ...prepared, ctx, kwargs };
}

/** `localconfig`: a minion's configuration file that holds for this run. */
function localOptions(kwargs: Dict): Dict {
  const path = kwargs.get('localconfig');
  if (!truthy(path)) return new Map();
  try {
    const read = loadYaml(readFileSync(pyStr(path ?? null), 'utf8'));
    return isDict(read) ? read : new Map();
  } catch (error) {
    throw new CommandExecutionError(`localconfig=${pyStr(path ?? null)} cannot be used: ${messageOf(error)}`);
  }
}

/** Whether a run only tells what it would do (salt/modules/state.py `_get_test_value`). */
async function testValue(ctx: ModuleContext, test: Value, kwargs: Dict): Promise<Value> {
  if (test !== null) return test !== false;
  if ([...kwargs].some(([key, value]) => pyStr(key).toLowerCase() === 'test' && isTrue(value))) return true;
  const configured = await ctx.functions.call('config.get', ['test'], { omit_opts: true });
  return configured === true ? true : (ctx.opts.get('test') ?? null);
}

/** The return for a pillar with errors; undefined for a good one. */
export function pillarRefusal({ ctx, pillarErrors }: OpenRun): Value[] | undefined {
  if (pillarErrors.length === 0) return undefined;
  ctx.setRetcode(PILLAR_FAILURE);
  return ['Pillar failed to render with the following messages:', ...pillarErrors];
}

/** The errors of a compilation as the return of a run. */
export function refused(ctx: ModuleContext, errors: readonly string[]): Value[] {
  ctx.setRetcode(COMPILER_ERROR);
  return [...errors];
}

/** Makes the run itself. @param jid by which it can be halted, and which its events name */
export async function startRun(open: OpenRun, jid?: string): Promise<StateRun> {
  const { ctx, compiler, pillar, kwargs } = open;
  const opts = await compiler.options();
  const override = kwargs.get('pillar') ?? null;
  const environment = new RunEnvironment({
    ...{ job: { ...ctx, services: compiler.ahead.services }, opts, pillar },
    makePillar: () => freshPillar({ ...ctx, opts }, { override }),
  });
  const isOrchestration = (kwargs.get('orchestration_jid') ?? null) !== null;
  return new StateRun({
    ...{ environment, jid, isMocked: truthy(kwargs.get('mock')) },
    ahead: compiler.ahead,
    includes: compiler.includes,
    steps: isOrchestration ? ctx.master?.steps : undefined,
  });
}

/** Runs high data, which is changed by it. @returns the results by tag, or a list of errors */
export async function runHigh(
  open: OpenRun,
  high: Dict,
  compiler: StateCompiler = open.compiler,
): Promise<Value> {
  const orchestration = open.kwargs.get('orchestration_jid') ?? null;
  const low: Compiled<readonly Dict[]> = await compiler.low(
    high,
    orchestration === null ? undefined : pyStr(orchestration),
  );
  if (low.errors.length > 0) return [...low.errors];
  const run = await startRun({ ...open, compiler }, jobOf(open.kwargs));
  return run.callAll([...low.data]);
}

/** The job that a published function belongs to. */
function jobOf(kwargs: Dict): string | undefined {
  const jid = kwargs.get('__pub_jid') ?? null;
  return jid === null ? undefined : pyStr(jid);
}

/** Sets the return code by what a run has given. @param high the high data, for its `onfail` handlers */
export function setRetcode(ctx: ModuleContext, ret: Value, high?: Dict): void {
  if (Array.isArray(ret)) ctx.setRetcode(COMPILER_ERROR);
  else ctx.setRetcode(isGoodRun(ret, high) ? 0 : STATE_FAILURE);
}

/** `terse`, or the option `state_data: terse`: only what failed or changed. */
export async function pruned(ctx: ModuleContext, ret: Value, kwargs: Dict): Promise<Value> {
  if (!isDict(ret)) return ret;
  const isTerse = truthy(kwargs.get('terse')) || (await optionText(ctx, ['state_data', ''])) === 'terse';
  if (!isTerse) return ret;
  return new Map(
    [...ret].filter(
      ([, result]) => !isDict(result) || !truthy(result.get('result')) || truthy(result.get('changes')),
    ),
  );
}
