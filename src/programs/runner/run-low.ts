/**
 * Functions of the master that others ask for: the name and, beside it, the arguments as low data
 * (salt/client/mixins.py `low`, 3006.16).
 */
import { BrineError, CommandExecutionError } from '../../errors/errors.ts';
import type { MasterFunctionKind, RunnerContext, RunnerSpec } from '../../plugins/shared/runner/runner.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { CallArguments } from '../../runtime/loader/bind.ts';
import { formatCall } from '../../runtime/loader/format-call.ts';
import { findFunction, missingFunction } from './find-function.ts';
import type { OwnFunctions } from './own-functions.ts';
import { callWith, runMasterFunction, type MasterFunctionResult } from './run-function.ts';

/** Keys of low data that are no arguments of the function. */
const INTERNAL: ReadonlySet<Value> = new Set([
  'client',
  'cmd',
  'eauth',
  'fun',
  'kwarg',
  'match',
  'token',
  '__jid__',
  '__tag__',
  '__user__',
  'user',
  'username',
  'password',
  'full_return',
  'print_event',
]);
/** What is asked for. */
export interface LowCall {
  readonly kind: MasterFunctionKind;
  readonly fun: string;
  /** `arg` and `kwarg`, or the arguments by the names of their parameters. */
  readonly low: Dict;
  readonly own?: OwnFunctions;
}

const NOTHING: RunnerSpec = { doc: '', returns: '', run: () => null };

/**
 * Runs a function with its events and its entry in the job cache; also one that is not there, or that does not take the
 * arguments, has them, and fails.
 * @returns undefined when it was interrupted
 */
export async function runLow(
  context: RunnerContext,
  { kind, fun, low, own }: LowCall,
): Promise<MasterFunctionResult | undefined> {
  const spec = await findFunction(kind, fun, own);
  const run = { kind, fun, spec: spec ?? NOTHING, call: callWith([], new Map()), isOrdered: true };
  if (spec === undefined) {
    const fault = new CommandExecutionError(await missingFunction(kind, fun, own));
    return runMasterFunction(context, { ...run, fault });
  }
  const call = callOfLow(fun, spec, low);
  return runMasterFunction(context, call instanceof BrineError ? { ...run, fault: call } : { ...run, call });
}

/** @returns the arguments, or why they do not fit */
function callOfLow(fun: string, spec: RunnerSpec, low: Dict): CallArguments | BrineError {
  const [arg, kwarg] = [low.get('arg'), low.get('kwarg')];
  if (arg !== undefined && kwarg !== undefined) {
    const positional = Array.isArray(arg) ? arg : arg === null ? [] : [arg];
    return callWith(positional, isDict(kwarg) ? kwarg : new Map());
  }
  try {
    return formatCall(fun, spec, low, INTERNAL);
  } catch (error) {
    if (error instanceof BrineError) return error;
    throw error;
  }
}
