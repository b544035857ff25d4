/** Reading a command line the way all programs do: help, version, usage errors. */
import { tellError } from '../terminal/failure-line.ts';
import { UsageError } from '../../errors/errors.ts';
import { formatHelp, formatUsageError } from './help.ts';
import type { CommandIo } from '../terminal/io.ts';
import { scan, type CliProgram, type ParsedOptions } from './optparse.ts';
import { terminalColumns } from '../terminal/terminal.ts';
import { versionLine } from './version-line.ts';

/** @returns the options, or the exit code when the command line has already been answered */
export function readCommandLine(
  program: CliProgram,
  argv: readonly string[],
  io: CommandIo,
): ParsedOptions | number {
  try {
    const result = scan(program, argv, io.env);
    if (result.kind === 'options') return result.parsed;
    const help = result.kind === 'help';
    io.stdout.write(
      help
        ? formatHelp(program, terminalColumns(io.stdout, io.env), io.env)
        : `${versionLine(program.name)}\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(formatUsageError(program, error.message));
    tellError(io, error);
    return error.exitCode;
  }
}
