/** `salt-key` (salt/cli/key.py and KeyCLI in salt/key.py, 3006.16). */
import { withWaitingLine } from '../terminal/waiting-line.ts';
import type { Waits } from '../../runtime/client/waits.ts';
import { systemClock } from '../../host/clock.ts';
import { tellError, tellFailure } from '../terminal/failure-line.ts';
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { loadMasterConfig } from '../../config/load.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { accountOf, becomeUser, NoSuchUserError } from '../../programs/daemon/privileges.ts';
import { UnreadableProgramError } from '../../programs/daemon/program-access.ts';
import { BrineError, ConfigError, messageOf, UsageError } from '../../errors/errors.ts';
import { thisUser } from '../../host/own-account.ts';
import { LOG_FORMS, logForms, setupLogging, type LineTarget, type Logging } from '../../host/log-sinks.ts';
import type { Logger } from '../../host/log.ts';
import { KeyManager, type KeyIds } from '../../storage/keys/manager.ts';
import { KeyStore, type KeyState, DecisionsClosedError } from '../../storage/keys/store.ts';
import { generateKeys, generateSignature } from '../../plugins/key/wheel/generate-keys.ts';
import { truthy, type Dict } from '../../python/values/value.ts';
import { type CommandIo, writeStyled } from '../terminal/io.ts';
import { readyOptions } from '../program/ready-options.ts';
import { ExitCodes, exitCodeMode, type CommandOutcome } from '../program/exit-codes.ts';
import { requireLogin } from '../program/login.ts';
import { refuseUnknownOutputter } from '../program/outputter-check.ts';
import { systemFailure } from '../program/system-failure.ts';
import { sayUsageError } from '../program/usage.ts';
import { OutputFileError } from '../terminal/display.ts';
import type { ClientProgram } from '../program/client-program.ts';
import { mergedOptions, type ParsedOptions } from '../command-line/optparse.ts';
import { saltKeyProgram } from '../options/salt-key.ts';
import { prepareCommandLine } from '../program/prepare.ts';
import { keyAction, type ChangeAction, type ShowAction } from './action.ts';
import { KeyDisplay } from './display.ts';
import { openKeyEvents, type KeyEvents } from './events.ts';
import { nothingMatches, unmatched } from './unmatched.ts';
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

/** Runs the command. @returns the exit code */
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
  let codes = new ExitCodes('strict', 'key');
  try {
    codes = new ExitCodes(exitCodeMode(parsed, new Map(parsed.entries()), io.env), 'key');
    refuseWords(parsed, codes);
    const { opts, merged } = await loadOptions(parsed, io);
    hardCrash = truthy(merged.get('hard_crash'));
    codes = new ExitCodes(exitCodeMode(parsed, merged, io.env), 'key');
    if (codes.isStrict) refuseUnknownOutputter(parsed, merged);
    return codes.of(await runProgram(parsed, { opts, merged, io, waits, deps }));
  } catch (error) {
    return reportError(error, { io, hardCrash, codes });
  }
}

/** What a run works with. */
interface KeyProgram extends Pick<ClientProgram, 'opts' | 'merged'> {
  readonly io: CommandIo;
  readonly waits: Waits;
  readonly deps: SaltKeyDeps;
}

async function runProgram(
  parsed: ParsedOptions,
  { opts, merged, io, waits, deps }: KeyProgram,
): Promise<CommandOutcome> {
  const logging = keyLogging(merged, io);
  try {
    const log = logging.logger;
    const done = await doneByMaster(parsed, { opts, merged, logging, io, waits, ...deps });
    if (done !== undefined) return done;
    if (!(await becomeConfiguredUser(merged, log, io))) return 'user not switchable';
    const run = { openEvents: openKeyEvents, onInterrupt: onSigint, ...deps, io, merged, log };
    return await runAction(parsed, opts, { ...run, display: new KeyDisplay(merged, io, log) });
  } finally {
    logging.close();
  }
}

/** Salt compat: Salt drops words, so that `salt-key -A web1` accepts every key. @throws UsageError */
function refuseWords(parsed: ParsedOptions, codes: ExitCodes): void {
  if (parsed.args.length === 0) return;
  if (parsed.flag('delete_all'))
    throw codes.isStrict ? new UsageError(DELETE_ALL_ARGUMENTS) : new BrineError(DELETE_ALL_ARGUMENTS);
  const words = parsed.args.join(' ');
  throw new UsageError(`'${words}' belongs to no option: keys are named with -a, -r, -d, -p and -f`);
}

/** How an error is to end the command. */
interface ErrorEnd {
  readonly io: CommandIo;
  readonly hardCrash: boolean;
  readonly codes: ExitCodes;
}

function reportError(error: unknown, { io, hardCrash, codes }: ErrorEnd): number {
  if (error instanceof UsageError) return sayUsageError(saltKeyProgram, error, io);
  if (error instanceof InterruptedError) {
    io.stderr.write('\nExiting gracefully on Ctrl-c\n');
    return hardCrash && !codes.isStrict ? 1 : codes.of('interrupted');
  }
  if (hardCrash) throw error;
  if (
    error instanceof ConfigError ||
    error instanceof NoSuchUserError ||
    error instanceof UnreadableProgramError ||
    error instanceof OutputFileError
  ) {
    io.stderr.write(`${error.message}\n`);
    tellError(io, error);
    return error.exitCode;
  }
  const told = error instanceof BrineError ? error : (systemFailure(error) ?? error);
  io.stderr.write(`Error: ${explain(told)}\n`);
  tellError(io, told);
  if (told instanceof DecisionsClosedError) return 1;
  if (!(told instanceof NoAnswerError))
    return told instanceof BrineError ? codes.ofError(told) : codes.of('refused');
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

/** `--auth`: the master does it. @returns undefined without it, and when there is nothing to log in with */
async function doneByMaster(
  parsed: ParsedOptions,
  run: ClientProgram & SaltKeyDeps & { readonly io: CommandIo; readonly waits: Waits },
): Promise<CommandOutcome | undefined> {
  if (!truthy(run.merged.get('eauth'))) {
    requireLogin(parsed);
    return undefined;
  }
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
  const forms = logForms((option) => opts.get(option));
  return setupLogging({
    name: 'salt.key',
    level,
    console: lineTarget(io),
    ...forms,
    // so that what both streams hold together is still YAML
    ...(opts.get('output') === 'yaml' ? { form: `# ${forms.form ?? LOG_FORMS.console}` } : {}),
    file: text('key_logfile') ?? null,
    fileLevel: text('log_level_logfile') ?? level,
  });
}

/**
 * Works as the configured user, so that what is written belongs to that user.
 * @returns false when that is not possible, which has been logged
 */
async function becomeConfiguredUser(opts: Dict, log: Logger, io: CommandIo): Promise<boolean> {
  const user = opts.get('user');
  if (typeof user !== 'string' || user === '' || user === thisUser()) return true;
  const account = await accountOf(user);
  try {
    await becomeUser(account);
    return true;
  } catch (error) {
    const message = `Salt configured to run as user "${user}" but unable to switch.`;
    log.critical(message, error);
    tellFailure(io, { code: 'user-not-switchable', message });
    return false;
  }
}

/** The command after its configuration has been read. */
async function runAction(
  parsed: ParsedOptions,
  opts: MasterOptions,
  deps: KeyActionContext,
): Promise<CommandOutcome> {
  const { merged, display, log } = deps;
  const action = keyAction(parsed);
  if (!('match' in action)) {
    await display.result(
      action.kind === 'gen-keys' ? await generateKeys(merged) : await generateSignature(merged),
    );
    return 'done';
  }
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
    if ('from' in action) return await changeKeys(action, { ...deps, manager });
    return await showKeys(action, { ...deps, manager }, opts);
  } finally {
    await events.close();
  }
}

async function showKeys(
  action: ShowAction,
  { display, manager }: KeyRun,
  opts: MasterOptions,
): Promise<CommandOutcome> {
  const hashType = opts.get('hash_type');
  if (action.kind !== 'print') requireFolder(opts.get('pki_dir'));
  if (action.kind === 'list') {
    await display.keys(manager.listStatus(action.match), (section, id) =>
      manager.fingerprint(section, id, hashType),
    );
    return 'done';
  }
  const all =
    action.kind === 'print' ? manager.print(action.match) : manager.fingerprints(action.match, hashType);
  const { only } = action;
  const found = new Map([...all].filter(([section]) => only === undefined || section === only));
  await display.keys(found);
  return unmatched(action, found, display);
}

/** Shows what would change, asks, changes it and says what has changed. */
async function changeKeys(action: ChangeAction, run: KeyRun): Promise<CommandOutcome> {
  const { display, manager, io, merged, onInterrupt } = run;
  const { kind, from } = action;
  const chosen = chooseKeys(manager.match(action.match), from);
  if (chosen.size === 0) return nothingMatches(action, display);
  const done = kind === 'delete' ? 'deleted' : `${kind}ed`;
  display.line(`The following keys are going to be ${done}:`);
  const hashType = String(merged.get('hash_type') ?? 'sha256');
  await display.keys(chosen, (section, id) => manager.fingerprint(section, id, hashType));
  if (!truthy(merged.get('yes')) && !(await confirm(io, kind !== 'delete', onInterrupt))) return 'declined';
  const { changed, failed } = applyChange(action, chosen, run);
  for (const id of changed) display.line(`Key for minion ${id} ${done}.`);
  const missed = unmatched(action, chosen, display);
  return failed ? 'some failed' : missed;
}

/** Those of the matching keys that the action may touch. */
function chooseKeys(matching: KeyIds, from: readonly KeyState[]): KeyIds {
  return new Map(
    from.flatMap((state) => (matching.has(state) ? [[state, matching.get(state) ?? []] as const] : [])),
  );
}

/** @returns the ids that are said to have changed, in Salt's order, and whether there are others that could not be */
function applyChange(
  { kind, from }: ChangeAction,
  chosen: KeyIds,
  { io, manager, merged }: KeyRun,
): { readonly changed: string[]; readonly failed: boolean } {
  const rotate = truthy(merged.get('rotate_aes_key'));
  if (kind === 'accept') {
    const { now, invalid } = manager.accept(chosen, from);
    for (const id of invalid) io.stderr.write(`Unable to accept invalid key for ${id}.\n`);
    return { changed: [...now.values()].flat(), failed: invalid.length > 0 };
  }
  if (kind === 'reject')
    return { changed: [...manager.reject(chosen, from, { rotate }).values()].flat(), failed: false };
  const preserve = merged.get('preserve_minions') === true ? (chosen.get('accepted') ?? []) : [];
  manager.delete(chosen, { rotate, preserve });
  return { changed: [...chosen.values()].flat(), failed: false };
}

function requireFolder(pkiDir: string): void {
  if (statSync(pkiDir, { throwIfNoEntry: false }) !== undefined) return;
  throw new BrineError(`There is no folder of keys at ${pkiDir}. Start the master once, or check pki_dir.`);
}

/** An error in words that say what to do. */
function explain(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && path !== undefined) return `No such file or directory: '${path}'`;
  return messageOf(error);
}
