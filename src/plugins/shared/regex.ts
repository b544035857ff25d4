/** Regular expressions as arguments: flags in all of Salt's forms, and Python's errors. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { PythonError } from '../../python/exceptions.ts';
import {
  compilePattern,
  PatternBudgetError,
  PatternError,
  type PyPattern,
} from '../../python/regex/pattern.ts';
import { substitute, type Substitution } from '../../python/regex/replace.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, isInt, type Value } from '../../python/values/value.ts';

/** The numbers of Python's `re.RegexFlag`. */
const FLAGS: ReadonlyMap<string, number> = new Map([
  ['A', 256],
  ['ASCII', 256],
  ['DEBUG', 128],
  ['DOTALL', 16],
  ['I', 2],
  ['IGNORECASE', 2],
  ['L', 4],
  ['LOCALE', 4],
  ['M', 8],
  ['MULTILINE', 8],
  ['S', 16],
  ['T', 1],
  ['TEMPLATE', 1],
  ['U', 32],
  ['UNICODE', 32],
  ['VERBOSE', 64],
  ['X', 64],
]);

/** The flag that lets `^` and `$` match at each line. */
export const MULTILINE = 8;

/**
 * Adds flags up.
 * @param flags a number, a name, or a list of names
 * @throws CommandExecutionError `Invalid re flag given: X`
 */
export function flagBits(flags: Value): number {
  if (typeof flags === 'boolean' || isInt(flags)) return Number(flags);
  const names = typeof flags === 'string' ? [flags] : flags;
  if (!Array.isArray(names) || isDict(names)) {
    throw new CommandExecutionError(
      `Invalid re flags: "${pyStr(flags)}", must be given either as a single flag string, a list of strings, ` +
        'as an integer, or as an re flag',
    );
  }
  return names.reduce<number>((bits, name) => {
    const bit = FLAGS.get(pyStr(name).toUpperCase());
    if (bit === undefined) throw new CommandExecutionError(`Invalid re flag given: ${pyStr(name)}`);
    return bits | bit;
  }, 0);
}

/**
 * Compiles a pattern for text.
 * @throws PythonError `re.error: …`
 */
export function textPattern(pattern: string, bits = 0): PyPattern {
  return guarded(() =>
    compilePattern(pattern, {
      ignoreCase: (bits & 2) !== 0,
      multiline: (bits & MULTILINE) !== 0,
      dotAll: (bits & 16) !== 0,
      verbose: (bits & 64) !== 0,
      ascii: (bits & 256) !== 0,
    }),
  );
}

/**
 * Compiles a pattern for bytes, which are handed over as text with one character for each byte ("latin1"). As in
 * Python, classes such as `\w` and the case of letters then know ASCII only.
 */
export function bytesPattern(pattern: string, bits: number): PyPattern {
  if ((bits & 32) !== 0) throw new PythonError('ValueError', 'cannot use UNICODE flag with a bytes pattern');
  return textPattern(bytesText(pattern), bits | 256);
}

/** UTF-8 bytes as text with one character for each byte. */
export function bytesText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** `re.subn`, with Python's errors. */
export function replaceAll(pattern: PyPattern, replacement: string, text: string, limit = 0): Substitution {
  return guarded(() => substitute(pattern, replacement, text, limit));
}

/** Runs something that reads or matches a pattern; its errors become Python's. */
export function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatternError) throw new PythonError('re.error', error.pythonMessage);
    if (error instanceof PatternBudgetError) throw new CommandExecutionError(error.message, { cause: error });
    throw error;
  }
}

/** Python's `re.escape`. */
export function escapePattern(text: string): string {
  return text.replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, '\\$&');
}
