/** The command line of a daemon. */
import { readCommandLine } from '../command-line/command-line.ts';
import type { CliProgram, ParsedOptions } from '../command-line/optparse.ts';
import { UsageError } from '../../errors/errors.ts';
import { settleConfigDir } from '../program/config-dir.ts';
import { sayUsageError } from '../program/usage.ts';
import type { CommandIo } from '../terminal/io.ts';

/**
 * @returns the options, or the exit code when the command line has already been answered: nothing is to be started then
 */
export async function readDaemonLine(
  program: CliProgram,
  argv: readonly string[],
  io: CommandIo,
): Promise<ParsedOptions | number> {
  const parsed = readCommandLine(program, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.flag('versions_report')) {
    const { versionsText } = await import('../program/versions-text.ts');
    io.stdout.write(await versionsText());
    return 0;
  }
  try {
    refuseWords(program, parsed);
    settleConfigDir(parsed, io);
    return parsed;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return sayUsageError(program, error, io);
  }
}

/** Salt drops them: `salt-master stop` starts a second master there. @throws UsageError */
function refuseWords({ name }: CliProgram, { args }: ParsedOptions): void {
  if (args.length === 0) return;
  throw new UsageError(
    `'${args.join(' ')}' belongs to no option: ${name} starts when it is called, in the background with -d, and ends with SIGTERM`,
  );
}
