/**
 * What is said of a command line that cannot be run: what is wrong comes first, the whole help only for who asks for
 * it.
 */
import { UsageError } from '../../errors/errors.ts';
import { formatUsageError, usageLine } from '../command-line/help.ts';
import type { CliProgram } from '../command-line/optparse.ts';
import { tellError } from '../terminal/failure-line.ts';
import type { CommandIo } from '../terminal/io.ts';

/**
 * Says what is missing, and in three lines how the program is used. Salt compat: Salt prints its help, of up to 3,000
 * lines, above the sentence.
 * @returns the exit code
 */
export function sayIncomplete(program: CliProgram, message: string, io: CommandIo, code?: number): number {
  const { name, example } = program;
  const lines = [
    message,
    usageLine(program),
    ...(example === undefined ? [] : [`Example: ${example}`]),
    `All options: ${name} --help`,
  ];
  io.stderr.write(`${lines.join('\n')}\n`);
  const error = new UsageError(message);
  tellError(io, error);
  return code ?? error.exitCode;
}

/** Says what is wrong with the options. @returns the exit code */
export function sayUsageError(program: CliProgram, error: UsageError, io: CommandIo): number {
  io.stderr.write(formatUsageError(program, error.message));
  tellError(io, error);
  return error.exitCode;
}
