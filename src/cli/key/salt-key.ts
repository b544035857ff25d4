/** `salt-key` (salt/cli/key.py and KeyCLI in salt/key.py, 3006.16). */
import { withWaitingLine } from '../terminal/waiting-line.ts';
import type { Waits } from '../../runtime/client/waits.ts';
import { systemClock } from '../../host/clock.ts';
import { tellError } from '../terminal/failure-line.ts';
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { loadMasterConfig } from '../../config/load.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { accountOf, becomeUser, NoSuchUserError } from '../../programs/daemon/privileges.ts';
import { UnreadableProgramError } from '../../programs/daemon/program-access.ts';
import { BrineError, ConfigError, UsageError, messageOf } from '../../errors/errors.ts';
import { setupLogging, type LineTarget, type Logging } from '../../host/log-sinks.ts';
import type { Logger } from '../../host/log.ts';
import { KeyManager, type KeyIds } from '../../storage/keys/manager.ts';
import { KeyStore, type KeyState, DecisionsClosedError } from '../../storage/keys/store.ts';
import { generateKeys, generateSignature } from '../../plugins/wheel/generate-keys.ts';
import { truthy, type Dict } from '../../python/values/value.ts';
import { formatUsageError } from '../command-line/help.ts';
import { type CommandIo, writeStyled } from '../terminal/io.ts';
import { readyOptions } from '../program/ready-options.ts';
import type { ClientProgram } from '../program/client-program.ts';
import { mergedOptions, type ParsedOptions } from '../command-line/optparse.ts';
import { saltKeyProgram } from '../options/salt-key.ts';
import { prepareCommandLine } from '../program/prepare.ts';
import { keyAction, noMatchMessage, type ChangeAction, type ShowAction } from './action.ts';
import { KeyDisplay } from './display.ts';
import { openKeyEvents, type KeyEvents } from './events.ts';
import { confirm, InterruptedError, NoAnswerError, onSigint, type OnInterrupt } from './prompt.ts';

/** What may be replaced in tests and by other programs. */
export interface SaltKeyDeps {
  readonly openEvents?: (opts: MasterOptions) => Promise<KeyEvents>;
  readonly onInterrupt?: OnInterrupt;
}

const DELETE_ALL_ARGUMENTS = 'Delete all takes no arguments. Use -d to delete specified keys';

/** What every action has at hand. */
interface KeyActionContext extends Required<SaltKeyDeps> {
  readonly io: CommandIo;
  /** The configuration with the command line laid over it. */
  readonly merged: Dict;
  readonly display: KeyDisplay;
  readonly log: Logger;
}

interface KeyRun extends KeyActionContext {
  readonly manager: KeyManager;
}

/**
 * Runs the command.
 * @returns the exit code: 64 for a bad command line, 67 for an unknown user, 1 for a broken configuration and after Ctrl-C with
 * `--hard-crash`, else 0, also after an error, as Salt's
 */
export async function runSaltKey(
  argv: readonly string[],
  streams: CommandIo,
  deps: SaltKeyDeps = {},
): Promise<number> {
  const { waits, io } = withWaitingLine(streams, systemClock);
  const parsed = await prepareCommandLine(saltKeyProgram, argv, io, {
    beforeConfigDir: generateWithoutConfig,
  });
  if (typeof parsed === 'number') return parsed;
  let hardCrash = parsed.flag('hard_crash');
  try {
    const { opts, merged } = await loadOptions(parsed, io);
    hardCrash = truthy(merged.get('hard_crash'));
    const logging = keyLogging(merged, io);
    try {
      const log = logging.logger;
      if (await isDoneByMaster(parsed, { opts, merged, logging, io, waits, ...deps })) return 0;
      const ready = await becomeConfiguredUser(merged, log);
      const run = { openEvents: openKeyEvents, onInterrupt: onSigint, ...deps, io, merged, log };
      if (ready) await runAction(parsed, opts, { ...run, display: new KeyDisplay(merged, io, log) });
      return 0;
    } finally {
      logging.close();
    }
  } catch (error) {
    return reportError(error, io, hardCrash);
  }
}

function reportError(error: unknown, io: CommandIo, hardCrash: boolean): number {
  if (error instanceof UsageError) {
    io.stderr.write(formatUsageError(saltKeyProgram, error.message));
    tellError(io, error);
    return error.exitCode;
  }
  if (error instanceof InterruptedError) {
    io.stderr.write('\nExiting gracefully on Ctrl-c\n');
    return hardCrash ? 1 : 0;
  }
  if (hardCrash) throw error;
  if (
    error instanceof ConfigError ||
    error instanceof NoSuchUserError ||
    error instanceof UnreadableProgramError
  ) {
    io.stderr.write(`${error.message}\n`);
    tellError(io, error);
    return error.exitCode;
  }
  io.stderr.write(`Error: ${explain(error)}\n`);
  tellError(io, error);
  if (error instanceof DecisionsClosedError) return 1;
  if (!(error instanceof NoAnswerError)) return 0;
  io.stderr.write('Nothing was changed: the question got no answer. With -y it is not asked.\n');
  return 1;
}

/** `--gen-keys` needs no configuration: without access to its folder, the folder of the new keys stands in. */
function generateWithoutConfig(parsed: ParsedOptions): void {
  if (!parsed.flag('gen_keys')) return;
  try {
    accessSync(parsed.text('config_dir'), constants.R_OK);
  } catch {
    mkdirSync(parsed.text('gen_keys_dir'), { recursive: true });
    parsed.set('config_dir', parsed.text('gen_keys_dir'), true);
  }
}

async function loadOptions(
  parsed: ParsedOptions,
  io: CommandIo,
): Promise<{ opts: MasterOptions; merged: Dict }> {
  const early = setupLogging({
    level: parsed.text('log_level') || 'warning',
    console: lineTarget(io),
    name: 'salt.config',
  });
  const config = loadMasterConfig({ configDir: parsed.text('config_dir'), env: io.env, log: early.logger });
  const opts = await readyOptions(config, early.logger);
  early.close();
  return { opts, merged: mergedOptions(parsed, opts) };
}

/** `--auth`: the master does it. @returns false without it, and when there is nothing to log in with */
async function isDoneByMaster(
  parsed: ParsedOptions,
  run: ClientProgram & SaltKeyDeps & { readonly io: CommandIo; readonly waits: Waits },
): Promise<boolean> {
  if (!truthy(run.merged.get('eauth'))) return false;
  if (parsed.flag('delete_all') && parsed.args.length > 0) throw new BrineError(DELETE_ALL_ARGUMENTS);
  const { runRemoteKeys } = await import('./remote-keys.ts');
  const display = new KeyDisplay(run.merged, run.io, run.logging.logger);
  return runRemoteKeys(keyAction(parsed), { onInterrupt: onSigint, ...run, display });
}

function lineTarget({ stderr }: CommandIo): LineTarget {
  return { write: (text) => writeStyled(stderr, text), isTTY: stderr.isTTY === true };
}

function keyLogging(opts: Dict, io: CommandIo): Logging {
  const text = (key: string): string | undefined => {
    const value = opts.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const level = text('log_level') ?? 'warning';
  const form = text('log_fmt_console') ?? '[%(levelname)-8s] %(message)s';
  return setupLogging({
    name: 'salt.key',
    level,
    console: lineTarget(io),
    // so that what both streams hold together is still YAML
    form: opts.get('output') === 'yaml' ? `# ${form}` : form,
    file: text('key_logfile') ?? null,
    fileLevel: text('log_level_logfile') ?? level,
  });
}

/**
 * Works as the configured user, so that what is written belongs to that user.
 * @returns false when that is not possible, which has been logged
 */
async function becomeConfiguredUser(opts: Dict, log: Logger): Promise<boolean> {
  const user = opts.get('user');
  if (typeof user !== 'string' || user === '' || user === userInfo().username) return true;
  const account = await accountOf(user);
  try {
    await becomeUser(account);
    return true;
  } catch (error) {
    log.critical(`Salt configured to run as user "${user}" but unable to switch.`, error);
    return false;
  }
}

/** The command after its configuration has been read. */
async function runAction(parsed: ParsedOptions, opts: MasterOptions, deps: KeyActionContext): Promise<void> {
  if (parsed.flag('delete_all') && parsed.args.length > 0) {
    throw new BrineError(DELETE_ALL_ARGUMENTS);
  }
  const { merged, display, log } = deps;
  const action = keyAction(parsed);
  if (action.kind === 'gen-keys') return display.result(await generateKeys(merged));
  if (action.kind === 'gen-signature') return display.result(await generateSignature(merged));
  const events = await deps.openEvents(opts);
  try {
    const manager = new KeyManager({
      store: new KeyStore(opts.get('pki_dir')),
      cacheDir: opts.get('cachedir'),
      masterId: opts.get('id'),
      preserveCache: opts.get('preserve_minion_cache'),
      fireEvent: events.fire,
      log,
    });
    if ('from' in action) await changeKeys(action, { ...deps, manager });
    else await showKeys(action, { ...deps, manager }, opts);
  } finally {
    await events.close();
  }
}

async function showKeys(
  action: ShowAction,
  { display, manager }: KeyRun,
  opts: MasterOptions,
): Promise<void> {
  if (action.kind === 'print') return display.keys(manager.print(action.match));
  requireFolder(opts.get('pki_dir'));
  const hashType = opts.get('hash_type');
  if (action.kind === 'list')
    return display.keys(manager.listStatus(action.match), (section, id) =>
      manager.fingerprint(section, id, hashType),
    );
  return display.keys(manager.fingerprints(action.match, hashType));
}

/** Shows what would change, asks, changes it and says what has changed. */
async function changeKeys(action: ChangeAction, run: KeyRun): Promise<void> {
  const { display, manager, io, merged, onInterrupt } = run;
  const { kind, from } = action;
  const chosen = chooseKeys(manager.match(action.match), from);
  if (chosen.size === 0) return display.line(noMatchMessage(action));
  const done = kind === 'delete' ? 'deleted' : `${kind}ed`;
  display.line(`The following keys are going to be ${done}:`);
  const hashType = String(merged.get('hash_type') ?? 'sha256');
  await display.keys(chosen, (section, id) => manager.fingerprint(section, id, hashType));
  if (!truthy(merged.get('yes')) && !(await confirm(io, kind !== 'delete', onInterrupt))) return;
  for (const id of applyChange(action, chosen, run)) display.line(`Key for minion ${id} ${done}.`);
}

/** Those of the matching keys that the action may touch. */
function chooseKeys(matching: KeyIds, from: readonly KeyState[]): KeyIds {
  return new Map(
    from.flatMap((state) => (matching.has(state) ? [[state, matching.get(state) ?? []] as const] : [])),
  );
}

/** @returns the ids that are said to have changed, in Salt's order */
function applyChange(
  { kind, from }: ChangeAction,
  chosen: KeyIds,
  { io, manager, merged }: KeyRun,
): string[] {
  const rotate = truthy(merged.get('rotate_aes_key'));
  if (kind === 'accept') {
    const { now, invalid } = manager.accept(chosen, from);
    for (const id of invalid) io.stderr.write(`Unable to accept invalid key for ${id}.\n`);
    return [...now.values()].flat();
  }
  if (kind === 'reject') return [...manager.reject(chosen, from, { rotate }).values()].flat();
  const preserve = merged.get('preserve_minions') === true ? (chosen.get('accepted') ?? []) : [];
  manager.delete(chosen, { rotate, preserve });
  return [...chosen.values()].flat();
}

function requireFolder(pkiDir: string): void {
  if (statSync(pkiDir, { throwIfNoEntry: false }) !== undefined) return;
  throw new BrineError(`There is no folder of keys at ${pkiDir}. Start the master once, or check pki_dir.`);
}

/** An error in words that say what to do. */
function explain(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') {
    return `Permission denied: '${path ?? ''}'. Run salt-key as root or as the user of the master.`;
  }
  if (code === 'ENOENT' && path !== undefined) return `No such file or directory: '${path}'`;
  return messageOf(error);
}
