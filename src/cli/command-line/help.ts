/** Help and usage texts in the layout of Python's optparse (Lib/optparse.py, IndentedHelpFormatter). */
import { isDict, type Value } from '../../python/values/value.ts';
import { defaultOf, takesValue, type CliGroup, type CliOption, type CliProgram } from './optparse.ts';

/** Widest column in which the explanation of an option starts. */
const HELP_COLUMN_MAX = 24;
/** Columns kept for explanations, however narrow the terminal. */
const TEXT_WIDTH_MIN = 11;

type Env = Readonly<Record<string, string | undefined>>;

/** The usage line of a program, without a line end. */
export function usageLine(program: CliProgram): string {
  return `Usage: ${program.name} ${program.usage}`;
}

/** What a program prints on stderr for a command line that it does not understand. */
export function formatUsageError(program: CliProgram, message: string): string {
  return `${usageLine(program)}\n\n${program.name}: error: ${message}\n`;
}

/** The sentence that ends every help text. */
export function closingSentence(name: string): string {
  return `You can find additional help about ${name} issuing "man ${name}" or on https://docs.saltproject.io`;
}

/** The spellings of an option with its value: `-t TIMEOUT, --timeout=TIMEOUT`. */
export function optionSpellings(option: CliOption): string[] {
  if (!takesValue(option)) return [...option.flags];
  const metavar = option.metavar ?? option.dest.toUpperCase();
  return option.flags.map((flag) => (flag.startsWith('--') ? `${flag}=${metavar}` : `${flag} ${metavar}`));
}

/** The explanation of an option with its default filled in. */
export function optionHelp(option: CliOption, env: Env): string {
  return option.help.replaceAll('%default', defaultText(defaultOf(option, env)));
}

function defaultText(value: Value): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return '[]';
  return isDict(value) ? '{}' : String(value);
}

/** The options that help, man page and completion show: none that is refused. */
export function shownOptions(options: readonly CliOption[]): CliOption[] {
  return options.filter((option) => !option.planned && option.unserved?.action !== 'refuse');
}

/**
 * The text of `--help`.
 * @param columns width of the terminal
 */
export function formatHelp(program: CliProgram, columns: number, env: Env = {}): string {
  const width = Math.max(columns - 2, TEXT_WIDTH_MIN);
  const column = helpColumn(program, width);
  const section = (options: readonly CliOption[], indent: number): string =>
    shownOptions(options)
      .map((option) => formatOption(option, { indent, column, width }, env))
      .join('');
  const group = (it: CliGroup): string => {
    const about = it.description === undefined ? '' : `${fill(it.description, width, 4)}\n\n`;
    return `  ${it.title}:\n${about}${section(it.options, 4)}`;
  };
  const parts = [`Options:\n${section(program.options, 2)}`, ...program.groups.map(group)];
  return [
    `${usageLine(program)}\n`,
    `${fill(program.description, width, 0)}\n`,
    parts.join('\n'),
    `${fill(closingSentence(program.name), width, 0)}\n`,
  ].join('\n');
}

/** The column in which explanations start: after the longest spelling, but no further than optparse goes. */
function helpColumn(program: CliProgram, width: number): number {
  const limit = Math.min(HELP_COLUMN_MAX, Math.max(width - 20, 4));
  const length = (option: CliOption, indent: number): number =>
    optionSpellings(option).join(', ').length + indent;
  const longest = Math.max(
    ...shownOptions(program.options).map((option) => length(option, 2)),
    ...program.groups.flatMap((group) => shownOptions(group.options).map((option) => length(option, 4))),
  );
  return Math.min(longest + 2, limit);
}

function formatOption(
  option: CliOption,
  { indent, column, width }: { indent: number; column: number; width: number },
  env: Env,
): string {
  const spelling = optionSpellings(option).join(', ');
  const room = column - indent - 2;
  const lines = wrap(optionHelp(option, env), Math.max(width - column, TEXT_WIDTH_MIN));
  const margin = ' '.repeat(column);
  const rest = (from: number): string =>
    lines
      .slice(from)
      .map((line) => `${margin}${line}\n`)
      .join('');
  const start = ' '.repeat(indent) + spelling;
  if (spelling.length > room) return `${start}\n${rest(0)}`;
  return `${start.padEnd(column)}${lines[0] ?? ''}\n${rest(1)}`;
}

/** A paragraph, every line indented. Like optparse it leaves the indent free on the right as well. */
function fill(text: string, width: number, indent: number): string {
  const margin = ' '.repeat(indent);
  return wrap(text, Math.max(Math.max(width - indent, TEXT_WIDTH_MIN) - indent, 1))
    .map((line) => margin + line)
    .join('\n');
}

/** Breaks a text into lines between its words; a word longer than the line is cut. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    while (word.length > width) {
      lines.push(word.slice(0, width));
      word = word.slice(width);
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
