/**
 * Tables of mounts with one entry a line, whatever their columns (fstab, vfstab). Follows 3006.16
 * salt/modules/mount.py.
 */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readBytes, replaceFile } from '../../../host/file-operations.ts';
import { isFile } from '../../../python/paths.ts';
import { osErrorText } from '../../../python/os-errors.ts';
import type { Random } from '../../../host/random.ts';
import { isTrue } from '../../../python/conversions.ts';
import { compareText } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { linesOf } from '../../shared/file-text.ts';

/** Columns that every table has. */
type CommonColumn = 'device' | 'name' | 'fstype' | 'opts';

/** One entry; `opts` as they stand in the file, separated by commas. */
export type Entry<Column extends string> = Readonly<Record<Column, string>>;

/** The form of a table. */
export interface TableForm<Column extends string> {
  /** The columns in the order of the file. */
  readonly columns: readonly (Column | CommonColumn)[];
  /** How many columns a line has at least; the others are `0`. */
  readonly leastColumns: number;
  /** File systems that are told apart by their mount point, because the device is no name for them. */
  readonly byName: ReadonlySet<string>;
  /** The line of an entry, with its end. */
  readonly lineOf: (entry: Entry<Column | CommonColumn>) => string;
}

/** How an entry is put into a table. */
export interface HowToSet<Column extends string> {
  /** The columns by which the old entry is found; undefined chooses device or name by the file system. */
  readonly matchOn: readonly Column[] | undefined;
  readonly notChange: boolean;
  readonly isTest: boolean;
}

/** The words of a line. */
export function wordsOf(line: string): string[] {
  return line.trim().split(/\s+/);
}

/** Options as they stand in a table, given as text or as a list. */
export function optionText(opts: Value): string {
  return Array.isArray(opts) ? opts.map(pyStr).join(',') : pyStr(opts);
}

/** Salt's `test_mode`: whether `test`, in whatever case, asks to change nothing. */
export function isTestMode(test: boolean, kwargs: Dict): boolean {
  return (
    test ||
    [...kwargs].some(
      ([key, value]) => typeof key === 'string' && key.toLowerCase() === 'test' && isTrue(value),
    )
  );
}

/** The lines of a table, with their ends. @throws CommandExecutionError when it cannot be read */
export function readLines(config: string): string[] {
  try {
    return linesOf(readBytes(config).toString('utf8'));
  } catch (error) {
    throw new CommandExecutionError(`Couldn't read from ${config}: ${osErrorText(error)}`, { cause: error });
  }
}

function writeLines(
  random: Random,
  config: string,
  lines: readonly string[],
  complaint: (error: unknown) => string,
): void {
  try {
    replaceFile(random, config, lines.join(''));
  } catch (error) {
    throw new CommandExecutionError(complaint(error), { cause: error });
  }
}

/** Writes a table of which entries were taken out. @throws CommandExecutionError */
export function writeRemaining(random: Random, config: string, lines: readonly string[]): void {
  writeLines(random, config, lines, (error) => `Couldn't write to ${config}: ${osErrorText(error)}`);
}

/** Writes a table in which an entry is new or changed. @throws CommandExecutionError */
export function writeChanged(random: Random, config: string, lines: readonly string[]): void {
  writeLines(random, config, lines, () => `File not writable ${config}`);
}

/** The columns of `match_on`; undefined for `auto`. @throws CommandExecutionError */
function matchColumns<Column extends string>(
  form: TableForm<Column>,
  matchOn: Value,
): (Column | CommonColumn)[] | undefined {
  if (matchOn === 'auto') return undefined;
  if (!Array.isArray(matchOn) && typeof matchOn !== 'string')
    throw new CommandExecutionError('match_on must be a string or list of strings');
  const names = (Array.isArray(matchOn) ? matchOn : [matchOn]).map(pyStr);
  const unknown = names.filter((name) => !form.columns.some((column) => column === name));
  if (unknown.length > 0)
    throw new CommandExecutionError(`Unrecognized keys in match_on: "${unknown.join(', ')}"`);
  return form.columns.filter((column) => names.includes(column));
}

/** The arguments that say how an entry is put into a table. @throws CommandExecutionError */
export function howToSet<Column extends string>(
  form: TableForm<Column>,
  args: { readonly match_on: Value; readonly not_change: boolean; readonly test: boolean },
  kwargs: Dict,
): HowToSet<Column | CommonColumn> {
  return {
    matchOn: matchColumns(form, args.match_on),
    notChange: args.not_change,
    isTest: isTestMode(args.test, kwargs),
  };
}

function parseEntry<Column extends string>(
  form: TableForm<Column>,
  line: string,
): Entry<Column | CommonColumn> | undefined {
  if (line.startsWith('#')) return undefined;
  const words = wordsOf(line);
  if (words.length < form.leastColumns || words.length > form.columns.length) return undefined;
  return Object.fromEntries(form.columns.map((column, i) => [column, words[i] ?? '0'])) as Entry<
    Column | CommonColumn
  >;
}

function sortedOptions(opts: string): string {
  return opts.split(',').sort(compareText).join(',');
}

function matches<Column extends string>(entry: Entry<Column>, wanted: Partial<Entry<Column>>): boolean {
  return (Object.entries(wanted) as [Column, string][]).every(([column, value]) =>
    column === 'opts' ? sortedOptions(entry[column]) === sortedOptions(value) : entry[column] === value,
  );
}

/** All entries, in order. No file is an empty table. */
export function readEntries<Column extends string>(
  form: TableForm<Column>,
  config: string,
): Entry<Column | CommonColumn>[] {
  if (!isFile(config)) return [];
  return linesOf(readBytes(config).toString('utf8')).flatMap((line) => parseEntry(form, line) ?? []);
}

/** Takes entries out. @throws CommandExecutionError when the file cannot be read or written */
export function removeEntries<Column extends string>(
  random: Random,
  form: TableForm<Column>,
  config: string,
  wanted: Partial<Entry<Column | CommonColumn>>,
): void {
  const lines = readLines(config);
  const left = lines.filter((line) => {
    const entry = parseEntry(form, line);
    return entry === undefined || !matches(entry, wanted);
  });
  if (left.length < lines.length) writeRemaining(random, config, left);
}

/**
 * Makes sure of an entry.
 * @returns `new`, `present` or `change`
 * @throws CommandExecutionError
 */
export function setEntry<Column extends string>(
  random: Random,
  form: TableForm<Column>,
  config: string,
  entry: Entry<Column | CommonColumn>,
  how: HowToSet<Column | CommonColumn>,
): string {
  if (!isFile(config)) throw new CommandExecutionError(`Bad config file "${config}"`);
  const columns = how.matchOn ?? [form.byName.has(entry.fstype) ? 'name' : 'device'];
  const criteria = Object.fromEntries(columns.map((column) => [column, entry[column]])) as typeof entry;
  let result = 'new';
  const lines = readLines(config).map((line) => {
    const old = parseEntry(form, line);
    if (old === undefined || !matches(old, criteria)) return line;
    const isSame = how.notChange || matches(old, entry);
    result = isSame ? 'present' : 'change';
    return isSame ? line : form.lineOf(entry);
  });
  if (result === 'new') lines.push(form.lineOf(entry));
  if (result !== 'present' && !how.isTest) writeChanged(random, config, lines);
  return result;
}
