/**
 * Failures for programs: with `--out=json`, or `BRINE_ERRORS=json` in the environment, each failure is told once more
 * on standard error as one line of JSON with its code. What is said in Salt's words stays as it is. With `--out=json` a
 * command that ends without any document writes its failure as one on standard output (docs/reference/errors.md).
 */
import { codeOf, messageOf } from '../../errors/errors.ts';
import { shownFailure, type ToldFailure } from './failure-notes.ts';
import type { CommandIo } from './io.ts';

/** Whether a failure is to be a document where nothing else is one: JSON was chosen on the command line. */
export function wantsDocument(argv: readonly string[]): boolean {
  return argv.some(
    (word, at) => /^--out(put)?=json$/.test(word) || (/^--out(put)?$/.test(word) && argv[at + 1] === 'json'),
  );
}

/**
 * Whether codes are wanted: JSON was chosen on the command line, or in the environment for programs without an
 * outputter.
 */
export function wantsCodes(argv: readonly string[], env: NodeJS.ProcessEnv): boolean {
  return env['BRINE_ERRORS'] === 'json' || wantsDocument(argv);
}

/** Tells a failure to programs. */
export function tellFailure(io: CommandIo, failure: ToldFailure): void {
  io.failures?.note(failure);
  if (io.tellsCodes === true) io.stderr.write(`${JSON.stringify({ error: shownFailure(failure) })}\n`);
}

/** Tells of anything thrown. */
export function tellError(io: CommandIo, error: unknown): void {
  tellFailure(io, { code: codeOf(error), message: messageOf(error) });
}
