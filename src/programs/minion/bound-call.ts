/** Calls of custom functions in a worker process, and what becomes of their errors on the way back. */
import {
  ArgumentError,
  BrineError,
  CommandExecutionError,
  CommandNotFoundError,
  SaltInvocationError,
  messageOf,
} from '../../errors/errors.ts';
import type { BoundCall } from '../../network/ipc/contracts/job-worker.ts';
import type { FunctionSpec, ModuleContext } from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import type { Value } from '../../python/values/value.ts';
import type { JobResult } from './job.ts';

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

type ErrorClass = new (message: string) => BrineError;

/** By their names, which the classes themselves do not have in what is built. */
const CLASSES: ReadonlyMap<string, ErrorClass> = new Map(
  Object.entries<ErrorClass>({
    CommandExecutionError,
    SaltInvocationError,
    CommandNotFoundError,
    ArgumentError,
  }),
);

/** The error that {@link runCall} has met. `nested` stands for those of the pool itself. */
export function errorNamed(name: string, message: string): Error {
  if (name === 'nested') return new CommandExecutionError(message);
  const Class = CLASSES.get(name);
  return Class === undefined ? new PythonError(name, message) : new Class(message);
}
