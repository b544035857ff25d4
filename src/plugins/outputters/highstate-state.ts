/** One state of a highstate return: as a block of lines, as one line, or not at all. */
import { PythonError } from '../../python/exceptions.ts';
import { formatText, type FormatModel } from '../../python/text/format.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { lstrip, strip } from '../../python/values/text.ts';
import { isDict, pyTypeName, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { Colors } from './colors.ts';
import { entry, iterate, unsuited, type OutputOptions } from './outputter.ts';
import { fill } from './text-wrap.ts';

/** A state and what is known about it. */
export interface StateBlock {
  /** Module, id, name, function. */
  readonly id: readonly string[];
  readonly info: Dict;
  readonly result: Value;
  readonly changed: boolean;
  /** The changes as they are printed, empty when there are none. */
  readonly changesText: string;
  readonly color: string;
}

const INDENT = ' '.repeat(14);

/** Decides how `state_output` wants a state shown. */
export function isTerse(block: StateBlock, options: OutputOptions): 'full' | 'terse' | 'hidden' {
  const mode = (options.stateOutput ?? 'full').toLowerCase();
  const { result, changed } = block;
  if (mode.startsWith('filter')) return filtered(result, options);
  const terse =
    mode.startsWith('terse') ||
    (mode.startsWith('mixed') && result !== false) ||
    (mode.startsWith('changes') && truthy(result) && !changed);
  return terse ? 'terse' : 'full';
}

/** `filter`: keywords of the published function before the options of the same purpose. */
function filtered(result: Value, options: OutputOptions): 'full' | 'terse' | 'hidden' {
  let keywords: Dict = new Map();
  for (const arg of options.args ?? []) if (isDict(arg) && arg.has('__kwarg__')) keywords = arg;
  const word = pyStr(result);
  const names = (keyword: string, option: Value | undefined): boolean => {
    const list = keywords.has(keyword) ? (keywords.get(keyword) ?? null) : (option ?? []);
    return iterate(typeof list === 'string' ? list.split(',') : list).includes(word);
  };
  if (names('terse', options.stateOutputTerse)) return 'terse';
  return names('exclude', options.stateOutputExclude) ? 'hidden' : 'full';
}

/** The block of lines of a state. */
export function fullLines(block: StateBlock, colors: Colors, options: OutputOptions): string[] {
  const { id, info, color } = block;
  if (id.length < 4) return unsuited('a state whose name has less than four parts');
  const [module, name, label, fun] = id;
  const line = (text: string): string => `    ${color}${text}${colors.ENDC}`;
  const lines = [
    `${color}----------${colors.ENDC}`,
    line(`      ID: ${name}`),
    line(`Function: ${module}.${fun}`),
  ];
  if (name !== label) lines.push(line(`    Name: ${label}`));
  lines.push(line(`  Result: ${pyStr(block.result)}`), line(` Comment: ${commentText(info)}`));
  if ((options.stateOutputProfile ?? true) && info.has('start_time')) {
    const duration = info.get('duration') ?? (info.has('duration') ? null : '');
    lines.push(
      line(` Started: ${pyStr(entry(info, 'start_time'))}`),
      line(`Duration: ${duration === '' ? '' : `${pyStr(duration)} ms`}`),
    );
  }
  lines.push(`${color}     Changes:   ${block.changesText}${colors.ENDC}`);
  if (info.has('warnings')) {
    const warnings = lstrip(fill(warningsText(info), { width: 80, indent: INDENT }));
    lines.push(`   ${colors.LIGHT_RED} Warnings: ${warnings}${colors.ENDC}`);
  }
  return lines;
}

function commentText(info: Dict): string {
  let comment = strip(pyStr(entry(info, 'comment'))).replaceAll('\n', `\n${INDENT}`);
  if (!info.has('data')) return comment;
  const data = info.get('data') ?? null;
  if (isDict(data)) for (const [key, value] of data) comment += `\n\t\t${pyStr(key)}: ${pyStr(value)}`;
  else for (const item of Array.isArray(data) ? data : [data]) comment += ` ${pyStr(item)}`;
  return comment;
}

function warningsText(info: Dict): string {
  const warnings = iterate(entry(info, 'warnings'));
  return warnings
    .map((text) => (typeof text === 'string' ? text : unsuited('a warning that is not text')))
    .join('\n');
}

/** The one line of a state. A text as `stateTabular` is its format. */
export function terseLine(block: StateBlock, colors: Colors, options: OutputOptions): string {
  const { id, info, color } = block;
  if (id.length < 3) return unsuited('a state whose name has less than three parts');
  const args: Value[] = [
    color,
    id[2] as string,
    id[0] as string,
    id[id.length - 1] as string,
    resultWord(block),
    colors.ENDC,
    info,
  ];
  const tabular = options.stateTabular ?? false;
  if (typeof tabular === 'string') return formatted(tabular, args);
  const timed = (options.stateOutputProfile ?? true) && info.has('start_time');
  const format = tabular ? tabularFormat(timed) : lineFormat(timed);
  return terseWarnings(info, colors, tabular) + formatted(format, args);
}

/** The values of a line, as its format reaches them: `{6[start_time]!s}`. */
const LINE_VALUES: FormatModel<Value> = {
  str: pyStr,
  repr: pyRepr,
  typeName: pyTypeName,
  attr: (_value, name) => unsuited(`no attribute ${name} in a format's argument`),
  item: (value, key) =>
    isDict(value) ? entry(value, String(key)) : unsuited(`no ${key} in a format's argument`),
};

/** A line by its format. @throws UnsuitedDataError for what the format does not fit */
function formatted(format: string, args: readonly Value[]): string {
  try {
    return formatText(format, args, new Map(), LINE_VALUES);
  } catch (error) {
    if (error instanceof PythonError) return unsuited(`${error.message} (in the format '${format}')`);
    throw error;
  }
}

function resultWord({ info, result }: StateBlock): string {
  if (result === false) return 'Failed';
  if (result === null) return 'Differs';
  return truthy(entry(info, 'changes')) ? 'Changed' : 'Clean';
}

function tabularFormat(timed: boolean): string {
  return `{0}${timed ? '{6[start_time]!s} [{6[duration]!s:>7} ms] ' : ''}{2:>10}.{3:<10} {4:<7}   Name: {1}{5}`;
}

function lineFormat(timed: boolean): string {
  const times = timed ? ' - Started: {6[start_time]!s} - Duration: {6[duration]!s} ms' : '';
  return ` {0} Name: {1} - Function: {2}.{3} - Result: {4}${times}{5}`;
}

// Salt compat: Salt puts the warnings into the format itself, so that one with braces makes it fall back to nested.
function terseWarnings(info: Dict, colors: Colors, tabular: boolean): string {
  if (!info.has('warnings')) return '';
  return `${colors.LIGHT_RED}Warnings:\n${warningsText(info)}${colors.ENDC}${tabular ? '\n' : ''}`;
}
