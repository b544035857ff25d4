/** The outermost layer of every program: an error becomes one clear sentence and an exit code. */
import { BrineError, messageOf } from '../../errors/errors.ts';
import { processIo, type CommandIo, guardTerminals } from '../terminal/io.ts';
import { FailureNotes } from '../terminal/failure-notes.ts';
import { tellError, wantsCodes, wantsDocument } from '../terminal/failure-line.ts';
import { withoutCredentials } from '../../python/values/masked.ts';
import { systemFailure } from './system-failure.ts';
import { SourcePlaces } from '../../host/source-places.ts';

/** The reader of our output has gone (`| head`): what shells give to a program that SIGPIPE has ended. */
const EX_PIPE = 141;
/** Our output cannot be written, as on a full disk. */
const EX_IOERR = 74;

/** Runs a command with the process's own streams and ends the process with its exit code. */
export function runCommand(
  name: string,
  command: (argv: readonly string[], io: CommandIo) => Promise<number>,
): void {
  const argv = process.argv.slice(2);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => endWithoutOutput(name, error));
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EX_PIPE);
  });
  const failures = new FailureNotes(wantsDocument(argv));
  const io = guardTerminals(processIo, { tellsCodes: wantsCodes(argv, process.env), failures });
  command(argv, io).then(
    (code) => finish(code, io, failures),
    (error: unknown) => {
      const isDebugging = argv.some((word) => /^(--log-level=)?(debug|trace|all|garbage)$/.test(word));
      // what closes a disk or a file to the program is no fault of the program's
      const known = error instanceof BrineError ? error : systemFailure(error);
      io.stderr.write(`${sentence(name, error, isDebugging ? undefined : (known ?? error))}\n`);
      tellError(io, known ?? error);
      finish(known?.exitCode ?? 70, io, failures);
    },
  );
}

/** @param told what is told of the error by its message alone; undefined where its stack is wanted */
function sentence(name: string, error: unknown, told: unknown): string {
  if (error instanceof BrineError) return withoutCredentials(error.message);
  if (told instanceof BrineError) return `${name}: ${told.message}`;
  const text =
    told === undefined ? new SourcePlaces().of((error as Error).stack ?? messageOf(error)) : messageOf(error);
  return `${name}: unexpected error: ${withoutCredentials(text)}`;
}

/** What was asked for did not arrive where it was to go. */
function endWithoutOutput(name: string, error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EX_PIPE);
  process.stderr.write(`${name}: standard output cannot be written: ${error.message}\n`, () =>
    process.exit(EX_IOERR),
  );
}

/** Ends when what was written has been taken. */
function finish(code: number, io: CommandIo, failures: FailureNotes): void {
  process.exitCode = code;
  const document = code === 0 ? undefined : failures.document();
  if (document !== undefined) io.stdout.write(document);
  process.stdout.write('', (error) => {
    // the stream's own event says so, and ends the process with another code
    if (error) return;
    process.stderr.write('', () => process.exit(code));
  });
}
