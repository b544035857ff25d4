/** What a master does before it starts its parts: folders, keys, user key files, ports. */
import { chmodSync, readdirSync, rmSync, statSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UnservedOptionError } from '../../errors/errors.ts';
import { MinionDataCache } from '../../storage/cache/minion-data.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { isCacheOnServer } from '../../config/minion-cache.ts';
import { generateKeyString } from '../../network/crypto/crypticle.ts';
import { giveTree } from '../daemon/give-tree.ts';
import { makeDirectory, writeFileAtomic, isValidMinionId, safeJoin } from '../../host/files.ts';
import { systemClock } from '../../host/clock.ts';
import { closeToOthers } from '../../host/loose-modes.ts';
import type { Logger } from '../../host/log.ts';
import { systemRandom } from '../../host/random.ts';
import { Secret } from '../../host/secret.ts';
import { findUser, listUsers, type User } from '../../host/users.ts';
import { generateKeyFiles } from '../../storage/keys/generate.ts';
import { openToGroup, removeSharedMinions } from '../../storage/jobs/load-mirror.ts';
import { saltsJobsRoot } from '../../storage/jobs/salts-layout.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { sharesEventBus } from '../../config/master-sockets.ts';
import { masterTransports } from '../../config/master-transports.ts';
import { listen } from '../../network/transport/listen.ts';
import { requireTransport } from '../../network/transport/transports.ts';
import { expressionMatch } from '../../python/text/expression-match.ts';
import { isDict } from '../../python/values/value.ts';
import { masterKeyPassphrase } from './master-key.ts';
import { keyMark, minionMarksFolder, MinionMarks } from './minion-marks.ts';

/**
 * Folders of `cachedir` that only the master's user has to do with: data of minions, jobs, and what is known of files.
 * Salt makes them readable for everybody; those that it has made are closed.
 */
const PRIVATE_FOLDERS = ['jobs', 'proc', 'minions', 'sessions', 'file_lists', 'roots'];

/**
 * Creates the master's folders with their modes and gives them to its user (salt/utils/verify.py `verify_env`,
 * 3006.16).
 */
export function prepareFolders(opts: MasterOptions, user: User): void {
  const cachedir = opts.get('cachedir');
  const [syndicDir, tokenDir] = [String(opts.raw('syndic_dir')), String(opts.raw('token_dir'))];
  new KeyStore(opts.get('pki_dir')).ensureFolders();
  for (const path of [cachedir, opts.get('sock_dir'), syndicDir]) makeDirectory(path, 0o755);
  makeDirectory(tokenDir, 0o700);
  // cachedir itself stays open: the users of publisher_acl find their keys in it
  for (const name of PRIVATE_FOLDERS) makeDirectory(join(cachedir, name), 0o700);
  makeDirectory(opts.get('extension_modules'), 0o755);
  const logFile = opts.raw('log_file');
  if (typeof logFile === 'string' && logFile.startsWith('/')) makeDirectory(dirname(logFile), 0o755);
  for (const path of [opts.get('pki_dir'), cachedir, opts.get('sock_dir'), syndicDir, tokenDir])
    giveTree(path, user);
}

/**
 * Leaves the folders as a new master needs them. This is done as the master's user, never as root: the folders are that
 * user's, and with a link in their place root would empty another folder, or close it to everybody.
 */
export function tidyFolders(opts: MasterOptions): void {
  const tokenDir = String(opts.raw('token_dir'));
  if ((statSync(tokenDir).mode & 0o777) !== 0o700) chmodSync(tokenDir, 0o700);
  for (const name of PRIVATE_FOLDERS) closeToOthers(join(opts.get('cachedir'), name));
  if (sharesEventBus(opts)) openToGroup(saltsJobsRoot(opts.get('cachedir')));
  markMinionsOfBefore(opts);
  emptySyndicDirectory(String(opts.raw('syndic_dir')));
  removeSharedMinions(opts.get('cachedir'));
  rmSync(join(opts.get('cachedir'), '.dfn'), { force: true });
}

/**
 * On the first start with marks of minions, whoever has data here is a minion, but for those that were syndics before,
 * to a master of ours or, by its markers, to one of Salt's.
 */
function markMinionsOfBefore(opts: MasterOptions): void {
  const [syndics, minions] = [join(opts.get('cachedir'), 'syndics.known'), minionMarksFolder(opts)];
  if (!opts.get('order_masters') || existsSync(minions)) return;
  makeDirectory(syndics, 0o700);
  for (const id of readdirSync(String(opts.raw('syndic_dir'))).filter(isValidMinionId)) {
    const path = safeJoin(syndics, id);
    if (!existsSync(path)) writeFileAtomic(path, '', { mode: 0o600 });
  }
  const keys = new KeyStore(opts.get('pki_dir'));
  const marks = new MinionMarks(minions, { keyMark: (id) => keyMark(keys, id), clock: systemClock });
  for (const id of new MinionDataCache(opts.get('cachedir')).ids())
    if (!existsSync(safeJoin(syndics, id))) marks.add(id);
}

/** Salt compat: markers of syndics do not outlive the master that saw them. */
function emptySyndicDirectory(path: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), { force: true });
}

/**
 * Reads what backends of the file server and remotes of pillar are told once, so that a mistake is one sentence and not
 * one of each worker.
 * @throws ConfigError
 */
export async function checkRemotes(opts: MasterOptions, log: Logger): Promise<void> {
  const isPlain = opts.get('fileserver_backend').every((name) => name === 'roots');
  if (isPlain && opts.get('ext_pillar').length === 0) return;
  const { configuredRemotes } = await import('./git-updates.ts');
  configuredRemotes({ opts, clock: systemClock, random: systemRandom, log });
}

/** Looks at the options of the server of the minion data cache, without asking it. @throws ConfigError */
export async function checkCache(opts: MasterOptions): Promise<void> {
  if (!isCacheOnServer(opts)) return;
  const { openCacheServer } = await import('../../plugins/registry/cache/open.ts');
  const server = openCacheServer({ opts: opts.toDict(), clock: systemClock });
  await server?.close();
}

/**
 * Refuses to start with a source of top data that does not exist, unless `unserved_options` says so.
 * @throws UnservedOptionError
 */
export async function checkTops(opts: MasterOptions, log: Logger): Promise<void> {
  if (opts.get('master_tops').size === 0) return;
  const { makeMasterTops, leavesOutMissingTops } = await import('./commands/master-tops.ts');
  const [missing] = await (await makeMasterTops({ opts, clock: systemClock, log })).missing();
  if (missing === undefined) return;
  const { noSuchTop } = await import('../../runtime/tops/master-tops.ts');
  if (!leavesOutMissingTops(opts))
    throw new UnservedOptionError(
      `salt-master does not start: master_tops asks for ${missing}; ${noSuchTop(missing)} ` +
        'Remove it, or start without by naming the option in the configuration: unserved_options: [master_tops]',
    );
  log.warning(`master_tops: ${noSuchTop(missing)} unserved_options has the master start without.`);
}

/** Makes the master's key pair, and its signing pair when it signs its public key, unless they exist. */
export async function prepareKeys(opts: MasterOptions, log: Logger): Promise<void> {
  const directory = opts.get('pki_dir');
  const phrase = masterKeyPassphrase(opts);
  const { created } = await generateKeyFiles({
    directory,
    name: 'master',
    bits: opts.get('keysize'),
    passphrase: phrase === undefined ? undefined : new Secret(phrase),
  });
  if (created) log.info(`Generating master keys: ${directory}`);
  if (opts.raw('master_sign_pubkey') === true) {
    const signing = opts.raw('signing_key_pass');
    await generateKeyFiles({
      directory,
      name: String(opts.raw('master_sign_key_name')),
      bits: opts.get('keysize'),
      passphrase: typeof signing === 'string' && signing !== '' ? new Secret(signing) : undefined,
    });
  }
}

/**
 * Writes `<cachedir>/.<user>_key`, mode 0600 and owned by the user, for everybody who may publish on this host: the
 * master's user, the running one, and those of `publisher_acl` (docs/internals/keys-and-sessions.md#user-keys).
 * @returns the keys by user
 */
export async function writeUserKeys(opts: MasterOptions, user: User): Promise<ReadonlyMap<string, Secret>> {
  const keys = new Map<string, Secret>();
  const accounts = await publishingUsers(opts, user);
  for (const [name, account] of accounts) {
    const key = generateKeyString();
    const path = safeJoin(opts.get('cachedir'), `.${name.replaceAll('\\', '_')}_key`);
    rmSync(path, { force: true });
    writeFileAtomic(path, key.reveal(), { mode: 0o600 });
    if (account !== undefined) giveTree(path, account);
    keys.set(name, key);
  }
  return keys;
}

/**
 * Users by name. With `client_acl_verify: False` also those of `publisher_acl` whom the system does not know, as they
 * stand there, and no patterns (salt/daemons/masterapi.py `mk_key`, 3006.16).
 */
async function publishingUsers(opts: MasterOptions, user: User): Promise<Map<string, User | undefined>> {
  const accounts = new Map<string, User | undefined>([[user.name, user]]);
  const running = await findUser(process.getuid?.() ?? 0);
  if (running !== undefined) accounts.set(running.name, running);
  const acl = opts.raw('publisher_acl');
  if (acl === undefined || !isDict(acl) || acl.size === 0) return accounts;
  if (!opts.get('client_acl_verify')) {
    for (const name of [...acl.keys()].map(String))
      if (!accounts.has(name)) accounts.set(name, await findUser(name));
    return accounts;
  }
  const everybody = await listUsers();
  for (const pattern of acl.keys()) {
    for (const account of everybody)
      if (expressionMatch(account.name, String(pattern))) accounts.set(account.name, account);
  }
  return accounts;
}

/**
 * Checks that there are such transports, and that the ports of each can be bound.
 * @throws ListenError naming the one that cannot; BrineError, ConfigError when the transports are not configured well
 */
export async function checkPorts(opts: MasterOptions): Promise<void> {
  for (const transport of masterTransports(opts)) {
    const { hasTls } = requireTransport(transport.name);
    if (hasTls) await checkCertificates(transport.opts);
    for (const port of [transport.opts.get('publish_port'), transport.opts.get('ret_port')]) {
      const { server } = await listen(
        { address: { host: transport.opts.get('interface'), port } },
        (socket) => socket.destroy(),
      );
      await new Promise((resolve) => server.close(resolve));
    }
  }
}

async function checkCertificates(opts: MasterOptions): Promise<void> {
  const value = opts.raw('ssl');
  if (value === undefined || value === null || value === false) return;
  const [{ readSsl }, { checkServerCertificates }] = await Promise.all([
    import('../../config/ssl.ts'),
    import('../../network/transport/tls.ts'),
  ]);
  const ssl = readSsl(value);
  if (ssl !== undefined) checkServerCertificates(ssl);
}
