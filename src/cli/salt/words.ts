/** The words of `salt`'s command line: the ones that may be left out, and what is said when others are missing. */
import { UsageError } from '../../errors/errors.ts';
import { formatHelp } from '../help.ts';
import type { CommandIo } from '../io.ts';
import { saltProgram } from '../options/salt.ts';
import type { ParsedOptions } from '../optparse.ts';
import { terminalColumns } from '../terminal.ts';

/** Exit code of an incomplete command line. */
const INCOMPLETE = 42;

/** Target, function and arguments, or what is missing. @throws UsageError */
export function completeWords(parsed: ParsedOptions): string[] | string {
  const words = [...parsed.args];
  if (parsed.flag('doc')) return documentationWords(words);
  if (words.length === 0) return 'Cannot execute command without defining a target.';
  return words.length === 1 && !parsed.flag('preview_target') ? 'Incomplete options passed.' : words;
}

/** `-d`: everybody, and `sys.doc`, unless they are given. */
function documentationWords(words: readonly string[]): string[] {
  const [target = '*', ...rest] = words;
  const out = rest[0] === 'sys.doc' ? [target, ...rest] : [target, 'sys.doc', ...rest];
  if (out.length > 3) throw new UsageError('You can only get documentation for one method at one time.');
  return out;
}

/** Says what is missing, below the help. @param withHelp false for what Salt says alone @returns the exit code */
export function sayIncomplete(message: string, io: CommandIo, withHelp = true): number {
  if (withHelp) io.stdout.write(formatHelp(saltProgram, terminalColumns(io.stdout, io.env), io.env));
  io.stderr.write(withHelp ? `\n${message}\n\n` : `${message}\n`);
  return INCOMPLETE;
}
