/** The keys that apt trusts: in its own ring by `apt-key`, or in files by `gpg` (3006.16 salt/modules/aptpkg.py). */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { copyContent } from '../../../../host/file-operations.ts';
import { baseName, isDir, joinPath } from '../../../../python/paths.ts';
import { findProgram } from '../../../../host/which.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { PythonError } from '../../../../python/exceptions.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../../python/values/text.ts';
import {
  dict,
  isDict,
  truthy,
  type Dict,
  type DictInit,
  type Value,
} from '../../../../python/values/value.ts';
import { runAll, type Ended } from '../../../shared/program.ts';
import { callApt } from './apt.ts';
import { cachedFile } from '../../../shared/served-files.ts';

const KEY_FOLDER = '/etc/apt/keyrings';

/** Whether `apt-key` is to be used, and where the files are otherwise. */
export interface KeyPlace {
  readonly usesAptKey: boolean;
  readonly folder: string;
}

/**
 * Reads `aptkey` and `keydir`.
 * @returns undefined, with a line in the log, when there is no folder for the files
 */
export function keyPlace(ctx: ModuleContext, aptkey: boolean, keydir: Value): KeyPlace | undefined {
  const folder = truthy(keydir) ? pyStr(keydir) : KEY_FOLDER;
  if (!aptkey && !isDir(folder)) {
    ctx.log.error(
      `The directory ${folder} does not exist. Please create this directory only writable by root`,
    );
    return undefined;
  }
  return { usesAptKey: aptkey && findProgram('apt-key') !== undefined, folder };
}

function gpgRing(path: string): string[] {
  return ['gpg', '--no-default-keyring', '--keyring', path];
}

async function listRing(ctx: ModuleContext, path: string): Promise<string> {
  return (await runAll(ctx, [...gpgRing(path), '--list-keys', '--with-colons'])).stdout;
}

/** `pkg.get_repo_keys`: what is known of the keys, by their ids. */
export async function repoKeys(ctx: ModuleContext, { usesAptKey, folder }: KeyPlace): Promise<Dict | false> {
  if (!usesAptKey) {
    if (!isDir(folder)) {
      ctx.log.error(
        `The directory ${folder} does not exist. Please create this directory only writable by root`,
      );
      return false;
    }
    const texts: string[] = [];
    for (const name of readdirSync(folder)) texts.push(await listRing(ctx, joinPath(folder, name)));
    return parseKeys(texts.join('\n'));
  }
  const words = [
    '--batch',
    '--list-public-keys',
    '--with-fingerprint',
    '--with-fingerprint',
    '--with-colons',
  ];
  const { retcode, stdout, stderr } = await callApt(ctx, ['apt-key', 'adv', ...words, '--fixed-list-mode'], {
    scope: false,
  });
  if (retcode === 0) return parseKeys(stdout);
  ctx.log.error(stderr);
  return new Map();
}

/** The records of `gpg --with-colons`. Salt compat: numbers are numbers; ids stay text, with their leading zeros. */
function parseKeys(text: string): Dict {
  const keys: Dict[] = [];
  for (const line of text.split('\n')) {
    const items = line.split(':').map((item) => item.trim());
    if (items.length < 2) continue;
    const field = (index: number): Value => {
      const item = items[index] ?? '';
      if (item === '') return null;
      return /^-?\d{1,15}$/.test(item) ? Number(item) : item;
    };
    const last = keys[keys.length - 1];
    const sub = last?.get('subkey');
    if (items[0] === 'pub' || items[0] === 'sub') {
      const key = dict({
        algorithm: field(3),
        bits: field(2),
        capability: field(11),
        date_creation: field(5),
        date_expiration: field(6),
        keyid: items[4] ?? '',
        validity: field(1),
      });
      if (items[0] === 'pub') keys.push(key);
      else last?.set('subkey', key);
    } else if (items[0] === 'fpr')
      (sub !== undefined && isDict(sub) ? sub : last)?.set('fingerprint', field(9));
    else if (items[0] === 'uid') last?.set('uid', field(9)).set('uid_hash', field(7));
  }
  return new Map(keys.map((key) => [key.get('keyid') ?? '', key]));
}

/** What `pkg.add_repo_key` is asked for. */
export interface NewKey {
  readonly path: Value;
  readonly text: Value;
  readonly keyserver: Value;
  readonly keyid: Value;
  readonly saltenv: Value;
  readonly keyfile: Value;
}

/** `pkg.add_repo_key`. @returns whether the key is there */
export async function addKey(ctx: ModuleContext, key: NewKey, place: KeyPlace): Promise<boolean> {
  if (truthy(key.keyid)) {
    const known = await repoKeys(ctx, place);
    const wanted = pyStr(key.keyid);
    if (known !== false && [...known.keys()].some((id) => pyStr(id).endsWith(wanted))) return true;
  }
  const [words, options] = await addCommand(ctx, key, place);
  if (words === undefined) return options === true;
  const { retcode, stderr } = await callApt(ctx, words, {
    keywords: typeof options === 'object' ? options : {},
  });
  if (retcode === 0) return true;
  ctx.log.error(`Unable to add repo key: ${stderr}`);
  return false;
}

/** The command that adds a key, with its options; or whether it is there without one. */
async function addCommand(
  ctx: ModuleContext,
  { path, text, keyserver, keyid, saltenv, keyfile }: NewKey,
  { usesAptKey, folder }: KeyPlace,
): Promise<[string[] | undefined, (DictInit | boolean)?]> {
  if (truthy(path)) {
    const cached = await cachedFile(ctx, [path, saltenv]);
    if (cached === undefined) {
      ctx.log.error(`Unable to get cached copy of file: ${pyStr(path)}`);
      return [undefined, false];
    }
    if (usesAptKey) return [['apt-key', 'add', cached]];
    return [undefined, await copyKey(ctx, cached, { folder, keyfile })];
  }
  if (truthy(text)) return [['apt-key', 'add', '-'], { stdin: text }];
  if (truthy(keyserver)) {
    if (!truthy(keyid))
      throw new SaltInvocationError(`No keyid or keyid too short for keyserver: ${pyStr(keyserver)}`);
    const server = pyStr(keyserver);
    if (usesAptKey) return [['apt-key', 'adv', '--batch', '--keyserver', server, '--recv', pyStr(keyid)]];
    if (!truthy(keyfile)) {
      ctx.log.error('You must define the name of the key file to save the key. See keyfile argument');
      return [undefined, false];
    }
    const ring = gpgRing(joinPath(folder, pyStr(keyfile)));
    return [[...ring, '--keyserver', server, '--recv-keys', pyStr(keyid)]];
  }
  if (truthy(keyid)) throw new SaltInvocationError(`No keyserver specified for keyid: ${pyStr(keyid)}`);
  throw new PythonError('TypeError', 'add_repo_key() takes at least 1 argument (0 given)');
}

/** Puts a key file where apt reads it; keys in text form are converted first. */
async function copyKey(
  ctx: ModuleContext,
  cached: string,
  { folder, keyfile }: { readonly folder: string; readonly keyfile: Value },
): Promise<boolean> {
  const name = truthy(keyfile) ? pyStr(keyfile) : baseName(cached);
  const isText = /^-*BEGIN PGP/.test(decodeUtf8(readFileSync(cached)) ?? '');
  // apt wants a file that ends in .asc to be text. Salt compat: as later releases do (68464)
  if (!isText || name.endsWith('.asc')) {
    copyContent(cached, joinPath(folder, name));
    return true;
  }
  if (findProgram('gpg') === undefined) {
    ctx.log.error(
      `Detected an ASCII armored key ${cached} and the gpg binary is not available. Not decrypting the key.`,
    );
    return false;
  }
  const plain = `${cached}.decrypted`;
  const { retcode, stderr } = await runAll(ctx, ['gpg', '--yes', '--output', plain, '--dearmor', cached]);
  if (retcode !== 0) {
    ctx.log.error(`Failed to decrypt the key ${cached}: ${stderr}`);
    return false;
  }
  copyContent(plain, joinPath(folder, name));
  rmSync(plain, { force: true });
  return true;
}

/** `pkg.del_repo_key`. @returns the key's id, false when no file has it */
export async function deleteKey(ctx: ModuleContext, keyid: string, place: KeyPlace): Promise<Value> {
  if (place.usesAptKey) {
    const { retcode, stderr }: Ended = await callApt(ctx, ['apt-key', 'del', keyid], { scope: false });
    if (retcode === 0) return keyid;
    throw new CommandExecutionError(`Failed to remove keyid ${keyid}${stderr === '' ? '' : `: ${stderr}`}`);
  }
  if (keyid.length !== 8 && keyid.length !== 16) {
    ctx.log.error('The keyid needs to be either 8 or 16 characters');
    return false;
  }
  for (const name of readdirSync(place.folder)) {
    const path = joinPath(place.folder, name);
    const keys = parseKeys(await listRing(ctx, path));
    if (![...keys.keys()].some((id) => pyStr(id).endsWith(keyid))) continue;
    rmSync(path);
    return keyid;
  }
  ctx.log.error(`Could not find the key file for keyid: ${keyid}`);
  return false;
}
