/** The configuration of `salt-call`: the minion's, with the command line laid over it (salt/cli/call.py, 3006.16). */
import { join, resolve } from 'node:path';
import { loadMinionConfig } from '../../config/load.ts';
import { minionOptions, type MinionOptions } from '../../config/minion-options.ts';
import { Options } from '../../config/option.ts';
import { globPaths, hasWildcards } from '../../config/paths.ts';
import { UsageError } from '../../errors/errors.ts';
import { exitCodeMode } from '../program/exit-codes.ts';
import { LOG_FORMS, logForms, setupLogging, type Logging } from '../../host/log-sinks.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict } from '../../python/values/value.ts';
import { type CommandIo, writeStyled } from '../terminal/io.ts';
import { readyOptions } from '../program/ready-options.ts';
import { mergedOptions, type ParsedOptions } from '../command-line/optparse.ts';

/** What the whole command works with. */
export interface CallerProgram {
  /** The words of the command line over the configuration, with `fun`, `arg` and `caller` as Salt adds them. */
  readonly merged: Dict;
  /** The same, typed. */
  readonly opts: MinionOptions;
  readonly logging: Logging;
  /** True when no master is asked: `--local`, `file_client: local`, `master_type: disable`. */
  readonly isLocal: boolean;
}

/** @throws UsageError for words that do not fit the options, in Salt's sentences */
export function checkWords(parsed: ParsedOptions): void {
  const { args } = parsed;
  if (args.length > 0 && parsed.flag('grains_run'))
    throw new UsageError('-g/--grains does not accept any arguments');
  if (args.length > 1 && parsed.flag('doc'))
    throw new UsageError('You can only get documentation for one method at one time');
}

/** Reads the configuration and sets up logging. @throws ConfigError */
export async function openCallerProgram(parsed: ParsedOptions, io: CommandIo): Promise<CallerProgram> {
  const console = {
    write: (text: string) => writeStyled(io.stderr, text),
    isTTY: io.stderr.isTTY === true,
  };
  const early = setupLogging({ level: parsed.text('log_level') || 'warning', console, name: 'salt.config' });
  const id = parsed.text('id');
  const loaded = loadMinionConfig({
    program: 'salt-call',
    isLocal: parsed.flag('local'),
    configDir: parsed.text('config_dir'),
    env: io.env,
    log: early.logger,
    cacheId: true,
    ...(id === '' ? {} : { overrides: dict({ id }) }),
  });
  const config = await readyOptions(loaded, early.logger);
  early.close();
  const merged = mergedOptions(parsed, config);
  if (parsed.isExplicit('cachedir')) moveExtensionModules(merged, config);
  merged.set('__cli', 'salt-call');
  // so that functions know of it, wherever it was said
  if (exitCodeMode(parsed, merged, io.env) === 'salt') merged.set('exit_codes', 'salt');
  applyWords(merged, parsed);
  const logging = callerLogging(merged, console);
  const isLocal =
    truthy(merged.get('local')) ||
    merged.get('file_client') === 'local' ||
    merged.get('master_type') === 'disable';
  if (isLocal) warnOfMasterOptions(parsed, (line) => void io.stderr.write(`${line}\n`));
  else refuseIdleRoots(parsed);
  return { merged, opts: new Options(minionOptions, merged), logging, isLocal };
}

/** @throws UsageError for folders in place of the master's, which are looked at only without a master */
function refuseIdleRoots(parsed: ParsedOptions): void {
  for (const [name, option] of [
    ['file_root', '--file-root'],
    ['pillar_root', '--pillar-root'],
  ] as const)
    if (foldersOf(parsed, name).length > 0)
      throw new UsageError(
        `option ${option} needs --local, or file_client: local: a minion with a master has files and pillar from there`,
      );
}

/** Says which of the given options do nothing as no master is asked. Salt compat: Salt takes them and says nothing. */
function warnOfMasterOptions(parsed: ParsedOptions, warn: (line: string) => void): void {
  for (const [name, option] of [
    ['master', '--master'],
    ['auth_timeout', '--timeout'],
    ['no_return_event', '--no-return-event'],
  ] as const)
    if (parsed.isExplicit(name))
      warn(
        `salt-call: ${option} has no effect: this call asks no master (--local, file_client or master_type).`,
      );
}

/**
 * The folder of synced modules is that of the cache, as long as nobody has given it another one: `--cachedir` moves it
 * along, as in 3008. In 3006.16 such a call changes the modules of the minion that runs.
 */
function moveExtensionModules(merged: Dict, config: MinionOptions): void {
  const cachedir = resolve(String(merged.get('cachedir')));
  const before = config.get('extension_modules');
  if (before !== join(config.get('cachedir'), 'extmods')) return;
  const folder = join(cachedir, 'extmods');
  merged.set('cachedir', cachedir);
  merged.set('extension_modules', folder);
  const utils = merged.get('utils_dirs');
  if (Array.isArray(utils))
    merged.set(
      'utils_dirs',
      utils.map((each) => (each === join(before, 'utils') ? join(folder, 'utils') : each)),
    );
}

function applyWords(merged: Dict, parsed: ParsedOptions): void {
  const [fun, ...arg] = parsed.args;
  if (fun !== undefined) {
    merged.set('fun', fun);
    merged.set('arg', arg);
  }
  merged.set('caller', true);
  const roots = [
    ['file_root', 'file_roots'],
    ['pillar_root', 'pillar_roots'],
  ] as const;
  for (const [option, key] of roots) {
    const folders = foldersOf(parsed, option).flatMap((folder) =>
      hasWildcards(folder) ? globPaths(folder) : [folder],
    );
    if (folders.length > 0) merged.set(key, dict({ base: folders }));
  }
  const states = foldersOf(parsed, 'states_dir');
  if (states.length > 0) merged.set('states_dirs', states);
  const modules = foldersOf(parsed, 'module_dirs', ',');
  if (modules.length > 0) merged.set('module_dirs', modules);
  if (parsed.flag('local')) merged.set('file_client', 'local');
}

/** The folders of an option that may be given several times. @param by what stands between several in one */
function foldersOf(parsed: ParsedOptions, option: string, by?: string): string[] {
  const given = parsed.get(option);
  return (Array.isArray(given) ? given : [])
    .map(pyStr)
    .flatMap((entry) => (by === undefined ? [entry] : entry.split(by)))
    .filter((entry) => entry !== '')
    .map((entry) => resolve(entry));
}

function callerLogging(merged: Dict, console: { write(text: string): unknown; isTTY: boolean }): Logging {
  const text = (key: string): string | undefined => {
    const value = merged.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const level = text('log_level') ?? 'warning';
  const granular = merged.get('log_granular_levels');
  return setupLogging({
    name: 'salt.cli.call',
    level,
    console,
    hasPlainConsole: true,
    file: text('log_file') ?? null,
    fileLevel: text('log_level_logfile') ?? level,
    ...logForms((option) => merged.get(option)),
    // so that what both streams hold together is still YAML
    ...(merged.get('output') === 'yaml' ? { form: `# ${LOG_FORMS.console}` } : {}),
    ...(granular !== undefined && isDict(granular) ? { granular } : {}),
  });
}
