/** The options that the functions of `cmd` share, as they arrive: from a command line, a state or another module. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { LOG_LEVELS, type LogLevel, type Logger } from '../../../host/log.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { strip } from '../../../python/values/text.ts';
import { isBytes, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** The shell of the user who started the minion, as Salt's `shell` grain has it. */
export const DEFAULT_SHELL = process.env['SHELL'] ?? '/bin/sh';

/** One option, null when it was not given. */
export function option(options: Dict, name: string): Value {
  return options.get(name) ?? null;
}

/** True when an option was given and Python would call it true. */
export function isSet(options: Dict, name: string): boolean {
  return truthy(options.get(name));
}

/** An option's text (Python's `str`), undefined when it is not given or empty. */
export function textOption(options: Dict, name: string): string | undefined {
  const value = options.get(name);
  return truthy(value) ? textOf(value as Value) : undefined;
}

/** Python's `str` of a value, except that bytes are the text they hold. */
export function textOf(value: Value): string {
  return isBytes(value) ? Buffer.from(value).toString('utf8') : pyStr(value);
}

/**
 * Whether a shell runs the command, when the caller has left it open: yes when the call comes straight from a job (then
 * it has `__pub_jid`; calls between modules have none), or with `cmd_safe: False` in the configuration (3008
 * salt/modules/cmdmod.py `_python_shell_default`; 3006.16 asked for `shell` instead, which 3006.17 took back).
 *
 * Salt compat: a list of words is run as it is. Salt hands it to the shell, which takes the first word and drops the
 * others.
 */
export function withShellDefault(ctx: ModuleContext, options: Dict): Dict {
  if (option(options, 'python_shell') !== null || Array.isArray(options.get('cmd'))) return options;
  const chosen = isSet(options, '__pub_jid') || ctx.opts.get('cmd_safe') === false;
  return chosen ? new Map([...options, ['python_shell', true]]) : options;
}

/** The level at which output is logged; undefined for `quiet`, which silences the command altogether. */
export function outputLevel(log: Logger, level: Value): LogLevel | undefined {
  const name = typeof level === 'string' ? level.toLowerCase() : '';
  if (name === 'quiet') return undefined;
  if (isLogLevel(name)) return name;
  const known = Object.keys(LOG_LEVELS).sort().reverse().join(', ');
  log.error(`Invalid output_loglevel '${pyStr(level)}'. Valid levels are: ${known}. Falling back to 'info'.`);
  return 'info';
}

function isLogLevel(name: string): name is LogLevel {
  return Object.hasOwn(LOG_LEVELS, name);
}

/** A list given as such or as text with commas (3006.16 salt/utils/args.py `split_input`). */
export function splitInput(value: Value): string[] {
  const items = Array.isArray(value) ? value.map(textOf) : textOf(value).split(',').map(strip);
  return items;
}

/**
 * The exit codes that count as success.
 * @throws SaltInvocationError `success_retcodes must be a list of integers`
 */
export function successCodes(value: Value): number[] {
  if (value === null) return [0];
  return splitInput(value).map((text) => {
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
