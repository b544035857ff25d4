/**
 * Failures for programs: with `--out=json`, or `BRINE_ERRORS=json` in the environment, each failure is told once more on standard error
 * as one line of JSON with its code. What is said in Salt's words stays as it is.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import { codeOf, messageOf } from '../../errors/errors.ts';
import { withoutCredentials } from '../../python/values/masked.ts';
import type { CommandIo } from './io.ts';

/** Whether codes are wanted: JSON was chosen on the command line, or in the environment for programs without an outputter. */
export function wantsCodes(argv: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (env['BRINE_ERRORS'] === 'json') return true;
  return argv.some(
    (word, at) => /^--out(put)?=json$/.test(word) || (/^--out(put)?$/.test(word) && argv[at + 1] === 'json'),
  );
}

/** Tells a failure to programs. @param minion whose it is */
export function tellFailure(
  io: CommandIo,
  failure: { readonly code: ErrorCode; readonly message: string; readonly minion?: string },
): void {
  if (io.tellsCodes !== true) return;
  const { code, minion } = failure;
  const message = withoutCredentials(failure.message);
  const error = { code, message, ...(minion === undefined ? {} : { minion }) };
  io.stderr.write(`${JSON.stringify({ error })}\n`);
}

/** Tells of anything thrown. */
export function tellError(io: CommandIo, error: unknown): void {
  tellFailure(io, { code: codeOf(error), message: messageOf(error) });
}
