/** `loop`: waiting until an execution function gives what is waited for (3006.16 salt/states/loop.py). */
import { PythonError } from '../../python/exceptions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, isFloat, isInt, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { thrownException } from '../../runtime/loader/execute.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { comparatorNamed, type Comparator } from './state/comparators.ts';
import { isMet, pythonOf } from './state/condition.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const SECOND_MS = 1000;

const asGiven = (value: Value): Value => value;

/** A value as it was given, and as comments write it. */
const withText = (given: Value): { readonly given: Value; readonly text: string } => ({
  given,
  text: pyStr(given),
});

/** Milliseconds of a number of seconds, as Python tells numbers; undefined for what is none. */
function milliseconds(seconds: Value): number | undefined {
  if (typeof seconds === 'boolean') return Number(seconds) * SECOND_MS;
  if (!isInt(seconds) && !isFloat(seconds)) return undefined;
  return (toNumber(seconds) ?? 0) * SECOND_MS;
}

/** How long to wait before the first call, in milliseconds; what is no number is no time. */
const waitMs = (seconds: Value): number => milliseconds(seconds) ?? 0;

const TIMES = {
  period: param.by(asGiven, { type: 'float', default: 1, doc: 'Seconds between two calls.' }),
  timeout: param.by(asGiven, { type: 'float', default: 60, doc: 'Seconds after which it is given up.' }),
} as const;

const PERIOD = 'Period must be specified as a float in seconds';
const TIMEOUT = 'Timeout must be specified as a float in seconds';

/** What Python makes of `*args`. */
const listOf = (args: Value): Value[] => {
  if (Array.isArray(args)) return [...(args as readonly Value[])];
  if (typeof args === 'string') return [...args];
  return isDict(args) ? [...args.keys()] : [];
};
const dictOf = (kwargs: Value): Dict => (isDict(kwargs) ? kwargs : dict());

async function pause(ctx: StateContext, durationMs: number): Promise<void> {
  if (durationMs < 0) throw new PythonError('ValueError', 'sleep length must be non-negative');
  await ctx.clock.sleep(durationMs, ctx.signal);
}

/** Tries until the time is over. @returns what an attempt has come to, undefined when the time was over before */
async function repeat<T>(
  ctx: StateContext,
  { periodMs, timeoutMs }: { readonly periodMs: number; readonly timeoutMs: number },
  attempt: (number: number) => Promise<T | undefined>,
): Promise<{ readonly attempts: number; readonly outcome: T | undefined }> {
  const endMs = ctx.clock.nowMs() + timeoutMs;
  let attempts = 0;
  while (ctx.clock.nowMs() < endMs) {
    attempts++;
    const made = await attempt(attempts);
    if (made !== undefined) return { attempts, outcome: made };
    await pause(ctx, periodMs);
  }
  return { attempts, outcome: undefined };
}

const until = defineState({
  doc: 'Calls an execution function until an expression of Python is true of what it gives.',
  params: {
    name: param.text({ doc: 'The function.' }),
    m_args: param.by(asGiven, { type: 'list', default: null, doc: 'Its arguments.' }),
    m_kwargs: param.by(asGiven, { type: 'dict', default: null, doc: 'Its arguments by name.' }),
    condition: param.by(withText, {
      type: 'str',
      default: null,
      doc: 'The expression, in which m_ret is what the function has given.',
    }),
    ...TIMES,
  },
  run: async (ctx, { name, m_args, m_kwargs, condition, period, timeout }) => {
    if (!(await ctx.functions.has(name))) return failure(name, `Cannot find module ${name}`);
    if (condition.given === null) return failure(name, 'An exit condition must be specified');
    const periodMs = milliseconds(period);
    if (periodMs === undefined) return failure(name, PERIOD);
    const timeoutMs = milliseconds(timeout);
    if (timeoutMs === undefined) return failure(name, TIMEOUT);
    if (ctx.state.test) return outcome(name, null, `The execution module ${name} will be run`);
    const python = pythonOf(ctx);
    if (python === undefined)
      return failure(
        name,
        `The condition ${condition.text} is an expression of Python, and this minion has no Python. ` +
          'Install python3, or use loop.until_no_eval, which does without.',
      );
    const [args, kwargs] = [listOf(m_args), dictOf(m_kwargs)];
    const { outcome: met } = await repeat(ctx, { periodMs, timeoutMs }, async () => {
      const m_ret = await ctx.functions.call(name, args, kwargs);
      const names = dict({ m_ret, name, m_args: args, m_kwargs: kwargs, period, timeout });
      return (await isMet(ctx, python, condition.given, names)) || undefined;
    });
    if (met === undefined) return failure(name, `Timed out while waiting for condition ${condition.text}`);
    return outcome(name, true, `Condition ${condition.text} was met`);
  },
});

/** What hinders `until_no_eval` from calling anything, or how it compares, and when. */
async function plan(
  ctx: StateContext,
  name: string,
  operator: string,
  period: Value,
  timeout: Value,
): Promise<
  string | { readonly comparator: Comparator; readonly periodMs: number; readonly timeoutMs: number }
> {
  if (!(await ctx.functions.has(name))) return `Module.function "${name}" is unavailable.`;
  const periodMs = milliseconds(period);
  if (periodMs === undefined) return PERIOD;
  const timeoutMs = milliseconds(timeout);
  if (timeoutMs === undefined) return TIMEOUT;
  const comparator = await comparatorNamed(ctx, operator);
  return comparator === undefined
    ? `Invalid operator "${operator}" supplied.`
    : { comparator, periodMs, timeoutMs };
}

const untilNoEval = defineState({
  doc: 'Calls an execution function until it gives what is expected.',
  params: {
    name: param.text({ doc: 'The function.' }),
    expected: param.by(withText, { doc: 'What is expected.' }),
    compare_operator: param.text({
      default: 'eq',
      doc: 'How both are compared: lt, le, eq, ne, ge, gt, contains, data.subdict_match, or an execution function that is given both.',
    }),
    timeout: TIMES.timeout,
    period: TIMES.period,
    init_wait: param.by(waitMs, { type: 'float', default: 0, doc: 'Seconds before the first call.' }),
    args: param.by(asGiven, { type: 'list', default: null, doc: 'The function’s arguments.' }),
    kwargs: param.by(asGiven, { type: 'dict', default: null, doc: 'Its arguments by name.' }),
  },
  run: async (ctx, { name, expected, compare_operator, timeout, period, init_wait, args, kwargs }) => {
    const said = (result: boolean | null, comment: string): StateResult => ({
      name,
      comment,
      changes: dict(),
      result,
    });
    if (ctx.state.test) return said(null, `Would have waited for "${name}" to produce "${expected.text}".`);
    const planned = await plan(ctx, name, compare_operator, period, timeout);
    if (typeof planned === 'string') return said(false, planned);
    if (init_wait !== 0) await pause(ctx, init_wait);
    const { attempts, outcome: ended } = await repeat(ctx, planned, async (number) => {
      let given: Value;
      try {
        given = await ctx.functions.call(name, listOf(args), dictOf(kwargs));
      } catch (error) {
        const { type, message } = thrownException(error);
        return said(false, `Exception occurred while executing ${name}: <class '${type}'>:${message}`);
      }
      return (await planned.comparator(given, expected.given))
        ? said(true, `Call provided the expected results in ${number} attempts`)
        : undefined;
    });
    return ended ?? said(false, `Call did not produce the expected result after ${attempts} attempts`);
  },
});

/** The states of `loop`. */
export const loopStates = defineModule({
  name: 'loop',
  file: 'loop',
  doc: 'Waiting until an execution function gives what is waited for.',
  functions: { until, until_no_eval: untilNoEval },
});
