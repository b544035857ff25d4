/** What a master does before it starts its parts: folders, keys, user key files, ports (config.md, 7 and 8). */
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MasterOptions } from '../config/master-options.ts';
import { generateKeyString } from '../crypto/crypticle.ts';
import { giveTree } from '../daemon/privileges.ts';
import { makeDirectory, writeFileAtomic } from '../host/files.ts';
import type { Logger } from '../host/log.ts';
import { Secret } from '../host/secret.ts';
import { findUser, listUsers, type User } from '../host/users.ts';
import { generateKeyFiles } from '../keys/generate.ts';
import { KeyStore } from '../keys/store.ts';
import { masterTransports } from '../config/transports.ts';
import { listen } from '../transport/listen.ts';
import { requireTransport } from '../transport/transports.ts';
import { expressionMatch } from '../text/expression-match.ts';
import { isDict } from '../values/value.ts';
import { masterKeyPassphrase } from './master-key.ts';

/** Creates the master's folders with their modes and gives them to its user (salt/utils/verify.py `verify_env`, 3006.16). */
export function prepareFolders(opts: MasterOptions, user: User): void {
  const cachedir = opts.get('cachedir');
  new KeyStore(opts.get('pki_dir')).ensureFolders();
  for (const path of [
    cachedir,
    opts.get('sock_dir'),
    String(opts.raw('syndic_dir')),
    String(opts.raw('token_dir')),
  ]) {
    makeDirectory(path, 0o755);
  }
  chmodSync(String(opts.raw('token_dir')), 0o700);
  for (const name of ['jobs', 'proc', 'minions', 'sessions'])
    makeDirectory(join(cachedir, name), name === 'sessions' ? 0o700 : 0o755);
  makeDirectory(opts.get('extension_modules'), 0o755);
  const logFile = opts.raw('log_file');
  if (typeof logFile === 'string' && logFile.startsWith('/')) makeDirectory(dirname(logFile), 0o755);
  emptySyndicDirectory(String(opts.raw('syndic_dir')));
  rmSync(join(cachedir, '.dfn'), { force: true });
  for (const path of [opts.get('pki_dir'), cachedir, opts.get('sock_dir')]) giveTree(path, user);
}

/** Salt compat: markers of syndics do not outlive the master that saw them. */
function emptySyndicDirectory(path: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), { force: true });
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
 * Writes `<cachedir>/.<user>_key`, mode 0600 and owned by the user, for everybody who may publish on this host: the master's
 * user, the running one, and those of `publisher_acl` (wire-protocol.md, 6.2).
 * @returns the keys by user
 */
export async function writeUserKeys(opts: MasterOptions, user: User): Promise<ReadonlyMap<string, Secret>> {
  const keys = new Map<string, Secret>();
  for (const account of await publishingUsers(opts, user)) {
    const key = generateKeyString();
    const path = join(opts.get('cachedir'), `.${account.name.replaceAll('\\', '_')}_key`);
    rmSync(path, { force: true });
    writeFileAtomic(path, key.reveal(), { mode: 0o600 });
    giveTree(path, account);
    keys.set(account.name, key);
  }
  return keys;
}

async function publishingUsers(opts: MasterOptions, user: User): Promise<User[]> {
  const accounts = new Map([[user.name, user]]);
  const running = await findUser(process.getuid?.() ?? 0);
  if (running !== undefined) accounts.set(running.name, running);
  const acl = opts.raw('publisher_acl');
  if (acl === undefined || !isDict(acl) || acl.size === 0) return [...accounts.values()];
  const everybody = await listUsers();
  for (const pattern of acl.keys()) {
    for (const account of everybody)
      if (expressionMatch(account.name, String(pattern))) accounts.set(account.name, account);
  }
  return [...accounts.values()];
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
    import('../config/ssl.ts'),
    import('../transport/tls.ts'),
  ]);
  const ssl = readSsl(value);
  if (ssl !== undefined) checkServerCertificates(ssl);
}
