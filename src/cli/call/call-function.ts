/**
 * Calling one function for `salt-call`, with that program's own way of telling how it ended (salt/cli/caller.py,
 * 3006.16).
 */
import type { ErrorCode } from '../../errors/codes.ts';
import {
  ArgumentError,
  BrineError,
  CommandExecutionError,
  DiskRefusesError,
  CommandNotFoundError,
  SaltInvocationError,
  messageOf,
} from '../../errors/errors.ts';
import { parsePublished } from '../../runtime/loader/bind.ts';
import { functionDoc } from '../../runtime/loader/documentation.ts';
import { callSpec, missingReturn, resultCode } from '../../runtime/loader/execute.ts';
import { throughExecutors } from '../../runtime/loader/executors.ts';
import type { FunctionSpec, ModuleContext } from '../../runtime/loader/module.ts';
import { PythonError, describeOsError } from '../../python/exceptions.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { SourcePlaces } from '../../host/source-places.ts';

/** How a call ended. */
export type CallOutcome =
  | { readonly kind: 'returned'; readonly value: Value; readonly retcode: number; readonly out?: string }
  /** There is no such function, but documentation of similar ones. */
  | { readonly kind: 'similar'; readonly docs: Value }
  /** Texts for the streams, and the exit code. */
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly stderr: string;
      /** What programs are told, where `stderr` does not say it: the log has it. */
      readonly message?: string;
      readonly stdout?: string;
      readonly exitCode: number;
    };

const NOT_FOUND = 255;
const UNHANDLED = "An un-handled exception was caught by Salt's global exception handler:";

/** What stands between the command and the function. */
export interface ChosenExecutors {
  /** A list, or one name. */
  readonly names: Value;
  /** `--executor-opts` */
  readonly options: Value | undefined;
}

/** @param arg the words behind the function, as {@link parseArguments} gives them */
export async function callFunction(
  fun: string,
  ctx: ModuleContext,
  arg: readonly Value[],
  executors: ChosenExecutors,
): Promise<CallOutcome> {
  const { spec, missing } = await ctx.functions.find(fun);
  if (spec === undefined) return notFound(fun, missing, ctx);
  try {
    const call = parsePublished(spec, arg, ctx.job.pub);
    return await run(fun, spec, ctx, call, executors);
  } catch (error) {
    return failure(fun, ctx, error);
  }
}

async function run(
  fun: string,
  spec: FunctionSpec,
  ctx: ModuleContext,
  call: ReturnType<typeof parsePublished>,
  executors: ChosenExecutors,
): Promise<CallOutcome> {
  try {
    ctx.setRetcode(0);
    const run = (): Promise<Value> => callSpec(fun, spec, ctx, call);
    const value = await throughExecutors(executors.names, { fun, call, run }, ctx, executors.options);
    const retcode = resultCode(value, ctx.retcode);
    return {
      kind: 'returned',
      value,
      retcode,
      ...(spec.outputter === undefined ? {} : { out: spec.outputter }),
    };
  } catch (error) {
    // Salt compat: an invocation error of the function itself is a TypeError for Python, and shown as one
    if (!(error instanceof ArgumentError || error instanceof SaltInvocationError)) throw error;
    return {
      kind: 'failed',
      code: error.errorCode,
      stderr: `\nPassed invalid arguments: ${error.message}.\n\nUsage:\n${trace(error, ctx)}`,
      // as Python prints a docstring that is not there
      stdout: `${functionDoc(fun, spec) || 'None'}\n`,
      exitCode: 1,
    };
  }
}

async function notFound(fun: string, missing: string, ctx: ModuleContext): Promise<CallOutcome> {
  const similar = await missingReturn(fun, missing, ctx);
  if (isDict(similar)) return { kind: 'similar', docs: similar };
  const reason = /__virtual__ returned False: (.*)$/s.exec(missing)?.[1];
  const tail = reason === undefined ? '\n' : ` Possible reasons: ${reason}\n`;
  const isUnknown = missing === `'${fun}' is not available.`;
  const hint = isUnknown ? await nearFunction(fun, ctx) : '';
  const stderr = `${missing}${tail}${hint}`;
  return { kind: 'failed', code: 'function-not-found', stderr, message: missing, exitCode: NOT_FOUND };
}

/** The line that names functions of this machine with a similar name; empty when there are none. */
async function nearFunction(fun: string, ctx: ModuleContext): Promise<string> {
  const known = await ctx.functions.call('sys.list_functions', []);
  const { hintAmong } = await import('../program/hint.ts');
  const hint = hintAmong(fun, Array.isArray(known) ? known.map(String) : []);
  return hint === undefined ? '' : `${hint}\n`;
}

function failure(fun: string, ctx: ModuleContext, error: unknown): CallOutcome {
  const message = messageOf(error);
  const code = error instanceof BrineError ? error.errorCode : 'function-failed';
  const failed = (stderr: string): CallOutcome => ({ kind: 'failed', code, stderr, exitCode: 1 });
  if (error instanceof SaltInvocationError) return failed(`${message}\n`);
  if (error instanceof CommandNotFoundError)
    return failed(`Command required for '${fun}' not found: ${message}\n`);
  if (error instanceof CommandExecutionError || error instanceof DiskRefusesError)
    return failed(`${trace(error, ctx)}Error running '${fun}': ${message}\n`);
  const line = exceptionLine(error, message);
  ctx.log.error(`${UNHANDLED}\n${line}`, error);
  return { kind: 'failed', code, stderr: '', message: line.split('\n', 1)[0] ?? message, exitCode: 1 };
}

/**
 * `ValueError: text`, as Python ends a traceback, with the traceback of what ran in Python; our own stack stands behind
 * it only with `-l debug`.
 */
function exceptionLine(error: unknown, message: string): string {
  if (error instanceof PythonError) {
    const line = `${error.type}: ${message}`;
    return error.trace?.startsWith('Traceback') !== true ? line : `${line}\n${error.trace.trimEnd()}`;
  }
  if (error instanceof BrineError) return `${error.name}: ${message}`;
  const known = error instanceof Error ? describeOsError(error) : undefined;
  return known === undefined ? `Exception: ${message}` : `${known.type}: ${known.message}`;
}

function trace(error: Error, ctx: ModuleContext): string {
  return ctx.log.enabled('debug') ? `${new SourcePlaces().of(error.stack ?? error.message)}\n` : '';
}
