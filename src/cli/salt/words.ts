/** The words of `salt`'s command line: the ones that may be left out, and what is said when others are missing. */
import { UsageError } from '../../errors/errors.ts';
import { sayIncomplete } from '../program/usage.ts';
import type { CommandIo } from '../terminal/io.ts';
import { saltProgram } from '../options/salt.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';

/** Exit code of an incomplete command line. */
const INCOMPLETE = 42;
const INCOMPLETE_TEXT = 'Incomplete options passed.';

/** Target, function and arguments, or what is missing. @throws UsageError */
export function completeWords(parsed: ParsedOptions): string[] | string {
  const words = [...parsed.args];
  if (parsed.flag('doc')) return documentationWords(words);
  if (parsed.flag('preview_target')) return words.length === 0 ? INCOMPLETE_TEXT : words;
  if (words.length === 0) return 'Cannot execute command without defining a target.';
  return words.length === 1 ? INCOMPLETE_TEXT : words;
}

/** `-d`: everybody, and `sys.doc`, unless they are given. */
function documentationWords(words: readonly string[]): string[] {
  const [target = '*', ...rest] = words;
  const out = rest[0] === 'sys.doc' ? [target, ...rest] : [target, 'sys.doc', ...rest];
  if (out.length > 3) throw new UsageError('You can only get documentation for one method at one time.');
  return out;
}

/** Says what is missing. @returns the exit code */
export function sayMissing(message: string, io: CommandIo): number {
  return sayIncomplete(saltProgram, message, io, INCOMPLETE);
}

/** Says that the arguments of several functions do not fit. @returns the exit code */
export function sayMismatch(message: string, io: CommandIo): number {
  return sayIncomplete(saltProgram, message, io, INCOMPLETE);
}
