/** The functions of `ssh` that read files of keys (3006.16 salt/modules/ssh.py). */
import { ArgumentError, CommandExecutionError } from '../../../errors/errors.ts';
import { listFolder, readBytes } from '../../../host/file-operations.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { baseName, isAbs, joinPath, pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { strip } from '../../../python/values/text.ts';
import { toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { noPath, param } from '../../../runtime/loader/params.ts';
import { refuseForeignLinks } from './foreign-links.ts';
import { userAccount } from '../../shared/accounts.ts';

const HOST_KEY = /^ssh_host_(.+)_key((-cert)?\.pub)?/;
const KINDS = ['rsa', 'dsa', 'ecdsa', 'ed25519'].map((kind) => `id_${kind}`);
const PRIVATE_KEY = /BEGIN (?:\w+\s)*PRIVATE KEY/;

/** The text of a key; undefined when it cannot be read. */
function keyText(path: string): string | undefined {
  try {
    return strip(readBytes(path).toString('utf8'));
  } catch (error) {
    if (isOsError(error)) return undefined;
    throw error;
  }
}

function hostKeys(folder: string, isWanted: (isPublic: boolean, isCertificate: boolean) => boolean): Dict {
  const keys: Dict = new Map();
  for (const name of listFolder(folder)) {
    const [, kind, ending, certificate] = HOST_KEY.exec(name) ?? [];
    if (kind === undefined || !isWanted(ending !== undefined, certificate !== undefined)) continue;
    keys.set(`${kind}${ending ?? ''}`, keyText(joinPath(folder, name)) ?? '');
  }
  return keys;
}

/** The names of files that are asked for: one of its own, none with `False`, else the usual ones. */
function namesOf(file: Value, ending: string): string[] {
  if (truthy(file)) {
    if (typeof file !== 'string') throw new ArgumentError(noPath(file));
    return [file];
  }
  return file === false ? [] : KINDS.map((kind) => `${kind}${ending}`);
}

async function keysOfUser(ctx: ModuleContext, user: Value, names: readonly string[]): Promise<Dict> {
  const keys: Dict = new Map();
  const info = await userAccount(ctx, [user]);
  const home = info?.get('home');
  if (info === undefined || home === undefined) return keys;
  for (const name of names) {
    const path = isAbs(name) ? name : `${pyStr(home)}/.ssh/${name}`;
    if (!pathExists(path)) continue;
    refuseForeignLinks(path, toNumber(info.get('uid')) ?? 0);
    const text = keyText(path);
    if (text !== undefined) keys.set(isAbs(name) ? baseName(name) : name, text);
  }
  return keys;
}

const FILE_DOC = 'path, or a name below `~/.ssh`; none of them with `False`.';

/** The functions. */
export const keyFileFunctions = {
  host_keys: defineFunction({
    doc: 'Reads the keys of this machine’s SSH server.',
    params: {
      keydir: param.textIfGiven({ default: null, doc: 'The folder; `/etc/ssh` without it.' }),
      private: param.unlessFalse({ default: true, doc: 'Private keys, too.' }),
      certs: param.unlessFalse({ default: true, doc: 'Certificates, too.' }),
    },
    returns: 'mapping of kind to key',
    examples: ["salt '*' ssh.host_keys", "salt '*' ssh.host_keys keydir=/etc/ssh private=False"],
    run: (_ctx, { keydir = '/etc/ssh', private: isPrivate, certs }) =>
      hostKeys(keydir, (isPublic, isCertificate) => (isPublic || isPrivate) && !(isCertificate && !certs)),
  }),
  user_keys: defineFunction({
    doc: 'Reads the keys that users have.',
    params: {
      user: param.valueIfGiven({ default: null, type: 'str or list', doc: 'Whose; everybody’s without it.' }),
      pubfile: param.value({ default: null, type: 'str', doc: `The public key: a ${FILE_DOC}` }),
      prvfile: param.value({ default: null, type: 'str', doc: `The private key: a ${FILE_DOC}` }),
    },
    returns: 'mapping of user to a mapping of file to key',
    examples: ["salt '*' ssh.user_keys", "salt '*' ssh.user_keys user=user1 prvfile=False"],
    run: async (ctx, { user, pubfile, prvfile }) => {
      const asked = user ?? (await ctx.functions.call('user.list_users'));
      const names = [...namesOf(pubfile, '.pub'), ...namesOf(prvfile, '')];
      const out: Dict = new Map();
      for (const one of Array.isArray(asked) ? asked : [asked]) {
        const keys = await keysOfUser(ctx, one, names);
        if (keys.size > 0) out.set(one, keys);
      }
      return out;
    },
  }),
  key_is_encrypted: defineFunction({
    doc: 'Returns whether a private key has a passphrase.',
    params: { key: param.textOnly(noPath, { doc: 'The path of the key.' }) },
    returns: 'true or false',
    examples: ["salt '*' ssh.key_is_encrypted /root/id_rsa"],
    run: (_ctx, { key }) => {
      const text = readPrivateKey(key);
      if (!PRIVATE_KEY.test(text)) throw new CommandExecutionError(`${key} is not a private key`);
      return text.includes('ENCRYPTED');
    },
  }),
};

/** @throws CommandExecutionError */
function readPrivateKey(path: string): string {
  try {
    return readBytes(path).toString('utf8');
  } catch (error) {
    if (!isOsError(error)) throw error;
    if (error.code === 'ENOENT') throw new CommandExecutionError(`${path} does not exist`);
    if (error.code === 'EACCES') throw new CommandExecutionError(`Permission denied reading from ${path}`);
    throw new CommandExecutionError(
      `Error ${String(Math.abs(error.errno ?? 0))} encountered reading from ${path}: ${osErrorText(error)}`,
    );
  }
}
