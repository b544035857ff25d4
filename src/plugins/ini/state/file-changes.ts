/** What a state of `ini` says and changes while it goes through a file. */
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { describeOsError, PythonError } from '../../../python/exceptions.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { absPath, dirName, isDir, pathExists } from '../../../python/paths.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
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
  return ctx.functions.call(`ini.${fun}`, [], { file_name: name, separator, encoding, ...more });
}

/** The whole file. */
export async function readIniFile(ctx: StateContext, file: IniFile): Promise<Dict> {
  return (await callIni(ctx, file, 'get_ini')) as Dict;
}

/**
 * Why a file that test mode promises cannot be written: its folder is not there, and no earlier state would make it.
 * Salt compat: there, test mode promises it.
 */
export function unwritable(ctx: StateContext, name: string): string | undefined {
  const folder = dirName(absPath(name));
  if (isDir(folder) || mayBeMade(ctx, folder)) return undefined;
  const why = pathExists(folder) ? '[Errno 20] Not a directory' : '[Errno 2] No such file or directory';
  return `Unable to write file '${name}'. Exception: ${why}: '${name}'`;
}

/** What test mode says, unless what it promises cannot be written. */
export function promised(ctx: StateContext, said: StateResult, name: string): StateResult {
  const refusal = said.result === null ? unwritable(ctx, name) : undefined;
  return refusal === undefined ? said : failure(said.name, refusal);
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

/** Turns errors of the system, and files that cannot be read or written, into failures; others stay what they are. */
export async function withFailures(name: string, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CommandExecutionError) return failure(name, error.message);
    if (error instanceof PythonError || !(error instanceof Error)) throw error;
    const known = describeOsError(error);
    if (known === undefined) throw error;
    return failure(name, known.message);
  }
}
