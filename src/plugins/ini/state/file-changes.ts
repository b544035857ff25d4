/** What a state of `ini` says and changes while it goes through a file. */
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { describeOsError, PythonError } from '../../../python/exceptions.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { failure } from '../../shared/outcome.ts';

/** The file, and how it is written. */
export interface IniFile {
  readonly name: string;
  readonly separator: Value;
  readonly encoding: Value;
}

/** Calls a function of `ini` for a file. */
export function callIni(
  ctx: StateContext,
  { name, separator, encoding }: IniFile,
  fun: string,
  more: Readonly<Record<string, Value>> = {},
): Promise<Value> {
  return ctx.functions.call(`ini.${fun}`, [], dict({ file_name: name, separator, encoding, ...more }));
}

/** The whole file. */
export async function readIniFile(ctx: StateContext, file: IniFile): Promise<Dict> {
  return (await callIni(ctx, file, 'get_ini')) as Dict;
}

/** Lines about what test mode would do. */
export class Announcement {
  readonly #lines: string[] = [];
  #isUnchanged = true;

  /** Something that would be changed. */
  change(text: string): void {
    this.#isUnchanged = false;
    this.#lines.push(`${text}\n`);
  }

  /** Something that stays. */
  note(text: string): void {
    this.#lines.push(`${text}\n`);
  }

  /** @param whenEmpty the comment when there was nothing to say */
  result(name: Value, whenEmpty = ''): StateResult {
    const result = this.#isUnchanged ? true : null;
    return { name, changes: dict(), result, comment: this.#lines.join('') || whenEmpty };
  }
}

/** Turns errors of the system into failures, as Salt's states of `ini` do; others stay what they are. */
export async function withFailures(name: string, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CommandExecutionError || error instanceof PythonError || !(error instanceof Error))
      throw error;
    const known = describeOsError(error);
    if (known === undefined) throw error;
    return failure(name, known.message);
  }
}
