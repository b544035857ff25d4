/** The functions of `ssh` for known hosts (3006.16 salt/modules/ssh.py). */
import { isFile } from '../../../python/paths.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext, type TypedArguments } from '../../../runtime/loader/module.ts';
import { noPath, param } from '../../../runtime/loader/params.ts';
import { ArgumentError } from '../../../errors/errors.ts';
import {
  errorStatus,
  findKnownHosts,
  hashHosts,
  hostKeysValue,
  isOddPort,
  isOfKind,
  removeHost,
  replaceKeys,
  scannedKeys,
  storedKeys,
  wholeKind,
  withPort,
  type HostKey,
  type HostScan,
} from './known-hosts.ts';

/** A path; undefined for what Python counts as false. @throws ArgumentError for what is no text */
function pathIfGiven(value: Value): string | undefined {
  if (!truthy(value)) return undefined;
  if (typeof value !== 'string') throw new ArgumentError(noPath(value));
  return value;
}

const USER_DOC = 'Whose file it is; the file of the whole machine without one.';
const USER = { user: param.textIfGiven({ default: null, doc: USER_DOC }) } as const;
const HOSTNAME = { hostname: param.textIfGiven({ default: null, doc: 'The host.' }) } as const;
const CONFIG = {
  config: param.by(pathIfGiven, {
    default: null,
    type: 'str',
    doc: 'The file, from the home folder of the user: `.ssh/known_hosts`; without a user `/etc/ssh/ssh_known_hosts`.',
  }),
} as const;
const PORT = {
  port: param.valueIfGiven({ default: null, type: 'int', doc: 'The port of its SSH server; 22 without it.' }),
} as const;
const HASH_TYPE = {
  fingerprint_hash_type: param.textIfGiven({
    default: null,
    doc: 'The kind of the fingerprint; sha256 without it.',
  }),
} as const;
const SCAN = {
  hash_known_hosts: param.flag({ default: true, doc: 'Hash the name of the host.' }),
  timeout: param.text({
    default: 5,
    type: 'int',
    doc: 'Seconds after which a silent host counts as unavailable.',
  }),
} as const;
const ENC = {
  enc: param.textIfGiven({
    default: null,
    doc: 'The kind of the key: `ed25519`, `ecdsa`, `ssh-rsa`; every kind without it.',
  }),
} as const;
const FINGERPRINT = {
  fingerprint: param.textIfGiven({ default: null, doc: 'The fingerprint that a key of the host must have.' }),
} as const;
const KEY = { key: param.textIfGiven({ default: null, doc: 'The key of the host.' }) } as const;

const SET = {
  ...{ ...USER, ...HOSTNAME, ...FINGERPRINT, ...KEY, ...PORT, ...ENC, ...CONFIG, ...SCAN },
  ...HASH_TYPE,
} as const;
type SetArguments = TypedArguments<typeof SET>;

const HOST_REQUIRED = 'hostname argument required';

/** Whether the stored keys do: `yes`, `no`, or `ask` the host. */
function judge(stored: readonly HostKey[], { fingerprint, key, enc }: SetArguments): 'yes' | 'no' | 'ask' {
  if (stored.length === 0) return 'no';
  if (fingerprint !== undefined && !stored.some((one) => one.fingerprint === fingerprint)) return 'no';
  if (key !== undefined) return keysOfKind(stored, enc).includes(key) ? 'yes' : 'no';
  return fingerprint === undefined ? 'ask' : 'yes';
}

function keysOfKind(stored: readonly HostKey[], enc: string | undefined): string[] {
  return stored.filter((one) => enc === undefined || isOfKind(one.enc ?? '', enc)).map(({ key }) => key);
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((one) => b.includes(one)) && b.every((one) => a.includes(one));

/** The keys that the host has, or why they will not do. */
async function askHost(
  ctx: ModuleContext,
  scan: HostScan,
  fingerprint: string | undefined,
): Promise<HostKey[] | string> {
  const keys = await scannedKeys(ctx, scan);
  if (keys.length === 0) return 'Unable to receive remote host keys';
  if (fingerprint !== undefined && !keys.some((one) => one.fingerprint === fingerprint))
    return 'Remote host public keys found but none of their fingerprints match the one you have provided';
  return keys;
}

async function setKnownHost(ctx: ModuleContext, args: SetArguments): Promise<Dict> {
  const { user, hostname, config, key, enc, fingerprint, port, hash_known_hosts } = args;
  if (hostname === undefined) return errorStatus(HOST_REQUIRED);
  if (isOddPort(port) && hash_known_hosts)
    return errorStatus('argument port can not be used in conjunction with argument hash_known_hosts');
  const file = await findKnownHosts(ctx, user, config);
  // Salt compat: a user who does not exist is an error with a sentence; Salt fails with a TypeError
  if (typeof file === 'string') return errorStatus(file);
  const scan: HostScan = { ...args, hostname };
  const stored = await storedKeys(ctx, file, scan);
  const verdict = judge(stored, args);
  const kept = keysOfKind(stored, enc);
  const exists = dict({ status: 'exists', keys: kept });
  if (verdict === 'yes') return exists;
  const found =
    key === undefined
      ? await askHost(ctx, scan, fingerprint)
      : [{ hostname, enc: enc === undefined ? enc : wholeKind(enc), key }];
  if (typeof found === 'string') return errorStatus(found);
  const names = found.map((one) => one.key);
  if (verdict === 'ask' && isSameSet(names, kept)) return exists;
  const added = withPort(scan, found);
  await replaceKeys(ctx, file, scan, added);
  if (key !== undefined && hash_known_hosts) await hashHosts(ctx, file);
  return dict({ status: 'updated', old: hostKeysValue(stored), new: hostKeysValue(added) });
}

/** A file that is there, or why it cannot be worked on. */
async function existingFile(
  ctx: ModuleContext,
  user: string | undefined,
  config: string | undefined,
): Promise<Exclude<Awaited<ReturnType<typeof findKnownHosts>>, string> | Dict> {
  const file = await findKnownHosts(ctx, user, config);
  if (typeof file === 'string') return errorStatus(file);
  return isFile(file.path) ? file : errorStatus(`Known hosts file ${file.path} does not exist`);
}

async function checkKnownHost(
  ctx: ModuleContext,
  args: Pick<SetArguments, 'user' | 'hostname' | 'key' | 'fingerprint' | 'config' | 'port'> & {
    readonly fingerprint_hash_type: string | undefined;
  },
): Promise<Value> {
  const { user, hostname, key, fingerprint, config } = args;
  if (hostname === undefined) return errorStatus(HOST_REQUIRED);
  const file = await findKnownHosts(ctx, user, config);
  if (typeof file === 'string') return errorStatus(file);
  const stored = await storedKeys(ctx, file, { ...args, hostname });
  if (stored.length === 0) return 'add';
  const isSame = ({ key: theirs, fingerprint: sum }: HostKey): boolean =>
    key === undefined ? fingerprint === undefined || sum === fingerprint : theirs === key;
  return stored.some(isSame) ? 'exists' : 'update';
}

/** The functions. */
export const knownHostFunctions = {
  get_known_host_entries: defineFunction({
    doc: 'Lists the keys by which a host is known.',
    params: {
      user: param.textIfGiven({ doc: USER_DOC }),
      hostname: param.text({ doc: 'The host.' }),
      ...{ ...CONFIG, ...PORT, ...HASH_TYPE },
    },
    returns: 'list of keys with `hostname`, `key`, `enc` and `fingerprint`; none when the host is not known',
    examples: ["salt '*' ssh.get_known_host_entries <user> <hostname>"],
    run: async (ctx, { user, config, ...query }) => {
      const file = await findKnownHosts(ctx, user, config);
      return typeof file === 'string' ? errorStatus(file) : hostKeysValue(await storedKeys(ctx, file, query));
    },
  }),
  recv_known_host_entries: defineFunction({
    doc: 'Asks a host for its keys.',
    params: {
      hostname: param.text({ doc: 'The host.' }),
      ...{ ...ENC, ...PORT, ...SCAN, ...HASH_TYPE },
    },
    returns:
      'list of keys with `hostname`, `key`, `enc` and `fingerprint`; none when the host does not answer',
    examples: ["salt '*' ssh.recv_known_host_entries <hostname> enc=<enc> port=<port>"],
    run: async (ctx, scan) => hostKeysValue(await scannedKeys(ctx, scan)),
  }),
  check_known_host: defineFunction({
    doc: 'Returns what setting a known host would do.',
    params: { ...USER, ...HOSTNAME, ...KEY, ...FINGERPRINT, ...CONFIG, ...PORT, ...HASH_TYPE },
    returns: '`add`, `update` or `exists`; a mapping with `status` and `error` when that cannot be said',
    examples: ["salt '*' ssh.check_known_host <user> <hostname> key='AAAA...FAaQ=='"],
    run: checkKnownHost,
  }),
  rm_known_host: defineFunction({
    doc: 'Removes every key of a host.',
    params: { ...USER, ...HOSTNAME, ...CONFIG, ...PORT },
    returns: 'mapping with `status`, and `comment` or `error`',
    examples: ["salt '*' ssh.rm_known_host <user> <hostname>"],
    run: async (ctx, { user, hostname, config, port }) => {
      if (hostname === undefined) return errorStatus(HOST_REQUIRED);
      const file = await existingFile(ctx, user, config);
      if (file instanceof Map) return file;
      const query = { hostname, port, fingerprint_hash_type: undefined };
      return dict({ status: 'removed', comment: await removeHost(ctx, file, query) });
    },
  }),
  set_known_host: defineFunction({
    doc: 'Makes a host known: by the key that is given, or by those that the host itself presents.',
    params: SET,
    returns: 'mapping with `status` (`exists`, `updated`, `error`) and what belongs to it',
    examples: [
      "salt '*' ssh.set_known_host <user> fingerprint='xx:xx:..:xx' enc='ssh-rsa' config='.ssh/known_hosts'",
    ],
    run: setKnownHost,
  }),
  hash_known_hosts: defineFunction({
    doc: 'Hashes the names of hosts in a file of known hosts.',
    params: { ...USER, ...CONFIG },
    returns: 'mapping with `status`, and `comment` or `error`',
    examples: ["salt '*' ssh.hash_known_hosts"],
    run: async (ctx, { user, config }) => {
      const file = await existingFile(ctx, user, config);
      if (file instanceof Map) return file;
      return dict({ status: 'updated', comment: await hashHosts(ctx, file) });
    },
  }),
};
