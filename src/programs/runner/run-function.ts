/**
 * One run of a function of the master: its two events, what it returns or how it failed, and its entry in the job cache
 * (salt/client/mixins.py `low`, 3006.16).
 */
import { notPermitted } from '../../host/not-permitted.ts';
import { ArgumentError, BrineError, SaltInvocationError, messageOf } from '../../errors/errors.ts';
import { isoStamp } from '../../network/events/framing.ts';
import {
  RunnerRefusal,
  type MasterFunctionKind,
  type RunnerContext,
  type RunnerSpec,
  type Shortfall,
} from '../../plugins/shared/runner/runner.ts';
import { describeOsError, formatTraceback, PythonError } from '../../python/exceptions.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { ClientError } from '../../runtime/client/errors.ts';
import { bindCall, type CallArguments } from '../../runtime/loader/bind.ts';
import { isFailingReturn } from '../../runtime/loader/failing-returns.ts';
import { functionDoc } from '../../runtime/loader/documentation.ts';
import { isGoodRun } from '../../runtime/state/check-result.ts';
import { recordRun } from './record-run.ts';

/** What is to be run. */
export interface FunctionRun {
  readonly kind: MasterFunctionKind;
  /** `module.function` */
  readonly fun: string;
  readonly spec: RunnerSpec;
  readonly call: CallArguments;
  /** Why it cannot be called: it fails with this before it begins, and that is told and kept all the same. */
  readonly fault?: BrineError;
  /** Whether another program has asked for it, which waits for the event. */
  readonly isOrdered?: boolean;
}

/** The field of the `ret` event of a run that another program has asked for, when it fell short of what was asked. */
export const SHORTFALL_FIELD = 'shortfall';
/** Its value when the function did not take its arguments; the others are those of {@link Shortfall}. */
export const REFUSED_SHORTFALL = 'refused';

/** How a run ended. */
export interface MasterFunctionResult {
  /** What the `ret` event says, `return`, `success` and perhaps `retcode` among it. */
  readonly data: Dict;
  /** The sentence, when the function did not take its arguments. */
  readonly refused?: string;
  /** What was thrown, when it failed. */
  readonly error?: unknown;
  /** How it fell short of what was asked for, though it ended well. */
  readonly shortfall?: Shortfall;
}

/** The tag that the events of a run begin with. */
export function runTag(kind: MasterFunctionKind, jid: string): string {
  return kind === 'runner' ? `salt/run/${jid}` : `salt/wheel/${jid}`;
}

/**
 * Runs a function; never throws for what the function does.
 * @returns undefined when it was interrupted: nothing is told or kept then
 */
export async function runMasterFunction(
  context: RunnerContext,
  run: FunctionRun,
): Promise<MasterFunctionResult | undefined> {
  const { kind, fun, call, fault } = run;
  const { clock, log, opts, user, eauth, jid, signal } = context;
  const funArgs = [...call.positional, ...(call.keywords.size > 0 ? [call.keywords] : [])];
  const told = starrer(run.spec.isSecret);
  const data = dict({ fun: `${kind}.${fun}`, jid, user });
  const tag = runTag(kind, jid);
  if (fault === undefined) {
    data.set('fun_args', funArgs);
    // Salt compat: the job cache has the time of the first event
    if (await context.fire(`${tag}/new`, told(data))) data.set('_stamp', isoStamp(clock));
  } else data.set('_stamp', isoStamp(clock));
  const ended = await Promise.race([result(context, run), interruption(signal)]);
  if (ended === undefined || signal.aborted) return undefined;
  for (const [key, value] of ended.data) data.set(key, value);
  await recordRun({ opts, clock, log, eauth }, kind, told(data));
  const answer = isAnswer(run) ? told(data).set('return', data.get('return') ?? null) : told(data);
  await context.fire(`${tag}/ret`, withShortfall(answer, run, ended));
  return { ...ended, data };
}

/** For the program that has asked and cannot see how the run ended: its exit code goes by it. */
function withShortfall(answer: Dict, { isOrdered }: FunctionRun, ended: MasterFunctionResult): Dict {
  const shortfall = ended.refused === undefined ? ended.shortfall : REFUSED_SHORTFALL;
  if (isOrdered !== true || shortfall === undefined) return answer;
  return new Map(answer).set(SHORTFALL_FIELD, shortfall);
}

function isAnswer({ isOrdered, spec }: FunctionRun): boolean {
  return isOrdered === true && spec.isSecret === true && spec.answersByEvent === true;
}

const STARS = '***';

function starrer(isSecret: boolean | 'entirely' | undefined): (data: Dict) => Dict {
  if (isSecret === undefined || isSecret === false) return (data) => data;
  return (data) => starred(data, isSecret === 'entirely');
}

/**
 * The same run with stars for what is for its caller alone: the return, but truth values and None, and the arguments
 * behind the first.
 */
function starred(data: Dict, isEntirely: boolean): Dict {
  const out: Dict = new Map(data);
  const args = data.get('fun_args');
  const [first, ...others] = Array.isArray(args) ? args : [];
  if (first !== undefined)
    out.set('fun_args', [isEntirely || isDict(first) ? STARS : first, ...others.map(() => STARS)]);
  const ret = data.get('return') ?? null;
  if (data.get('success') === true && ret !== null && typeof ret !== 'boolean') out.set('return', STARS);
  return out;
}

/** Resolves when the run is interrupted: it is told, and not waited for. */
function interruption(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

async function result(
  context: RunnerContext,
  { kind, fun, spec, call, fault }: FunctionRun,
): Promise<MasterFunctionResult> {
  if (fault !== undefined) return failed(kind, fun, fault);
  try {
    const { args, rest, kwargs } = bindCall(fun.slice(fun.indexOf('.') + 1), spec, call);
    const value = await spec.run(context, args, rest, kwargs);
    const results = isDict(value) ? value.get('data') : undefined;
    const success = results === undefined ? context.retcode() === 0 : isGoodRun(results);
    const data = dict({ return: value, success });
    // Salt compat: there it is no success, and salt-run ends with 0 all the same
    if (results === undefined && !success) data.set('retcode', context.retcode());
    const isShort = isFailingReturn(spec.failsWith ?? [], value, args);
    const shortfall = context.shortfall() ?? (isShort ? 'some failed' : undefined);
    return { data, ...(shortfall === undefined ? {} : { shortfall }) };
  } catch (error) {
    // Salt compat: an invocation error of the function itself is a TypeError for Python, and shown as one
    if (error instanceof ArgumentError || error instanceof SaltInvocationError) {
      const usage =
        spec.docstring === undefined
          ? functionDoc(fun, spec).replaceAll("salt '*'", 'salt-run')
          : spec.docstring || 'None';
      const text = `\nPassed invalid arguments: ${error.message}\n\nUsage:\n${usage}`;
      return { data: dict({ return: text, success: true }), refused: error.message, error };
    }
    context.log.debug(`The function ${fun} failed`, error);
    return failed(kind, fun, error);
  }
}

function failed(kind: MasterFunctionKind, fun: string, error: unknown): MasterFunctionResult {
  return { data: dict({ return: failureText(kind, fun, error), success: false, retcode: 1 }), error };
}

function failureText(kind: MasterFunctionKind, fun: string, error: unknown): string {
  if (error instanceof RunnerRefusal || error instanceof ClientError) return error.message;
  const refusal = notPermitted(error);
  if (refusal !== undefined) return `The ${kind} ${fun} cannot do it: ${refusal.message}`;
  return `Exception occurred in ${kind} ${fun}: ${tracebackText(error)}`;
}

/**
 * What Python raised has its traceback, without frames where there are none. Salt compat: an error of this program has
 * none, and none is made up for it: there is no Python in which somebody could look for the line.
 */
function tracebackText(error: unknown): string {
  // what Salt treats in a way of its own has the exception of Python behind it
  const cause = error instanceof BrineError && error.cause instanceof PythonError ? error.cause : undefined;
  const raised = cause?.message === messageOf(error) ? cause : error;
  if (raised instanceof PythonError) return raised.trace ?? formatTraceback(raised.type, raised.message);
  const known = error instanceof Error && !(error instanceof BrineError) ? describeOsError(error) : undefined;
  return known?.message ?? messageOf(error);
}

/** Arguments of a program, positional and by name, as a call. */
export function callWith(arg: readonly Value[], kwarg: Dict): CallArguments {
  return { positional: arg, keywords: kwarg };
}
