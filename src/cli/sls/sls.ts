/** `sls check` and `sls schema`, which Salt does not have. */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { UsageError } from '../../errors/errors.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { STATE_TABLE } from '../../plugins/registry/state/table.generated.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { Knowledge } from '../../runtime/sls-check/known-functions.ts';
import { RULES, type RuleName } from '../../runtime/sls-check/rules.ts';
import { readCommandLine } from '../command-line/command-line.ts';
import { formatUsageError } from '../command-line/help.ts';
import { refuseContradictions, warnOfIdle } from '../command-line/option-rules.ts';
import { allOptions, optionName, type ParsedOptions } from '../command-line/optparse.ts';
import { slsProgram } from '../options/sls.ts';
import { type CommandIo, writeStyled } from '../terminal/io.ts';
import { wantsColor } from '../terminal/terminal.ts';
import { checkFound } from './check-found.ts';
import { findSources } from './find-sources.ts';
import { grainsOfSystem, SYSTEM_NAMES } from './grain-profiles.ts';
import { countFindings, jsonReport, sarifReport, textReport } from './report.ts';
import { readText, whyUnread } from './read-text.ts';
import { stateSchema } from './state-schema.ts';

const EX_USAGE = 64;
const COMMANDS = ['check', 'schema'];
/** Trees of more files show how far the check is. */
const PROGRESS_FROM = 200;

/**
 * Runs the command.
 * @param name by which it was called, and speaks of itself
 * @returns the exit code: 1 when there are errors, with --strict for warnings, too
 */
export async function runSls(
  argv: readonly string[],
  io: CommandIo,
  name = slsProgram.name,
): Promise<number> {
  const program = { ...slsProgram, name };
  const parsed = readCommandLine(program, argv, io);
  if (typeof parsed === 'number') return parsed;
  const [command = '', ...paths] = parsed.args;
  try {
    refuseContradictions(parsed);
    warnOfIdle(parsed, (line) => void io.stderr.write(`${line}\n`));
    if (command === 'check') return await check(parsed, paths, io);
    if (command === 'schema') return await printSchema(parsed, paths, io);
    throw new UsageError(
      command === ''
        ? 'Say what to do: check PATH…, or schema.'
        : `There is no command '${command}': it is check or schema.${didYouMean(command, COMMANDS)}`,
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(formatUsageError(program, error.message));
    return EX_USAGE;
  }
}

async function printSchema(parsed: ParsedOptions, words: readonly string[], io: CommandIo): Promise<number> {
  const given = allOptions(slsProgram).find(({ dest }) => parsed.isExplicit(dest));
  const extra = words[0] ?? (given && optionName(given));
  if (extra !== undefined) throw new UsageError(`schema takes nothing else: ${extra} is for check.`);
  const modules = await Promise.all(STATE_TABLE.map(({ load }) => load()));
  io.stdout.write(`${JSON.stringify(stateSchema(modules))}\n`);
  return 0;
}

async function check(parsed: ParsedOptions, paths: readonly string[], io: CommandIo): Promise<number> {
  if (paths.length === 0) throw new UsageError('Name the files and folders to check.');
  const ignored = ignoredRules(parsed);
  const knowledge = knowledgeOf(parsed);
  const found = findSources(paths, {
    fileRoots: textsOf(parsed.get('file_root')),
    pillarRoots: textsOf(parsed.get('pillar_root')),
  });
  if (found.sources.length === 0 && found.findings.length === 0)
    throw new UsageError(
      `There is no SLS file in ${paths.map((path) => `'${path}'`).join(', ')}. An SLS file ends with .sls.`,
    );
  const progress =
    found.sources.length >= PROGRESS_FROM && io.stderr.isTTY === true ? progressOn(io) : undefined;
  const all = await checkFound(found, knowledge, parsed.text('instead_of'), progress);
  const findings = all.filter(({ rule }) => !ignored.has(rule));
  const format = parsed.text('format');
  const files = found.sources.length;
  if (format === 'json') io.stdout.write(jsonReport(findings, files));
  else if (format === 'sarif') io.stdout.write(sarifReport(findings, process.cwd()));
  else writeStyled(io.stdout, textReport(findings, files, isColored(parsed, io)));
  const { error, warning } = countFindings(findings);
  return error > 0 || (parsed.flag('strict') && warning > 0) ? 1 : 0;
}

function isColored(parsed: ParsedOptions, io: CommandIo): boolean {
  const wish = { force: parsed.flag('force_color'), none: parsed.flag('no_color') };
  return wantsColor(wish, io.stdout, io.env);
}

function textsOf(value: Value): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** @throws UsageError for a rule that does not exist */
function ignoredRules(parsed: ParsedOptions): ReadonlySet<RuleName> {
  const names = textsOf(parsed.get('ignore'));
  return new Set(
    names.map((name) => {
      const rule = [...RULES.keys()].find((one) => one === name);
      if (rule === undefined)
        throw new UsageError(
          `There is no rule '${name}'.${didYouMean(name, RULES.keys())} A rule's name stands in brackets behind each finding.`,
        );
      return rule;
    }),
  );
}

function knowledgeOf(parsed: ParsedOptions): Knowledge {
  const os = parsed.text('os');
  const base = grainsOfSystem(os);
  if (base === undefined) throw new UsageError(`There are no grains of '${os}': ${SYSTEM_NAMES.join(', ')}.`);
  const [pillar, grains] = [dataFile(parsed.text('pillar')), dataFile(parsed.text('grains'))];
  const complete = new Set<'pillar' | 'grains'>();
  if (pillar !== undefined) complete.add('pillar');
  if (grains !== undefined) complete.add('grains');
  return { pillar: pillar ?? new Map(), grains: grains ?? base, complete };
}

/** A file with a mapping, as it is or as `salt-call --out json` prints one. @throws UsageError */
function dataFile(path: string): Dict | undefined {
  if (path === '') return undefined;
  const text = readText(path);
  if (text === undefined) throw new UsageError(`${path} cannot be read: ${whyUnread(path)}.`);
  const data = parsedData(path, text);
  if (!isDict(data)) throw new UsageError(`${path} has to hold a mapping, in YAML or JSON.`);
  const [only] = data.values();
  return data.size === 1 && data.has('local') && isDict(only) ? only : data;
}

function parsedData(path: string, text: string): Value {
  try {
    return loadYaml(text, { source: path });
  } catch (error) {
    throw new UsageError(`${path} is no YAML: ${(error as Error).message}`, { cause: error });
  }
}

function progressOn(io: CommandIo): (done: number, all: number) => void {
  return (done, all) => {
    if (done % 20 === 0 || done === all)
      writeStyled(io.stderr, done === all ? '\r\u001b[K' : `\r${done} of ${all} files`);
  };
}
