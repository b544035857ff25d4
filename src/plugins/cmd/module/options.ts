/** Readers of the options that the functions of `cmd` share. */
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { LOG_LEVELS, type LogLevel, type Logger } from '../../../host/log.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { strip } from '../../../python/values/text.ts';
import { isBytes, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** The shell of the user who started the minion, as Salt's `shell` grain has it. */
export const DEFAULT_SHELL = process.env['SHELL'] ?? '/bin/sh';

/** Python's `str` of a value, except that bytes are the text they hold. */
export function textOf(value: Value): string {
  return isBytes(value) ? Buffer.from(value).toString('utf8') : pyStr(value);
}

/** The text of a value, undefined for what is false in Python. */
export const textIfSet = (value: Value): string | undefined => (truthy(value) ? textOf(value) : undefined);

/** The text of a value, undefined for None. */
export const textUnlessNone = (value: Value): string | undefined =>
  value === null ? undefined : textOf(value);

/** A list given as such or as text with commas, undefined for None. */
export const listUnlessNone = (value: Value): string[] | undefined =>
  value === null ? undefined : splitInput(value);

/**
 * Which shell runs a command: with `True` the chosen one, with another true value `/bin/sh`; undefined where that is
 * left open.
 */
export type ShellUse = boolean | 'sh' | undefined;

/** The option `python_shell`. */
export function shellUseOf(value: Value): ShellUse {
  if (value === null) return undefined;
  return value === true || (truthy(value) ? 'sh' : false);
}

/** After how many seconds a command is ended, as text and as number. */
export interface Timeout {
  readonly text: string;
  /** Undefined for what is no number, see {@link timeoutSeconds}. */
  readonly seconds: number | undefined;
}

/** The option `timeout`; undefined where there is none. */
export function timeoutOf(value: Value): Timeout | undefined {
  if (!truthy(value)) return undefined;
  return { text: pyStr(value), seconds: value === true ? 1 : toNumber(value) };
}

/** The seconds after which a command is ended. @throws CommandExecutionError for what is no number */
export function timeoutSeconds(timeout: Timeout | undefined): number | undefined {
  if (timeout === undefined) return undefined;
  const { seconds, text } = timeout;
  if (seconds === undefined) throw new CommandExecutionError(`Error: timeout ${text} must be a number`);
  return seconds;
}

/** The level at which output is logged; undefined for `quiet`, which silences the command altogether. */
export function outputLevel(log: Logger, level: string): LogLevel | undefined {
  const name = level.toLowerCase();
  if (name === 'quiet') return undefined;
  if (isLogLevel(name)) return name;
  const known = Object.keys(LOG_LEVELS).sort().reverse().join(', ');
  log.error(`Invalid output_loglevel '${level}'. Valid levels are: ${known}. Falling back to 'info'.`);
  return 'info';
}

function isLogLevel(name: string): name is LogLevel {
  return Object.hasOwn(LOG_LEVELS, name);
}

/** A list given as such or as text with commas (3006.16 salt/utils/args.py `split_input`). */
function splitInput(value: Value): string[] {
  const items = Array.isArray(value) ? value.map(textOf) : textOf(value).split(',').map(strip);
  return items;
}

/**
 * The exit codes that count as success.
 * @throws SaltInvocationError `success_retcodes must be a list of integers`
 */
export function successCodes(texts: readonly string[] | undefined): number[] {
  if (texts === undefined) return [0];
  return texts.map((text) => {
    if (!/^\s*[-+]?\d+\s*$/.test(text))
      throw new SaltInvocationError('success_retcodes must be a list of integers');
    return Number(text);
  });
}

/**
 * Environment variables given as a mapping, a list of one-entry mappings, or a list of names. A variable without a
 * value is empty, which is worth an error line.
 */
export function parseEnvironment(log: Logger, value: Value): Map<string, string> {
  const env = new Map<string, string>();
  for (const [name, text] of environmentEntries(log, value)) {
    if (text === null) {
      log.error(
        `Environment variable '${pyStr(name)}' passed without a value. Setting value to an empty string`,
      );
    }
    env.set(textOf(name), text === null ? '' : textOf(text));
  }
  return env;
}

function environmentEntries(log: Logger, value: Value): Dict {
  if (isDict(value)) return value;
  const env: Dict = new Map();
  if (!Array.isArray(value)) return env;
  for (const item of value) {
    if (isDict(item) && item.size === 1) {
      for (const [name, text] of item) env.set(name, text);
    } else if (typeof item === 'string' || typeof item === 'number' || typeof item === 'bigint') {
      env.set(item, null);
    } else {
      log.error(refusal(item));
      return new Map();
    }
  }
  return env;
}

// Values stay out of the log: they may be passwords.
function refusal(item: Value): string {
  if (!isDict(item)) {
    return `Invalid input for repack_dictlist: element of type ${typeof item} is not a string/dict/numeric value`;
  }
  const names = pyRepr([...item.keys()]);
  return `Invalid input for repack_dictlist: key/value pairs must contain only one element (keys passed: ${names}).`;
}

/**
 * Text is split into words as a shell would do it, a list is taken word by word. Salt compat: there a number is a
 * TypeError, but 0, which is left out.
 */
export function argumentsOf(args: Value): Value[] {
  if (Array.isArray(args)) return args;
  if (typeof args === 'string') return splitArguments(args);
  if (args === null || args === false) return [];
  if (isDict(args))
    throw new CommandExecutionError('The arguments of a script are a text or a list, not a mapping.');
  return [textOf(args)];
}

function splitArguments(text: string): string[] {
  try {
    return splitWords(text);
  } catch (error) {
    throw new CommandExecutionError(
      `The arguments of the script cannot be split into words: ${messageOf(error)}. Check their quotes and backslashes, or give a list.`,
      { cause: error },
    );
  }
}

/** The arguments of code: text is one argument. */
export function codeArgumentsOf(args: Value): Value[] {
  return Array.isArray(args) ? args : typeof args === 'string' ? [args] : [];
}
