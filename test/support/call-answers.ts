/** Calls of functions in this process, and their answers in the form in which a real Salt's are written down. */
import { noParseNames, parseArguments } from '../../src/cli/arguments.ts';
import { ArgumentError, BrineError } from '../../src/errors/errors.ts';
import { runFunction } from '../../src/loader/execute.ts';
import type { ModuleContext } from '../../src/loader/module.ts';
import { describeOsError, PythonError } from '../../src/loader/python-error.ts';
import type { CallAnswer } from './module-calls.ts';

/** Makes one call and turns errors into the messages that Python's exceptions would have. */
export async function answerOf(
  fun: string,
  ctx: ModuleContext,
  words: readonly string[],
): Promise<CallAnswer> {
  const { spec, missing } = await ctx.functions.find(fun);
  if (spec === undefined) return { error: missing };
  try {
    return { value: await runFunction(fun, spec, ctx, parseArguments(words, noParseNames([]))) };
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
