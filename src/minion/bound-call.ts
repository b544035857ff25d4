/** A call of a function of the user's own on its way to a worker process: its arguments are bound, and no rule of jobs applies to it. */
import {
  ArgumentError,
  BrineError,
  CommandExecutionError,
  CommandNotFoundError,
  SaltInvocationError,
  messageOf,
} from '../errors/errors.ts';
import type { FunctionSpec, ModuleContext, StateFacts } from '../loader/module.ts';
import { PythonError } from '../loader/python-error.ts';
import { isDict, type Dict, type Value } from '../values/value.ts';
import type { JobResult } from './job.ts';

/** Kinds of modules whose functions run in worker processes. */
export type OwnKind = 'modules' | 'states' | 'returners';

const KINDS: readonly OwnKind[] = ['modules', 'states', 'returners'];

/** See the file's comment. */
export interface BoundCall {
  readonly kind: OwnKind;
  readonly fun: string;
  /** Parameters by name. */
  readonly args: Dict;
  readonly rest: readonly Value[];
  readonly kwargs: Dict;
  /** For state functions: what they may know of their run, without what is a function there. */
  readonly state?: Value;
}

/** Packs what a state function may know of its run. */
export function packStateFacts({ test, low, lowstate, running }: StateFacts): Value {
  return [test, low, [...lowstate], running];
}

/** Reads what {@link packStateFacts} has packed. */
export function readStateFacts(value: Value): StateFacts {
  const [test, low, lowstate, running] = value as [boolean, Dict, Dict[], Dict];
  return { test, low, lowstate, running };
}

/** Packs a call. */
export function packCall({ kind, fun, args, rest, kwargs, state }: BoundCall): Value {
  return [kind, fun, args, [...rest], kwargs, state ?? null];
}

/** Reads what {@link packCall} has packed; undefined for jobs. */
export function readCall(value: Value | undefined): BoundCall | undefined {
  if (!Array.isArray(value)) return undefined;
  const [kind, fun, args, rest, kwargs, state] = value;
  return {
    kind: KINDS.find((known) => known === kind) ?? 'modules',
    fun: String(fun),
    args: isDict(args) ? args : new Map(),
    rest: Array.isArray(rest) ? rest : [],
    kwargs: isDict(kwargs) ? kwargs : new Map(),
    ...(state === undefined || state === null ? {} : { state }),
  };
}

/** Runs the call here. Never throws: an error becomes its message, with its name where the outputter would be. */
export async function runCall(
  spec: FunctionSpec,
  { args, rest, kwargs }: BoundCall,
  ctx: ModuleContext,
): Promise<JobResult> {
  try {
    const named = Object.assign(Object.create(null), Object.fromEntries(args)) as Record<string, Value>;
    return {
      return: await spec.run(ctx, named, rest, kwargs),
      retcode: ctx.retcode,
      success: true,
    };
  } catch (error) {
    const name =
      error instanceof PythonError ? error.type : error instanceof BrineError ? error.name : 'Error';
    return { return: messageOf(error), retcode: 1, success: false, out: name };
  }
}

const CLASSES: readonly (typeof BrineError)[] = [
  CommandExecutionError,
  SaltInvocationError,
  CommandNotFoundError,
  ArgumentError,
];

/** The error that {@link runCall} has met. `nested` stands for those of the pool itself. */
export function errorNamed(name: string, message: string): Error {
  if (name === 'nested') return new CommandExecutionError(message);
  const Class = CLASSES.find((each) => each.name === name);
  return Class === undefined ? new PythonError(name, message) : new Class(message);
}
