/** What an outputter is: it turns a return into the text a person or a program reads. */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** Layout of the `table` outputter (Salt's `out.table.*` options). */
export interface TableOptions {
  readonly nestedIndent?: number;
  readonly hasHeader?: boolean;
  /** Character(s) of the rules between rows; `-`. */
  readonly rowDelimiter?: string;
  /** Between columns; ` | `. */
  readonly delim?: string;
  readonly justify?: string;
  readonly separateRows?: boolean;
  readonly prefix?: string;
  readonly suffix?: string;
  /** Columns after which a cell is wrapped; 50. */
  readonly width?: number;
  /** Show only the rows under this key. */
  readonly rowsKey?: string;
  readonly labelsKey?: string;
  readonly title?: string;
}

/** How to render. Everything but `color` has Salt's default. */
export interface OutputOptions {
  readonly color: boolean;
  /** Escape sequences by colour name that replace the built-in ones; see `parseColorTheme`. */
  readonly colorTheme?: ReadonlyMap<string, string>;
  /** Replace ESC in data by `?`; true. */
  readonly stripColors?: boolean;
  /** `output_indent`; undefined when it is not set at all, null when it is set to nothing (json: one line). */
  readonly indent?: number | 'pretty' | null;
  /** Columns by which `nested` is moved right as a whole. */
  readonly nestedIndent?: number;
  /** The return code; nested prints its keys red when it is not 0. */
  readonly retcode?: number;
  /** `full` (default), `terse`, `mixed`, `changes`, `filter`, each also with `_id`. */
  readonly stateOutput?: string;
  /** Show successful states without changes; true. */
  readonly stateVerbose?: boolean;
  /** Show only states with changes or failures. */
  readonly stateOutputDiff?: boolean;
  /** Show start times and durations; true. */
  readonly stateOutputProfile?: boolean;
  /** Add percentages to the summary. */
  readonly statePct?: boolean;
  /** Terse lines in columns; a text is a format of its own. */
  readonly stateTabular?: boolean | string;
  readonly stateCompressIds?: boolean;
  /** With `filter`: results (`True`, `False`, `None`) not to show; a list, or a text with commas. */
  readonly stateOutputExclude?: Value;
  /** With `filter`: results to show in one line. */
  readonly stateOutputTerse?: Value;
  /** The published arguments, in which `filter` looks for `exclude=` and `terse=`. */
  readonly args?: readonly Value[];
  /** `key` for several masters: everything four columns to the right. */
  readonly multiKey?: boolean;
  readonly table?: TableOptions;
}

/** One outputter. */
export interface Outputter {
  readonly name: string;
  /**
   * @param data usually a mapping of minion id to return
   * @returns the text; white space at its end is the caller's to remove
   * @throws UnsuitedDataError when the data has not the shape this outputter shows
   */
  render(data: Value, options: OutputOptions): string;
}

/**
 * The data has not the shape an outputter is for (Salt's KeyError, AttributeError and TypeError in
 * `salt.output.try_printout`). The registry then shows it with `nested`.
 */
export class UnsuitedDataError extends Error {
  override readonly name = 'UnsuitedDataError';
}

/** Says that data is not of the shape needed. */
export function unsuited(why: string): never {
  throw new UnsuitedDataError(why);
}

/** The mapping a value must be. @throws UnsuitedDataError */
export function asDict(value: Value | undefined): Dict {
  return isDict(value) ? value : unsuited('a mapping was expected');
}

/** A mapping's entry that must be there. @throws UnsuitedDataError */
export function entry(map: Dict, key: string): Value {
  const value = map.get(key);
  return value === undefined ? unsuited(`'${key}' is missing`) : value;
}

/** What Python's `for x in value` walks over. @throws UnsuitedDataError for scalars */
export function iterate(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys()];
  return typeof value === 'string' ? [...value] : unsuited('something to walk over was expected');
}
