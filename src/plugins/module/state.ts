/** `module`: execution functions as states (3006.16 salt/states/module.py). */
import { ArgumentError, messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { functionArguments } from './state/call-function.ts';
import { runLegacy } from './state/legacy.ts';
import { resultOf } from './state/result.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** Keywords that say nothing about the form. */
const IGNORED = new Set<Value>(['name', '__reqs__', 'sfun']);

/** What came of one function of a list. */
type Called =
  | { readonly failed: string }
  | { readonly failed?: undefined; readonly comment: string; readonly value: Value }
  | undefined;

/** The name of a function without the label that tells several calls apart (`test.echo:second`). */
const functionName = (labelled: string): string => labelled.split(':')[0] ?? '';

function isPythonTypeError(error: unknown): boolean {
  return (
    error instanceof SaltInvocationError ||
    error instanceof ArgumentError ||
    (error instanceof PythonError && error.type === 'TypeError')
  );
}

async function callOne(ctx: StateContext, labelled: string, given: Value): Promise<Called> {
  const fun = functionName(labelled);
  const { spec } = await ctx.functions.find(fun);
  if (spec === undefined) return undefined;
  try {
    const { args, kwargs } = functionArguments(spec, given);
    const value = await ctx.functions.call(fun, args, kwargs);
    if (resultOf(value)) {
      const said = isDict(value) ? (value.get('comment') ?? 'Success') : value;
      return { comment: `${labelled}: ${pyStr(said)}`, value };
    }
    if (value === false) return { failed: `'${labelled}': False` };
    const why = isDict(value) ? (value.get('comment') ?? '(error message N/A)') : null;
    return { failed: `'${labelled}' failed: ${pyStr(why)}` };
  } catch (error) {
    if (!isPythonTypeError(error)) throw error;
    return { failed: `'${labelled}' failed: ${messageOf(error)}` };
  }
}

/** What is said instead of calling anything: functions that there are not, and test mode. */
async function announcement(
  ctx: StateContext,
  functions: readonly string[],
): Promise<{ readonly comment: string; readonly result: boolean | null } | undefined> {
  const missing: string[] = [];
  for (const fun of functions.map(functionName)) if (!(await ctx.functions.has(fun))) missing.push(fun);
  const tests = ctx.state.test ? functions.map(functionName).filter((fun) => !missing.includes(fun)) : [];
  if (missing.length + tests.length === 0) return undefined;
  // Salt compat: where a plural was meant, Salt writes `True`.
  const plural = (list: readonly string[]): string => (list.length > 1 ? 'True' : '');
  const parts = [
    missing.length > 0 ? `Unavailable function${plural(missing)}: ${missing.join(', ')}.` : '',
    tests.length > 0 ? `Function${plural(tests)} ${tests.join(', ')} to be executed.` : '',
  ];
  return { comment: parts.join(' ').trim(), result: missing.length > 0 ? false : null };
}

/** Functions with their arguments in lists below their names. */
async function runList(ctx: StateContext, given: Dict): Promise<StateResult> {
  const keys = [...given.keys()].filter((key) => key !== 'name');
  const functions = keys.map(pyStr).filter((key) => key.includes('.'));
  const state = { name: keys, changes: dict() };
  if (functions.length === 0) return { ...state, comment: 'No function provided.', result: false };
  const announced = await announcement(ctx, functions);
  if (announced !== undefined) return { ...state, ...announced };
  const failures: string[] = [];
  const successes: string[] = [];
  for (const fun of functions) {
    const called = await callOne(ctx, fun, given.get(fun) ?? null);
    if (called === undefined) continue;
    if (called.failed !== undefined) failures.push(called.failed);
    else {
      successes.push(called.comment);
      state.changes.set(fun, called.value);
    }
  }
  return { ...state, comment: [...failures, ...successes].join(', '), result: failures.length === 0 };
}

const run = defineState({
  doc: 'Calls execution functions: `- test.echo: [text]`, or in the older form the function as `name` with its arguments beside it.',
  params: {},
  kwargs: 'kwargs',
  examples: ['- test.echo: [hello]', '- file.touch: [{name: /tmp/x}]'],
  run: (ctx, _args, kwargs) => {
    // Salt compat: Salt also hands the result to the returner that `returner` names.
    if (truthy(kwargs.get('returner')))
      ctx.log.warning(
        `module.run does not hand results to returners; 'returner' of '${pyStr(ctx.state.low.get('__id__') ?? null)}' is ignored`,
      );
    const keys = [...kwargs.keys()].filter((key) => !IGNORED.has(key));
    const isLegacy = keys.some((key) => !pyStr(key).includes('.')) || (keys.length === 0 && kwargs.size > 0);
    const form = isLegacy ? 'Detected legacy module.run syntax' : 'Using new style module.run syntax';
    ctx.log.debug(`${form}: ${pyStr(ctx.state.low.get('__id__') ?? null)}`);
    if (!isLegacy) return runList(ctx, kwargs);
    const { name, rest } = splitName(kwargs);
    return runLegacy(ctx, name, rest);
  },
});

function splitName(kwargs: Dict): { name: Value; rest: Dict } {
  const rest = new Map(kwargs);
  rest.delete('name');
  return { name: kwargs.get('name') ?? null, rest };
}

const wait = defineState({
  doc: 'Calls a function only when a watched state has changed something.',
  params: { name: param.text({ doc: 'The function.' }) },
  kwargs: 'kwargs',
  run: (_ctx, args) => outcome(args.name, true, ''),
});

/** The states of `module`. */
export const moduleStates = defineModule({
  name: 'module',
  file: 'module',
  doc: 'Calls execution functions from states.',
  functions: { run, wait, watch: wait, mod_watch: run },
});
