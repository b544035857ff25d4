/** `salt.state`: states on minions as a step of an orchestration (3006.16 salt/states/saltmod.py `state`). */
import { pyInt } from '../../../python/conversions.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, pyTypeName, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { isGoodRun } from '../../../runtime/state/check-result.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import {
  failedMinions,
  jobIn,
  jobParams,
  NO_SSH,
  patienceParams,
  readExcused,
  runOnMinions,
  type Excused,
} from './orchestration.ts';

const PASSED_ON = ['pillarenv', 'saltenv', 'exclude'] as const;

/** What is run on the minions. */
interface StateCommand {
  readonly fun: string;
  readonly arg: Value[];
}

/** Highstate before `top`, and that before `sls`; undefined when nothing is named. */
function commandOf(highstate: Value, top: Value, sls: Value): StateCommand | undefined {
  if (truthy(highstate)) return { fun: 'state.highstate', arg: [] };
  if (truthy(top)) return { fun: 'state.top', arg: [top] };
  if (!truthy(sls)) return undefined;
  return { fun: 'state.sls', arg: [Array.isArray(sls) ? joined(sls) : sls] };
}

/** Python's `','.join(names)`. @throws PythonError `TypeError` for what is no text */
function joined(names: readonly Value[]): string {
  return names
    .map((name, at) => {
      if (typeof name === 'string') return name;
      throw new PythonError(
        'TypeError',
        `sequence item ${at}: expected str instance, ${pyTypeName(name)} found`,
      );
    })
    .join(',');
}

/** How many minions may fail; undefined for what is no number. */
function readAllowed(given: Value): number | undefined {
  try {
    return Number(pyInt(given));
  } catch (error) {
    if (error instanceof PythonError && error.type === 'ValueError') return undefined;
    throw error;
  }
}

/**
 * What came of it: the results of the minions that changed or failed, those that failed, and those that stayed as they
 * were.
 */
interface Sorted {
  readonly changes: Dict;
  readonly failed: readonly string[];
  readonly unchanged: readonly string[];
}

function sortReturns(ctx: StateContext, returns: Dict, excused: Excused): Sorted {
  const changes: Dict = new Map();
  const failed: string[] = [];
  const unchanged: string[] = [];
  for (const [minion, entry] of returns) {
    if (!isDict(entry)) continue;
    if (entry.get('out') !== 'highstate' && !truthy(entry.get('failed')))
      ctx.log.warning('Output from salt state not highstate');
    const ret = truthy(entry.get('failed')) ? false : (entry.get('ret') ?? entry.get('return') ?? false);
    if (!isGoodRun(ret, undefined, true)) {
      if (!excused.minions.includes(minion)) failed.push(pyStr(minion));
      changes.set(minion, ret);
    } else if (isDict(ret) && [...ret.values()].some((one) => isDict(one) && truthy(one.get('changes'))))
      changes.set(minion, ret);
    else unchanged.push(pyStr(minion));
  }
  return { changes, failed, unchanged };
}

/** Sentences about a step that did not fail. */
function successText({ changes, unchanged }: Sorted): string {
  const updated = changes.size > 0 ? ` Updating ${[...changes.keys()].map(pyStr).join(', ')}.` : '';
  const same = unchanged.length > 0 ? ` No changes made to ${unchanged.join(', ')}.` : '';
  return `States ran successfully.${updated}${same}`;
}

/** The keywords for the minions' function, in Salt's order. */
function keywordsFor(
  ctx: StateContext,
  args: Readonly<Record<(typeof PASSED_ON)[number] | 'test' | 'pillar' | 'queue' | 'concurrent', Value>>,
): Dict {
  const kwarg: Dict = new Map();
  const test = args.test ?? ctx.opts.get('test') ?? null;
  if (args.test !== null || truthy(test)) kwarg.set('test', test);
  if (truthy(args.pillar)) kwarg.set('pillar', args.pillar);
  for (const key of PASSED_ON) if (args[key] !== null) kwarg.set(key, args[key]);
  return kwarg.set('queue', args.queue).set('concurrent', args.concurrent);
}

/** On a minion without a master its own functions run the states, whatever the target. */
async function runHere(ctx: StateContext, { fun, arg }: StateCommand, kwarg: Dict): Promise<Dict> {
  const named: Dict = new Map(kwarg);
  const [what] = arg;
  if (what !== undefined) named.set(fun === 'state.top' ? 'topfn' : 'mods', what);
  const ret = await ctx.functions.call(fun, [], named);
  return new Map([[ctx.id, dict({ ret, out: (isDict(ret) && ret.get('out')) || 'highstate' })]]);
}

/** The state `salt.state`. */
export const state = defineState({
  doc: 'Runs states on minions: SLS that are named, a top file, or the highstate.',
  params: {
    name: param.text({ doc: 'Any name for the step.' }),
    ...jobParams,
    highstate: param.value({ default: null, type: 'bool', doc: 'Run the highstate.' }),
    sls: param.value({ default: null, type: 'str or list', doc: 'Names of SLS.' }),
    top: param.value({ default: null, type: 'str', doc: 'The name of a top file.' }),
    saltenv: param.value({ default: null, type: 'str', doc: 'The environment of the SLS.' }),
    test: param.value({ default: null, type: 'bool', doc: 'Change nothing on the minions.' }),
    pillar: param.value({ default: null, type: 'dict', doc: 'Merged over the pillar of the minions.' }),
    pillarenv: param.value({ default: null, type: 'str', doc: 'The environment of their pillar.' }),
    expect_minions: param.value({
      default: true,
      type: 'bool',
      doc: 'A minion that does not return has failed.',
    }),
    exclude: param.value({ default: null, type: 'str or list', doc: 'SLS to leave out.' }),
    fail_minions: param.by(readExcused, {
      default: null,
      type: 'str or list',
      doc: 'Minions that may fail.',
    }),
    allow_fail: param.by(readAllowed, { default: 0, type: 'int', doc: 'How many minions may fail.' }),
    concurrent: param.value({ default: false, type: 'bool', doc: 'Run beside other state runs. Dangerous.' }),
    timeout: patienceParams.timeout,
    batch: patienceParams.batch,
    queue: param.value({ default: false, type: 'bool or int', doc: 'Wait for other state runs.' }),
    subset: patienceParams.subset,
    orchestration_jid: param.value({ default: null, type: 'str', doc: 'Has no effect.' }),
    failhard: patienceParams.failhard,
  },
  kwargs: 'kwargs',
  run: async (ctx, args) => {
    const { name, fail_minions, allow_fail, test } = args;
    const result = dict({ name, changes: {}, comment: '', result: true });
    const refuse = (comment: string): Dict => result.set('result', false).set('comment', comment);
    if (allow_fail === undefined) return refuse("Passed invalid value for 'allow_fail', must be an int");
    const command = commandOf(args.highstate, args.top, args.sls);
    if (command === undefined) return refuse('No highstate or sls specified, no execution made');
    if (typeof args.concurrent !== 'boolean') return refuse("Must pass in boolean for value of 'concurrent'");
    if (args.ssh) return refuse(NO_SSH);
    const kwarg = keywordsFor(ctx, args);
    const isAlone = ctx.master === undefined && ctx.opts.get('file_client') === 'local';
    const step = { ...command, type: 'state', name, kwarg, given: args } as const;
    const returns = isAlone
      ? await runHere(ctx, command, kwarg)
      : await runOnMinions(ctx, { ...step, expectMinions: args.expect_minions });
    const jid = jobIn(returns);
    if (jid !== undefined) result.set('__jid__', jid);
    if (fail_minions.warning !== undefined) result.set('warnings', [fail_minions.warning]);
    if (returns.size === 0 && truthy(args.expect_minions)) return refuse('No minions returned');
    const sorted = sortReturns(ctx, returns, fail_minions);
    const { changes, failed } = sorted;
    if (changes.size > 0) result.set('changes', dict({ out: 'highstate', ret: changes }));
    if (failed.length > allow_fail) return refuse(`Run failed on minions: ${failedMinions(failed, returns)}`);
    result.set('comment', successText(sorted));
    if ((truthy(test) || truthy(ctx.opts.get('test'))) && changes.size > 0) result.set('result', null);
    return result;
  },
});
