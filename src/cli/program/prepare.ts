/**
 * A command line made ready for its program: everything Salt's parsers do between reading the words and running
 * (salt/utils/parsers.py OptionParser.parse_args and its process_ functions).
 */
import { tellError } from '../terminal/failure-line.ts';
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError, UsageError } from '../../errors/errors.ts';
import { OutputFileError } from '../terminal/display.ts';
import { settleConfigDir } from './config-dir.ts';
import { versionsText } from './versions-text.ts';
import { readCommandLine } from '../command-line/command-line.ts';
import { formatUsageError } from '../command-line/help.ts';
import type { CommandIo } from '../terminal/io.ts';
import {
  allOptions,
  optionName,
  scan,
  type CliProgram,
  type ParsedOptions,
} from '../command-line/optparse.ts';
import { TARGET_GROUP } from '../options/shared.ts';
import { refuseContradictions, warnOfIdle } from '../command-line/option-rules.ts';
import { applySaltfile } from '../command-line/saltfile.ts';
import { readLines } from '../terminal/stdin.ts';

/** What a program adds. */
export interface PrepareHooks {
  /** Called before the configuration folder is looked at. */
  readonly beforeConfigDir?: (parsed: ParsedOptions) => void;
}

/**
 * Reads a command line, `--args-stdin` and the Saltfile; checks and converts values, makes `config_dir` absolute, warns
 * when it is missing, refuses options that exclude each other and empties the output file.
 * @returns the options, or the exit code when everything has been said already
 */
export async function prepareCommandLine(
  program: CliProgram,
  argv: readonly string[],
  io: CommandIo,
  hooks: PrepareHooks = {},
): Promise<ParsedOptions | number> {
  const parsed = readCommandLine(program, argv, io);
  if (typeof parsed === 'number') return parsed;
  try {
    if (parsed.flag('args_stdin')) await takeStandardInput(parsed, io);
    if (parsed.flag('versions_report')) {
      io.stdout.write(await versionsText());
      return 0;
    }
    const warn = (message: string): void => void io.stderr.write(`${message}\n`);
    await applySaltfile(parsed, { env: io.env, cwd: workingFolder(), warn });
    tellUnserved(parsed, warn);
    hooks.beforeConfigDir?.(parsed);
    settleConfigDir(parsed, io);
    convertValues(parsed);
    refuseSeveralTargets(parsed);
    refuseContradictions(parsed);
    warnOfIdle(parsed, warn);
    emptyOutputFile(parsed);
    return parsed;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    io.stderr.write(formatUsageError(program, error.message));
    tellError(io, error);
    return error instanceof UsageError ? error.exitCode : 64;
  }
}

/**
 * `--args-stdin`: further options and words, one per line. Salt compat: an option that standard input does not give
 * keeps the value of the command line; Salt puts it back to its default.
 */
async function takeStandardInput(parsed: ParsedOptions, io: CommandIo): Promise<void> {
  const result = scan(parsed.program, await readLines(io.stdin), io.env);
  if (result.kind !== 'options') throw new UsageError(`--${result.kind} cannot be read from standard input`);
  parsed.absorb(result.parsed);
}

/** The working folder, or undefined when somebody has removed it. */
function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/**
 * Says which of the given options do nothing.
 * @throws UsageError for those without which the command would be another one
 */
function tellUnserved(parsed: ParsedOptions, warn: (line: string) => void): void {
  for (const option of allOptions(parsed.program)) {
    const { unserved } = option;
    if (unserved === undefined || !parsed.isExplicit(option.dest)) continue;
    const text = `option ${optionName(option)} is not served: ${unserved.why}`;
    if (unserved.action === 'refuse') throw new UsageError(text);
    warn(`${parsed.program.name}: ${text}.`);
  }
}

function convertValues(parsed: ParsedOptions): void {
  for (const option of allOptions(parsed.program)) {
    const value = parsed.get(option.dest);
    if (option.convert === undefined || value === null) continue;
    parsed.set(option.dest, option.convert(value), parsed.isExplicit(option.dest));
  }
}

function refuseSeveralTargets(parsed: ParsedOptions): void {
  const group = parsed.program.groups.find(({ title }) => title === TARGET_GROUP);
  const chosen = (group?.options ?? []).filter((option) => parsed.get(option.dest) === true);
  if (chosen.length < 2) return;
  const names = chosen.map(optionName).join('/');
  throw new UsageError(`The options ${names} are mutually exclusive. Please only choose one of them`);
}

/**
 * The output file is emptied in place, so that it keeps its permissions. One that cannot be written is said before
 * anything is run.
 * @throws OutputFileError
 */
function emptyOutputFile(parsed: ParsedOptions): void {
  const path = parsed.text('output_file');
  if (path === '') return;
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return accessSync(dirname(resolve(path)), constants.W_OK | constants.X_OK);
    // a folder is refused here, a pipe or a device is left alone
    if (stat.isFile() || stat.isDirectory())
      closeSync(openSync(path, parsed.flag('output_file_append') ? 'a' : 'w'));
  } catch (cause) {
    throw new OutputFileError(path, cause);
  }
}
