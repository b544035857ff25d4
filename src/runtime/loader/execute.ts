/**
 * Running a published function, and Salt's rules for what its end means: the return, the return code, success, and the
 * text for each kind of error (3006.16 salt/minion.py `_thread_return`, `_thread_multi_return`).
 */
import {
  ArgumentError,
  BrineError,
  CommandExecutionError,
  CommandNotFoundError,
  DiskRefusesError,
  SaltInvocationError,
  messageOf,
} from '../../errors/errors.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { bindCall, parsePublished, type CallArguments } from './bind.ts';
import { functionDoc } from './documentation.ts';
import { executorsOf, throughExecutors } from './executors.ts';
import { isFailingReturn, keepsSaltsCodes } from './failing-returns.ts';
import type { FunctionSpec, ModuleContext } from './module.ts';
import { PythonError, describeOsError, formatTraceback } from '../../python/exceptions.ts';
import { checkWords } from './words.ts';

/** How a job ended, in the fields of a return. */
export interface FunctionResult {
  readonly return: Value;
  readonly retcode: number;
  readonly success: boolean;
  /** The outputter hint: `nested` for errors, else what the function declares. */
  readonly out?: string;
}

/** How several functions in one job ended: mappings by function, or lists with `multifunc_ordered`. */
export interface FunctionListResult {
  readonly return: Value;
  readonly retcode: Value;
  readonly success: Value;
}

/** The functions that a minion in blackout still runs, besides those on its white list. */
const ALLOWED_IN_BLACKOUT = 'saltutil.refresh_pillar';

/**
 * Runs one function for a job and never throws: each error becomes the return that Salt sends for it.
 * @param fun the full name, `test.ping`
 * @param arg the `arg` of the publish
 */
export async function executeFunction(
  fun: string,
  ctx: ModuleContext,
  arg: readonly Value[],
): Promise<FunctionResult> {
  const { spec, missing } = await ctx.functions.find(fun);
  if (!spec) return failed(await missingReturn(fun, missing, ctx));
  try {
    assertNoBlackout(fun, ctx);
    const value = await runFunction(fun, spec, ctx, arg);
    const retcode = resultCode(value, ctx.retcode);
    const out = spec.outputter;
    return { return: value, retcode, success: retcode === 0, ...(out === undefined ? {} : { out }) };
  } catch (error) {
    return failed(errorReturn(fun, spec, ctx, error));
  }
}

/**
 * Runs the functions of one job in order; the failure of one does not stop the next.
 * @param funs full names
 * @param args one argument list per function
 */
export async function executeFunctionList(
  funs: readonly string[],
  ctx: ModuleContext,
  args: readonly (readonly Value[])[],
): Promise<FunctionListResult> {
  const results: FunctionResult[] = [];
  for (const [i, fun] of funs.entries()) results.push(await executeOneOfSeveral(fun, ctx, args[i] ?? []));
  const gather = (pick: (result: FunctionResult) => Value): Value =>
    truthy(ctx.opts.get('multifunc_ordered'))
      ? results.map(pick)
      : new Map(results.map((result, i) => [funs[i] as string, pick(result)]));
  return {
    return: gather((result) => result.return),
    retcode: gather((result) => result.retcode),
    success: gather((result) => result.success),
  };
}

/**
 * Binds published arguments and runs the function; the return code starts at 0 and is left in `ctx.retcode`.
 * For programs with their own way of showing errors (`salt-call`).
 * @throws SaltInvocationError, ArgumentError and whatever the function throws
 */
export async function runFunction(
  fun: string,
  spec: FunctionSpec,
  ctx: ModuleContext,
  arg: readonly Value[],
): Promise<Value> {
  const call = parsePublished(spec, arg, ctx.job.pub);
  ctx.setRetcode(0);
  return throughExecutors(executorsOf(ctx), { fun, call, run: () => callSpec(fun, spec, ctx, call) }, ctx);
}

/**
 * Binds arguments and runs the function, here and now. A return that says that nothing was done sets the return code.
 * @throws SaltInvocationError, ArgumentError and whatever the function throws
 */
export async function callSpec(
  fun: string,
  spec: FunctionSpec,
  ctx: ModuleContext,
  call: CallArguments,
): Promise<Value> {
  const bound = bindCall(fun.slice(fun.indexOf('.') + 1), spec, call);
  checkWords(fun, spec.words, bound);
  const value = await spec.run(ctx, bound.args, bound.rest, bound.kwargs);
  if (ctx.retcode === 0 && spec.failsWith !== undefined && !keepsSaltsCodes(ctx.opts))
    if (isFailingReturn(spec.failsWith, value, bound.args)) ctx.setRetcode(1);
  return value;
}

/** The return code of a finished function: the one it has set, else 1 when it reports failure in its return. */
export function resultCode(value: Value, retcode: number): number {
  if (retcode !== 0 || !isDict(value)) return retcode;
  const reported = ['result', 'success'].map((key) => value.get(key));
  return reported.every((flag) => flag === undefined || truthy(flag)) ? 0 : 1;
}

/** What is returned for a function that does not exist: Salt's sentence, with the documentation of similar ones. */
export async function missingReturn(fun: string, missing: string, ctx: ModuleContext): Promise<Value> {
  const docs: Dict = new Map();
  const pattern = compileGlob(`${fun}*`);
  const dot = fun.indexOf('.');
  const modules =
    dot < 0 ? (await ctx.functions.modules()).values() : [await ctx.functions.module(fun.slice(0, dot))];
  for (const module of modules) {
    for (const [name, spec] of Object.entries(module?.functions ?? {})) {
      const full = `${module?.name ?? ''}.${name}`;
      if (pattern.matches(full)) docs.set(full, functionDoc(full, spec));
    }
  }
  return docs.size === 0 ? missing : docs.set(fun, missing);
}

function failed(value: Value): FunctionResult {
  return { return: value, retcode: 1, success: false, out: 'nested' };
}

async function executeOneOfSeveral(
  fun: string,
  ctx: ModuleContext,
  arg: readonly Value[],
): Promise<FunctionResult> {
  try {
    const { spec, missing } = await ctx.functions.find(fun);
    if (!spec) throw new CommandExecutionError(missing);
    assertNoBlackout(fun, ctx);
    const value = await runFunction(fun, spec, ctx, arg);
    const retcode = resultCode(value, ctx.retcode);
    return { return: value, retcode, success: retcode === 0 };
  } catch (error) {
    logException(fun, ctx, error);
    // Salt compat: Salt leaves the return code of a failed function out; 1 lets `salt` end with the right exit code.
    return failed(exceptionText(error, ctx));
  }
}

/** @throws SaltInvocationError when pillar or grains say `minion_blackout` and the function is not on the white list */
function assertNoBlackout(fun: string, ctx: ModuleContext): void {
  for (const source of [ctx.pillar, ctx.grains]) {
    if (!truthy(source.get('minion_blackout')) || fun === ALLOWED_IN_BLACKOUT) continue;
    const allowed = source.get('minion_blackout_whitelist');
    if (Array.isArray(allowed) && allowed.includes(fun)) continue;
    throw new SaltInvocationError(
      "Minion in blackout mode. Set 'minion_blackout' to False in pillar or grains to resume operations. Only " +
        'saltutil.refresh_pillar allowed in blackout mode.',
    );
  }
}

function errorReturn(fun: string, spec: FunctionSpec, ctx: ModuleContext, error: unknown): string {
  const message = messageOf(error);
  if (error instanceof CommandNotFoundError) {
    ctx.log.debug(`Command required for '${fun}' not found`, error);
    return `Command required for '${fun}' not found: ${message}`;
  }
  if (error instanceof CommandExecutionError) {
    ctx.log.error(`A command in '${fun}' had a problem: ${message}`, error);
    return `ERROR: ${message}`;
  }
  if (error instanceof ArgumentError) {
    const text = `Passed invalid arguments to ${fun}: ${message}\n${functionDoc(fun, spec)}`;
    ctx.log.warning(text, error);
    return text;
  }
  if (error instanceof BrineError) {
    ctx.log.error(`Problem executing '${fun}': ${message}`, error);
    return `ERROR executing '${fun}': ${message}`;
  }
  logException(fun, ctx, error);
  return `The minion function caused an exception: ${exceptionText(error, ctx)}`;
}

function logException(fun: string, ctx: ModuleContext, error: unknown): void {
  ctx.log.warning(`The minion function ${fun} caused an exception: ${messageOf(error)}`, error);
}

/** Python's traceback without frames; our own stack stands in for them only when the minion logs at debug level. */
export function exceptionText(error: unknown, ctx: Pick<ModuleContext, 'log'>): string {
  if (error instanceof PythonError && error.trace !== undefined) return error.trace;
  const { type, message } = thrownException(error);
  const text = formatTraceback(type, message);
  if (error instanceof PythonError || error instanceof BrineError) return text;
  if (!ctx.log.enabled('debug') || !(error instanceof Error)) return text;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return text.replace('\n', () => `\n${frames.map((line) => `${line}\n`).join('')}`);
}

/** The class of what was thrown, as a traceback prints it, and its message. */
export function thrownException(error: unknown): { readonly type: string; readonly message: string } {
  if (error instanceof PythonError) return { type: error.type, message: error.message };
  if (error instanceof DiskRefusesError) return { type: 'OSError', message: error.message };
  if (error instanceof BrineError) return { type: exceptionName(error), message: error.message };
  const known = error instanceof Error ? describeOsError(error) : undefined;
  return known ?? { type: 'Exception', message: messageOf(error) };
}

function exceptionName(error: BrineError): string {
  return error instanceof ArgumentError ? 'TypeError' : `salt.exceptions.${error.name}`;
}
