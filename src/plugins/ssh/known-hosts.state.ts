/** `ssh_known_hosts`: the keys by which hosts are known (3006.16 salt/states/ssh_known_hosts.py). */
import { folderRefusal } from './module/config-folder.ts';
import { CommandNotFoundError } from '../../errors/errors.ts';
import { isAbs } from '../../python/paths.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { isOddPort, isOfKind } from './module/known-hosts.ts';
import { kindOfKey } from './module/key-lines.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const NAME = { name: param.text({ doc: 'The host.' }) } as const;
const FILE = {
  config: param.textIfGiven({
    default: null,
    doc: 'The file, from the home folder of the user: `.ssh/known_hosts`; without a user `/etc/ssh/ssh_known_hosts`, and then a whole path.',
  }),
} as const;
const USER = {
  user: param.textIfGiven({
    default: null,
    doc: 'Whose file it is; the file of the whole machine without one.',
  }),
} as const;
const PRESENT = {
  ...NAME,
  user: { ...USER.user, account: 'user' },
  fingerprint: param.textIfGiven({ default: null, doc: 'The fingerprint that a key of the host must have.' }),
  key: param.textIfGiven({
    default: null,
    doc: 'The key of the host; needs `enc`, and excludes `fingerprint`.',
  }),
  port: param.valueIfGiven({ default: null, type: 'int', doc: 'The port of its SSH server; 22 without it.' }),
  enc: param.textIfGiven({ default: null, doc: 'The kind of the key: `ed25519`, `ecdsa`, `ssh-rsa`.' }),
  ...FILE,
  hash_known_hosts: param.flag({ default: true, doc: 'Hash the name of the host.' }),
  timeout: param.value({
    default: 5,
    type: 'int',
    doc: 'Seconds after which a silent host counts as unavailable.',
  }),
  fingerprint_hash_type: param.textIfGiven({
    default: null,
    doc: 'The kind of the fingerprint; sha256 without it.',
  }),
} as const;
type PresentArguments = TypedArguments<typeof PRESENT>;

/** Why a text is no host: a line of the file would be read as something else, a program takes it for an option. */
function hostRefusal(name: string): string | undefined {
  return /^[^\s#-][^\s#]*$/.test(name) ? undefined : `${pyRepr(name)} is no name or address of a host`;
}

function portRefusal(port: Value | undefined, isHashed: boolean): string | undefined {
  if (port === undefined) return undefined;
  const number = /^\s*\d+\s*$/.test(pyStr(port)) ? Number(pyStr(port)) : 0;
  if (number < 1 || number > 65_535) return `port must be a number from 1 to 65535, not ${pyRepr(port)}`;
  return isOddPort(port) && isHashed
    ? 'argument port can not be used in conjunction with argument hash_known_hosts'
    : undefined;
}

/**
 * Why a text is no key: it is base64, and begins with its kind. Salt compat: Salt saves it, and ssh then says that the
 * line is broken.
 */
function keyRefusal(key: string, enc: string | undefined): string | undefined {
  const kind = kindOfKey(key);
  if (kind === undefined) return `key is no key of SSH: ${pyRepr(key)}`;
  return enc === undefined || isOfKind(kind, enc)
    ? undefined
    : `key is of the kind ${kind}, and enc says ${enc}`;
}

const NO_PATH = 'If not specifying a "user", specify an absolute "config".';

/** The file as it is named in comments; undefined for one that cannot be found without a user. */
function shownFile(user: string | undefined, config: string | undefined): string | undefined {
  if (user !== undefined) return config ?? '.ssh/known_hosts';
  const path = config ?? '/etc/ssh/ssh_known_hosts';
  return isAbs(path) ? path : undefined;
}

const fieldOf = (value: Value, name: string): Value => (isDict(value) ? (value.get(name) ?? null) : null);

async function announce(ctx: StateContext, args: PresentArguments, file: string): Promise<StateResult> {
  const { name, user, key, enc, fingerprint, port, fingerprint_hash_type } = args;
  if (key !== undefined && fingerprint !== undefined)
    return failure(name, 'Specify either "key" or "fingerprint", not both.');
  if (key !== undefined && enc === undefined)
    return failure(name, 'Required argument "enc" if using "key" argument.');
  const words = dict({ key, fingerprint, config: file, port, fingerprint_hash_type });
  let found: Value;
  try {
    found = await ctx.functions.call('ssh.check_known_host', [user ?? null, name], words);
  } catch (error) {
    if (!(error instanceof CommandNotFoundError)) throw error;
    return failure(name, `ssh.check_known_host error: ${error.message}`);
  }
  if (fieldOf(found, 'status') === 'error') return failure(name, fieldOf(found, 'error'));
  if (found === 'exists') return outcome(name, true, `Host ${name} is already in ${file}`);
  return outcome(
    name,
    null,
    `Key for ${name} is set to be ${found === 'add' ? 'added to' : 'updated in'} ${file}`,
  );
}

/** What is said of a host whose keys were saved. */
function savedComment({ name, key, fingerprint, enc }: PresentArguments, file: string, added: Value): string {
  const first = Array.isArray(added) ? (added[0] ?? null) : null;
  if (key !== undefined) return `${name}'s key saved to ${file} (key: ${pyStr(fieldOf(first, 'key'))})`;
  if (fingerprint !== undefined)
    return `${name}'s key saved to ${file} (fingerprint: ${pyStr(fieldOf(first, 'fingerprint'))})`;
  if (enc !== undefined)
    return `${name}'s ${enc} key saved to ${file} (key: ${pyStr(fieldOf(first, 'key'))})`;
  return `${name}'s key(s) saved to ${file}`;
}

async function present(ctx: StateContext, args: PresentArguments): Promise<StateResult> {
  const { name, user, config, ...words } = args;
  const file = shownFile(user, config);
  if (file === undefined) return failure(name, NO_PATH);
  if (ctx.state.test) return announce(ctx, args, file);
  const given: Dict = dict({ user, hostname: name, config: file, ...words });
  const done = await ctx.functions.call('ssh.set_known_host', [], given);
  const status = fieldOf(done, 'status');
  if (status === 'exists') return outcome(name, true, `${name} already exists in ${file}`);
  if (status === 'error') return failure(name, fieldOf(done, 'error'));
  const added = fieldOf(done, 'new');
  const changes = dict({ old: fieldOf(done, 'old'), new: added });
  return outcome(name, true, savedComment(args, file, added), changes);
}

/** The states of `ssh_known_hosts`. */
export const sshKnownHostsStates = defineModule({
  name: 'ssh_known_hosts',
  file: 'ssh_known_hosts',
  doc: 'The keys by which hosts are known.',
  needs: { fun: 'ssh.get_known_host_entries', otherwise: 'ssh module could not be loaded' },
  functions: {
    present: defineState({
      doc: 'Makes sure that a host is known: by the key that is given, or by those that the host itself presents.',
      params: PRESENT,
      refuses: ({ name, port, key, enc, hash_known_hosts, config }) =>
        hostRefusal(name) ??
        folderRefusal(config) ??
        portRefusal(port, hash_known_hosts) ??
        (key === undefined ? undefined : keyRefusal(key, enc)),
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that a host is not known.',
      params: { ...NAME, ...USER, ...FILE },
      refuses: ({ config }) => folderRefusal(config),
      run: async (ctx, { name, user, config }) => {
        const file = shownFile(user, config);
        if (file === undefined) return failure(name, NO_PATH);
        const words = dict({ user: user ?? null, hostname: name, config: file });
        const known = await ctx.functions.call('ssh.get_known_host_entries', [], words);
        if (!truthy(known)) return outcome(name, true, 'Host is already absent');
        // a user that is not there yet may be made by a state before this one
        const isError = fieldOf(known, 'status') === 'error' && !mayBeMade(ctx);
        if (ctx.state.test && !isError)
          return outcome(name, null, `Key for ${name} is set to be removed from ${file}`);
        if (fieldOf(known, 'status') === 'error') return failure(name, fieldOf(known, 'error'));
        const removed = await ctx.functions.call('ssh.rm_known_host', [], words);
        if (fieldOf(removed, 'status') === 'error') return failure(name, fieldOf(removed, 'error'));
        return outcome(name, true, fieldOf(removed, 'comment'), dict({ old: known, new: null }));
      },
    }),
  },
});
