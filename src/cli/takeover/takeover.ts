/** `brine takeover --check`: what becomes of the Salt on this machine when Brine takes its place. */
import { join } from 'node:path';
import { configDirOf } from '../../config/program-files.ts';
import { isDirectory } from '../../config/read-file.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { ConfigError, UsageError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { readCommandLine } from '../command-line/command-line.ts';
import { formatUsageError } from '../command-line/help.ts';
import { refuseContradictions, warnOfIdle } from '../command-line/option-rules.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { brineProgram } from '../options/brine.ts';
import { laterSalt } from '../../runtime/sls-check/later-salt.ts';
import { checkFound } from '../sls/check-found.ts';
import { grainsOfSystem } from '../sls/grain-profiles.ts';
import { type CommandIo, writeStyled } from '../terminal/io.ts';
import { wantsColor } from '../terminal/terminal.ts';
import { lookAtConfiguration, type LookedAt } from './configuration.ts';
import { lookAtNamedParts } from './named-parts.ts';
import { ownModules } from '../sls/own-modules.ts';
import { lookAtOwnCode } from './own-code.ts';
import type { Remark } from './remark.ts';
import { countOf, jsonReport, textReport } from './report.ts';
import { lookAtData, lookAtSalt } from './salt-here.ts';
import { remarksOn, sourcesOf, treesOf } from './trees.ts';

const EX_USAGE = 64;
const COMMANDS = ['takeover'];

/**
 * Runs the command. Nothing on the machine is changed.
 * @returns the exit code: 0 when nothing is missing, else 1
 */
export async function runBrine(argv: readonly string[], io: CommandIo): Promise<number> {
  const parsed = readCommandLine(brineProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  try {
    refuseContradictions(parsed);
    warnOfIdle(parsed, (line) => void io.stderr.write(`${line}\n`));
    requireCheck(parsed);
    return await check(parsed, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(formatUsageError(brineProgram, error.message));
    return EX_USAGE;
  }
}

function requireCheck(parsed: ParsedOptions): void {
  const [command, extra] = parsed.args;
  if (command === undefined) throw new UsageError('Say what to do: takeover --check.');
  if (command !== 'takeover')
    throw new UsageError(`There is no command '${command}': it is takeover.${didYouMean(command, COMMANDS)}`);
  if (extra !== undefined) throw new UsageError(`takeover takes no further word, and '${extra}' is one.`);
  if (!parsed.flag('check'))
    throw new UsageError(
      'Say --check: the site is looked at, and nothing is changed. The guide "Coming from Salt" has the steps of the takeover itself.',
    );
}

async function check(parsed: ParsedOptions, io: CommandIo): Promise<number> {
  const configDir = configDirOf({ configDir: parsed.text('config_dir'), env: io.env });
  if (!isDirectory(configDir))
    throw new ConfigError(
      `There is no folder ${configDir}, so that there is no configuration to look at; -c names another one.`,
    );
  const looked = (['master', 'minion'] as const)
    .map((role) => lookAtConfiguration(role, configDir, io.env))
    .filter((one) => one !== undefined);
  if (looked.length === 0)
    throw new ConfigError(
      `${configDir} has neither a file master nor a file minion, so that there is nothing to look at; -c names another folder.`,
    );
  const remarks = [...lookAtSalt(), ...looked.flatMap((one) => one.remarks)];
  for (const one of looked) remarks.push(...(await remarksOnSite(one, configDir, parsed)));
  const all = withoutRepeats(remarks);
  if (parsed.text('format') === 'json') io.stdout.write(jsonReport(all));
  else writeStyled(io.stdout, textReport(all, isColored(parsed, io)));
  return countOf(all, 'missing') > 0 ? 1 : 0;
}

/** Trees, own modules and data of one program; nothing where it has no options. */
async function remarksOnSite(looked: LookedAt, configDir: string, parsed: ParsedOptions): Promise<Remark[]> {
  const { role, files, options } = looked;
  if (options === undefined) return [];
  const trees = treesOf(options, files);
  const insteadOf = parsed.text('instead_of');
  const data = [
    ...lookAtNamedParts(looked, laterSalt(insteadOf), ownParts(trees.fileRoots)),
    ...lookAtData(role, configDir, options),
  ];
  if (role === 'minion' && options.raw('file_client') !== 'local') return data;
  const sources = sourcesOf(trees);
  const remarks = [...trees.remarks];
  if (sources !== undefined) {
    const knowledge = {
      pillar: new Map(),
      grains: grainsOfSystem('debian') ?? new Map(),
      complete: new Set<'pillar' | 'grains'>(),
    };
    const findings = await checkFound(sources, knowledge, insteadOf);
    remarks.push(...remarksOn(findings, sources.sources.length, trees));
  }
  const further = pyStr(options.raw('extension_modules') ?? '');
  return [...remarks, ...lookAtOwnCode([...trees.fileRoots, ...(further === '' ? [] : [further])]), ...data];
}

/** The site's own modules by folder: what their names are in options. */
function ownParts(fileRoots: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = ['_returners', '_pillar', '_beacons', '_engines', '_auth'];
  return new Map(
    kinds.map((kind) => [
      kind,
      ownModules(fileRoots.map((root) => join(root, kind)).filter(isDirectory), kind),
    ]),
  );
}

/** A machine that is master and minion has some things twice. */
function withoutRepeats(remarks: readonly Remark[]): Remark[] {
  return [...new Map(remarks.map((one) => [JSON.stringify(one), one])).values()];
}

function isColored(parsed: ParsedOptions, io: CommandIo): boolean {
  const wish = { force: parsed.flag('force_color'), none: parsed.flag('no_color') };
  return wantsColor(wish, io.stdout, io.env);
}
