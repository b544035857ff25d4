/**
 * `salt.function`: an execution function on minions as a step of an orchestration (3006.16 salt/states/saltmod.py
 * `function`).
 */
import { messageOf } from '../../../errors/errors.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { strip } from '../../../python/values/text.ts';
import { dict, isDict, pyTypeName, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import {
  failedMinions,
  hasReturned,
  jobIn,
  jobParams,
  NO_SSH,
  patienceParams,
  readExcused,
  runOnMinions,
  type Excused,
} from './orchestration.ts';

const AS_LIST = "Please specify 'arg' as a list of arguments.";

/** Python's `text.split()`. */
function wordsOf(text: string): string[] {
  const stripped = strip(text);
  return stripped === '' ? [] : stripped.split(/\s+/);
}

/** What came of it: the values of the minions, and those that failed. */
interface Sorted {
  readonly changes: Dict;
  readonly failed: readonly string[];
}

/** Salt compat: a return code fails a step also where the minion is one that may fail. */
async function sortReturns(
  ctx: StateContext,
  returns: Dict,
  { excused, failFunction }: { readonly excused: Excused; readonly failFunction: string | undefined },
): Promise<Sorted> {
  const changes: Dict = new Map();
  const failed = new Set<string>();
  for (const [minion, entry] of returns) {
    if (!isDict(entry)) continue;
    if (truthy(entry.get('retcode'))) failed.add(pyStr(minion));
    const ret = truthy(entry.get('failed')) ? false : returned(entry);
    const isGood =
      ret !== false && (failFunction === undefined || truthy(await ctx.functions.call(failFunction, [ret])));
    if (!isGood && !excused.minions.includes(minion)) failed.add(pyStr(minion));
    changes.set(minion, ret);
  }
  return { changes, failed: [...failed] };
}

/** @throws PythonError `KeyError` for an entry without a return */
function returned(entry: Dict): Value {
  const ret = entry.get('ret') ?? entry.get('return');
  if (ret === undefined) throw new PythonError('KeyError', "'ret'");
  return ret;
}

const isIterable = (value: Value): boolean => Array.isArray(value) || isDict(value);

/** The state `salt.function`. */
export const functionState = defineState({
  doc: 'Runs an execution function on minions.',
  params: {
    name: param.text({ doc: 'Full name of the function.' }),
    ...jobParams,
    expect_minions: param.value({
      default: false,
      type: 'bool',
      doc: 'A minion that does not return has failed.',
    }),
    fail_minions: param.by(readExcused, {
      default: null,
      type: 'str or list',
      doc: 'Minions that may fail.',
    }),
    fail_function: param.textIfGiven({
      default: null,
      doc: 'An execution function that is called on the master with each return: what is false in Python is a failure.',
    }),
    arg: param.value({ default: null, type: 'list', doc: 'The positional arguments.' }),
    kwarg: param.mapping({ default: null, doc: 'The keywords.' }),
    ...patienceParams,
  },
  kwargs: 'kwargs',
  run: async (ctx, args) => {
    const { name, fail_minions, kwarg } = args;
    const result = dict({ name, changes: {}, comment: '', result: true });
    const warnings: Value[] = typeof args.arg === 'string' ? [AS_LIST] : [];
    const warn = (): Dict => (warnings.length > 0 ? result.set('warnings', warnings) : result);
    const refuse = (comment: string): Dict => warn().set('result', false).set('comment', comment);
    if (ctx.opts.get('test') === true)
      return warn()
        .set('comment', `Function ${name} would be executed on target ${pyStr(args.tgt)}`)
        .set('result', null);
    if (args.ssh) return refuse(NO_SSH);
    const given = typeof args.arg === 'string' ? wordsOf(args.arg) : truthy(args.arg) ? args.arg : [];
    if (!isIterable(given)) return refuse(`'${pyTypeName(given)}' object is not iterable`);
    const arg = isDict(given) ? [...given.keys()] : given;
    let returns: Dict;
    try {
      returns = await runOnMinions(ctx, {
        ...{ type: 'function', name, fun: name, arg, kwarg },
        given: args,
        expectMinions: args.expect_minions,
      });
    } catch (error) {
      return refuse(messageOf(error));
    }
    const jid = jobIn(returns);
    if (jid !== undefined) result.set('__jid__', jid);
    if (fail_minions.warning !== undefined) warnings.push(fail_minions.warning);
    if (returns.size === 0) return refuse('No minions responded');
    const sorted = await sortReturns(ctx, returns, {
      excused: fail_minions,
      failFunction: args.fail_function,
    });
    result.set('changes', dict({ ret: sorted.changes }));
    // Salt compat: Salt says it of minions that did not return, too
    const ids = [...sorted.changes.keys()].filter((id) => hasReturned(returns.get(id)));
    const ran = ids.length === 0 ? '' : ` Function ${name} ran on ${ids.map(pyStr).join(', ')}.`;
    if (sorted.failed.length > 0)
      return refuse(
        `Running function ${name} failed on minions: ${failedMinions(sorted.failed, returns, ran)}`,
      );
    return warn().set('comment', `Function ran successfully.${ran}`);
  },
});
