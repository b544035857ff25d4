/** Calls of functions in this process, and their answers in the form in which a real Salt's are written down. */
import { noParseNames, parseArguments } from '../../src/cli/command-line/arguments.ts';
import { ArgumentError, BrineError } from '../../src/errors/errors.ts';
import { runFunction } from '../../src/runtime/loader/execute.ts';
import type { ModuleContext } from '../../src/runtime/loader/module.ts';
import { describeOsError, PythonError } from '../../src/python/exceptions.ts';
import type { Value } from '../../src/python/values/value.ts';
import type { CallAnswer } from './module-calls.ts';

/** Makes one call and turns errors into the messages that Python's exceptions would have. */
export function answerOf(fun: string, ctx: ModuleContext, words: readonly string[]): Promise<CallAnswer> {
  return answerOfValues(fun, ctx, parseArguments(words, noParseNames([])));
}

/** The same with arguments as they are published: values, and behind them a mapping of keywords. */
export async function answerOfValues(
  fun: string,
  ctx: ModuleContext,
  published: readonly Value[],
): Promise<CallAnswer> {
  const { spec, missing } = await ctx.functions.find(fun);
  if (spec === undefined) return { error: missing };
  try {
    return { value: await runFunction(fun, spec, ctx, published) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof PythonError) {
      const name = error.type.split('.').at(-1) ?? '';
      if (name === 'TypeError') return { error: error.message };
      return { error: `${name}${error.message === '' ? '' : `: ${error.message}`}` };
    }
    if (error instanceof BrineError || error instanceof ArgumentError) return { error: error.message };
    const known = describeOsError(error);
    return {
      error: known === undefined ? (error.stack ?? error.message) : `${known.type}: ${known.message}`,
    };
  }
}
