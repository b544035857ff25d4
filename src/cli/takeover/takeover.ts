/** `brine`: Brine in the place of the Salt on this machine, and back, or what becomes of it; and releases. */
import { resolve } from 'node:path';
import { configDirOf } from '../../config/program-files.ts';
import { isDirectory } from '../../config/read-file.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { ConfigError, UsageError } from '../../errors/errors.ts';
import { readCommandLine } from '../command-line/command-line.ts';
import { formatUsageError } from '../command-line/help.ts';
import { refuseContradictions, warnOfIdle } from '../command-line/option-rules.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { brineProgram } from '../options/brine.ts';
import { type CommandIo, writeStyled } from '../terminal/io.ts';
import { wantsColor } from '../terminal/terminal.ts';
import { countOf, jsonReport, textReport } from './report.ts';

const EX_USAGE = 64;
const COMMANDS = ['takeover', 'release'];

/**
 * Runs the command.
 * @returns the exit code: 0 when nothing is missing, or when what was asked for was done, else 1
 */
export async function runBrine(argv: readonly string[], io: CommandIo): Promise<number> {
  const parsed = readCommandLine(brineProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  try {
    refuseContradictions(parsed);
    warnOfIdle(parsed, (line) => void io.stderr.write(`${line}\n`));
    const [command, ...words] = parsed.args;
    if (command === 'release') {
      const { runRelease } = await import('../release/release.ts');
      return await runRelease(words, parsed, io);
    }
    requireCommand(parsed);
    const configDir = resolve(configDirOf({ configDir: parsed.text('config_dir'), env: io.env }));
    if (!isDirectory(configDir))
      throw new ConfigError(
        `There is no folder ${configDir}, so that there is no configuration to look at; -c names another one.`,
      );
    if (parsed.flag('check')) return await check(configDir, parsed, io);
    const { goBack, takeOver } = await import('./run-takeover.ts');
    return await (parsed.flag('back') ? goBack : takeOver)(configDir, parsed, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(formatUsageError(brineProgram, error.message));
    return EX_USAGE;
  }
}

function requireCommand({ args }: ParsedOptions): void {
  const [command, extra] = args;
  if (command === undefined)
    throw new UsageError('Say what to do: takeover --check, takeover, takeover --back or release.');
  if (command !== 'takeover')
    throw new UsageError(
      `There is no command '${command}': it is takeover or release.${didYouMean(command, COMMANDS)}`,
    );
  if (extra !== undefined) throw new UsageError(`takeover takes no further word, and '${extra}' is one.`);
}

async function check(configDir: string, parsed: ParsedOptions, io: CommandIo): Promise<number> {
  const { checkSite } = await import('./check.ts');
  const remarks = await checkSite({ configDir, insteadOf: parsed.text('instead_of'), env: io.env });
  if (parsed.text('format') === 'json') io.stdout.write(jsonReport(remarks));
  else writeStyled(io.stdout, textReport(remarks, isColored(parsed, io)));
  return countOf(remarks, 'missing') > 0 ? 1 : 0;
}

function isColored(parsed: ParsedOptions, io: CommandIo): boolean {
  const wish = { force: parsed.flag('force_color'), none: parsed.flag('no_color') };
  return wantsColor(wish, io.stdout, io.env);
}
