/** The outermost layer of every program: an error becomes one clear sentence and an exit code. */
import { BrineError, messageOf } from '../../errors/errors.ts';
import { processIo, type CommandIo, guardTerminals } from '../terminal/io.ts';
import { tellError, wantsCodes } from '../terminal/failure-line.ts';
import { withoutCredentials } from '../../python/values/masked.ts';

/** Runs a command with the process's own streams and ends the process with its exit code. */
export function runCommand(
  name: string,
  command: (argv: readonly string[], io: CommandIo) => Promise<number>,
): void {
  process.stdout.on('error', endQuietly);
  const io = guardTerminals(processIo, wantsCodes(process.argv.slice(2), process.env));
  command(process.argv.slice(2), io).then(
    (code) => finish(code),
    (error: unknown) => {
      const isDebugging = process.argv.some((word) =>
        /^(--log-level=)?(debug|trace|all|garbage)$/.test(word),
      );
      const text =
        error instanceof BrineError || !isDebugging
          ? messageOf(error)
          : ((error as Error).stack ?? messageOf(error));
      const shown = withoutCredentials(text);
      io.stderr.write(`${error instanceof BrineError ? shown : `${name}: unexpected error: ${shown}`}\n`);
      tellError(io, error);
      finish(error instanceof BrineError ? error.exitCode : 70);
    },
  );
}

/** The reader of our output has gone (`| head`): nothing is left to do. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
}

/** Ends when what was written has been taken. */
function finish(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
