/** `ssh_auth`: the keys that may log in (3006.16 salt/states/ssh_auth.py). */
import { folderRefusal } from './module/config-folder.ts';
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { AUTHORIZED_KEYS, SSH_AUTH_ERROR } from './module.ts';
import { fingerprintOf } from './module/key-lines.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { isAbs } from '../../python/paths.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { rstrip } from '../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { parseUrl } from '../shared/source-url.ts';
import { missingSource } from '../shared/missing-source.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { stateEnvironment } from '../shared/state-environment.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';
import { neededContent } from '../shared/served-files.ts';

/** A key, or a file of them, and whose it is. */
interface KeyWish {
  readonly user: string;
  readonly key: string;
  readonly enc: Value;
  readonly comment: Value;
  readonly options: Value[];
  readonly source: string;
  readonly config: Value;
  readonly fingerprint_hash_type: Value;
}

type Arguments = TypedArguments<typeof PARAMS>;

/** `{options} {kind} {key} {comment}` */
const FULL_KEY = /^(.*?)\s?((?:sk-)?(?:ssh-|ecds)[\w-]+\s.+)$/;
const PLAIN_KEY = /^(?:sk-)?(?:ssh-|ecds)/;

function splitOnce(text: string): [first: string, rest: string | undefined] {
  const [, first = '', rest] = /^\s*(\S+)(?:\s+(.*?)\s*)?$/s.exec(text) ?? [];
  return [first, rest === '' ? undefined : rest];
}

/** What the name and the arguments of a state mean. */
function wishOf(name: string, args: Arguments): KeyWish {
  const { user, enc, comment, options, source, config, fingerprint_hash_type } = args;
  const plain = {
    user,
    enc,
    comment,
    options: [...options],
    source,
    config,
    fingerprint_hash_type,
    key: name,
  };
  if (source !== '') return plain;
  const [, before, rest] = FULL_KEY.exec(name.replace(/\n$/, '')) ?? [];
  if (rest === undefined) {
    const [key, said] = splitOnce(name);
    return { ...plain, key, comment: said ?? comment };
  }
  const [kind, behind = ''] = splitOnce(rest);
  const [key, said] = splitOnce(behind);
  const given = before === undefined || before === '' ? plain.options : before.split(',');
  return { ...plain, enc: kind, key, comment: said ?? comment, options: given };
}

const place = ({ config, fingerprint_hash_type }: KeyWish): Dict => dict({ config, fingerprint_hash_type });

/** An error that a function has left about a file of keys; it is taken. */
function takenError({ state }: StateContext): Value | undefined {
  const text = state.memory.get(SSH_AUTH_ERROR);
  state.memory.delete(SSH_AUTH_ERROR);
  return text;
}

const INVALID_KEY = 'Invalid public ssh key, most likely has spaces or invalid syntax';

/**
 * Whether `ssh.set_auth_key` would not take a key, which is known without its file. Salt compat: Salt's test mode
 * promises it.
 */
function isInvalid({ key, fingerprint_hash_type }: Pick<KeyWish, 'key' | 'fingerprint_hash_type'>): boolean {
  if (key === '') return true;
  const hashType = truthy(fingerprint_hash_type) ? pyStr(fingerprint_hash_type) : undefined;
  return /\s/.test(key.trim()) || fingerprintOf(key, hashType) === undefined;
}

function checkKey(ctx: StateContext, wish: KeyWish): Promise<Value> {
  const { user, key, enc, comment, options } = wish;
  return ctx.functions.call('ssh.check_key', [user, key, enc, comment, options], place(wish));
}

/** What test mode says about a file of keys. @param line what is said about a key, undefined for one that stays */
async function announceFile(
  ctx: StateContext,
  name: string,
  wish: KeyWish,
  { line, same }: { line: (key: string, status: Value) => string | undefined; same: string },
): Promise<StateResult> {
  const saltenv = stateEnvironment(ctx);
  const options = new Map([...place(wish), ...dict({ saltenv })]);
  if ((await missingSource(ctx, wish.source, saltenv)) !== undefined)
    return failure(name, `Source file ${wish.source} is missing`);
  const keys = await ctx.functions.call('ssh.check_key_file', [wish.user, wish.source], options);
  const lines = [...(isDict(keys) ? keys : [])].flatMap(([key, status]) => line(pyStr(key), status) ?? []);
  if (lines.length > 0) return outcome(name, null, lines.map((text) => `${text}\n`).join(''));
  const error = takenError(ctx);
  if (truthy(error)) return failure(name, error ?? '');
  return outcome(name, true, `All host keys in file ${wish.source} are already ${same}`);
}

async function announcePresent(ctx: StateContext, name: string, wish: KeyWish): Promise<StateResult> {
  if (wish.source !== '')
    return announceFile(ctx, name, wish, {
      line: (key, status) => (status === 'exists' ? undefined : `Set to ${pyStr(status)}: ${key}`),
      same: 'present',
    });
  const status = await checkKey(ctx, wish);
  const user = wish.user;
  if (status === 'exists')
    return outcome(name, true, `The authorized host key ${wish.key} is already present for user ${user}`);
  return outcome(
    name,
    null,
    `Key ${wish.key} for user ${user} is set to be ${status === 'update' ? 'updated' : 'added'}`,
  );
}

async function announceAbsent(ctx: StateContext, name: string, wish: KeyWish): Promise<StateResult> {
  if (wish.source !== '')
    return announceFile(ctx, name, wish, {
      line: (key, status) => (status === 'add' ? undefined : `Set to remove: ${key}`),
      same: 'absent',
    });
  const status = await checkKey(ctx, wish);
  return status === 'add'
    ? outcome(name, true, 'Key is already absent')
    : outcome(name, null, `Key ${wish.key} for user ${wish.user} is set for removal`);
}

/** The lines of a file of keys. */
async function sourceLines(ctx: StateContext, wish: KeyWish): Promise<string[]> {
  const text = await neededContent(ctx, wish.source, stateEnvironment(ctx));
  return rstrip(pyStr(text)).split('\n');
}

/** Answers about keys, what has to be told first in front. */
const ANSWERS = ['fail', 'invalid', 'Invalid public key', 'new', 'replace', 'no change'];

/**
 * What two answers come to. Salt compat: Salt takes the one about the last line, and says of keys before it nothing.
 */
function moreTelling(a: Value, b: Value): Value {
  const rank = (answer: Value): number => ANSWERS.findIndex((one) => one === answer);
  if (rank(a) < 0) return b;
  return rank(b) < 0 || rank(a) < rank(b) ? a : b;
}

/** Lets the keys of a file log in. @returns the most telling answer about a line */
async function setFromFile(ctx: StateContext, wish: KeyWish): Promise<Value> {
  const saltenv = stateEnvironment(ctx);
  const options = place(wish);
  if (!truthy(await ctx.functions.call('cp.get_url', [wish.source, null], { saltenv }))) return 'no key';
  let answer: Value = '';
  for (const line of await sourceLines(ctx, wish)) {
    const [enc = '', key = '', comment = ''] = line.split(' ');
    const about = PLAIN_KEY.test(line)
      ? await ctx.functions.call(
          'ssh.set_auth_key',
          [wish.user, key],
          new Map([...dict({ enc, comment, options: wish.options }), ...options]),
        )
      : await ctx.functions.call(
          'ssh.set_auth_key_from_file',
          [wish.user, wish.source],
          new Map([...options, ...dict({ saltenv })]),
        );
    answer = moreTelling(answer, about);
  }
  return answer;
}

async function applyPresent(ctx: StateContext, name: string, wish: KeyWish): Promise<StateResult> {
  const { user, key, enc, comment, options } = wish;
  const answer =
    wish.source !== ''
      ? await setFromFile(ctx, wish)
      : await ctx.functions.call(
          'ssh.set_auth_key',
          [user, key],
          new Map([...dict({ enc, comment, options }), ...place(wish)]),
        );
  const what = `The authorized host key ${key} for user ${user}`;
  switch (answer) {
    case 'replace':
      return outcome(name, true, `${what} was updated`, dict({ [key]: 'Updated' }));
    case 'no change':
      return outcome(name, true, `The authorized host key ${key} is already present for user ${user}`);
    case 'new':
      return outcome(name, true, `${what} was added`, dict({ [key]: 'New' }));
    case 'no key':
      return failure(name, `Failed to add the ssh key. Source file ${wish.source} is missing`);
    case 'fail': {
      const error = takenError(ctx);
      const guess =
        'Failed to add the ssh key. Is the home directory available, and/or does the key file exist?';
      return failure(name, truthy(error) ? (error ?? guess) : guess);
    }
    case 'invalid':
    case 'Invalid public key':
      return failure(name, INVALID_KEY);
    default:
      return outcome(name, true, '');
  }
}

async function applyAbsent(ctx: StateContext, name: string, wish: KeyWish): Promise<StateResult> {
  const options = place(wish);
  let comment: Value = '';
  if (wish.source === '')
    comment = await ctx.functions.call('ssh.rm_auth_key', [wish.user, wish.key], options);
  else
    for (const line of await sourceLines(ctx, wish)) {
      const about = PLAIN_KEY.test(line)
        ? await ctx.functions.call('ssh.rm_auth_key', [wish.user, line.split(' ')[1] ?? ''], options)
        : await ctx.functions.call(
            'ssh.rm_auth_key_from_file',
            [wish.user, wish.source],
            new Map([...options, ...dict({ saltenv: stateEnvironment(ctx) })]),
          );
      comment = comment === 'Key removed' ? comment : about;
    }
  return outcome(name, true, comment, comment === 'Key removed' ? dict({ [wish.key]: 'Removed' }) : dict());
}

/** What cannot be done with a file of keys is the comment of the failure. Salt compat: there, it is a traceback. */
async function told(name: string, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failure(name, error.message);
  }
}

/** Why there can be no such file of keys. */
function isNoSource({ source }: KeyWish): boolean {
  return source !== '' && parseUrl(source).scheme === '' && !isAbs(source);
}

function presentKey(ctx: StateContext, args: Arguments): Promise<StateResult> {
  const { name } = args;
  const wish = wishOf(name, args);
  if (isNoSource(wish)) return Promise.resolve(failure(name, `Source file ${wish.source} is missing`));
  return told(name, async () => {
    if (wish.source === '' && isInvalid(wish)) return failure(name, INVALID_KEY);
    return ctx.state.test ? announcePresent(ctx, name, wish) : applyPresent(ctx, name, wish);
  });
}

function absentKey(ctx: StateContext, args: Arguments): Promise<StateResult> {
  const { name } = args;
  // the kind of a key that goes does not matter
  const wish = wishOf(name, { ...args, enc: 'ssh-rsa', comment: '' });
  if (isNoSource(wish)) return Promise.resolve(failure(name, `Source file ${wish.source} is missing`));
  return told(name, () => (ctx.state.test ? announceAbsent(ctx, name, wish) : applyAbsent(ctx, name, wish)));
}

/** Lets these keys log in, and no others. */
async function manage(ctx: StateContext, args: Arguments, keys: readonly Value[]): Promise<StateResult> {
  const words = new Set(keys.flatMap((key) => pyStr(key).split(' ')));
  const { user, config, fingerprint_hash_type } = args;
  const there = await ctx.functions.call('ssh.auth_keys', [], { user, config, fingerprint_hash_type });
  const changes: Dict = new Map();
  let result: boolean | null = true;
  let comment = '';
  for (const key of isDict(there) ? there.keys() : []) {
    if (words.has(pyStr(key))) continue;
    if (ctx.state.test) {
      comment = `${pyStr(key)} Key set for removal`;
      result = null;
    } else changes.set(key, (await absentKey(ctx, { ...args, name: pyStr(key) })).comment);
  }
  for (const name of keys) {
    const one = await presentKey(ctx, { ...args, name: pyStr(name) });
    if (one.changes.size > 0) for (const [key, value] of one.changes) changes.set(key, value);
    else comment = `${comment}\n${pyStr(one.comment)}`.trim();
    if (one.result === false || (one.result === null && result === true)) result = one.result;
  }
  return outcome('', result, comment, changes);
}

const PARAMS = {
  name: param.text({ doc: 'The key: its long word, or the whole line of a file of public keys.' }),
  user: param.text({ doc: 'Who logs in.' }),
  enc: param.value({
    default: 'ssh-rsa',
    type: 'str',
    doc: 'The kind of the key: `ssh-rsa`, `ed25519`, `ecdsa`…',
  }),
  comment: param.value({ default: '', type: 'str', doc: 'What stands behind the key.' }),
  source: param.textOrEmpty({ default: '', doc: 'A file of keys in place of the name: `salt://…`.' }),
  options: param.list({ default: null, doc: 'What stands before it: `no-pty`, `command="…"`.' }),
  ...AUTHORIZED_KEYS,
  fingerprint_hash_type: param.value({
    default: null,
    type: 'str',
    doc: AUTHORIZED_KEYS.fingerprint_hash_type.doc,
  }),
} as const;

/** Whoever is to have a key. */
const OWNER = { user: { ...PARAMS.user, account: 'user' } } as const;

/** Why arguments can never be right. */
function refuses(
  _args: unknown,
  _kwargs: Dict,
  { user = null, options = null, config = null }: Readonly<Record<string, Value>>,
): string | undefined {
  if (typeof user !== 'number' && (typeof user !== 'string' || user === ''))
    return `user must be the name of a user, not ${pyRepr(user)}`;
  if (config === '') return 'config must be the path of a file of keys, or one below the home folder';
  const folder = folderRefusal(typeof config === 'string' ? config : undefined);
  if (folder !== undefined) return folder;
  // Salt compat: Salt takes the letters of a text for options
  if (truthy(options) && !Array.isArray(options)) return `options must be a list, not ${pyRepr(options)}`;
  return undefined;
}

/** The states of `ssh_auth`. */
export const sshAuthStates = defineModule({
  name: 'ssh_auth',
  file: 'ssh_auth',
  doc: 'The public keys that may log in as a user.',
  needs: { fun: 'ssh.auth_keys', otherwise: 'ssh module could not be loaded' },
  words: { lines: ['name', 'source', 'ssh_keys'], dashes: 'any' },
  functions: {
    present: defineState({
      doc: 'Makes sure that a key may log in.',
      params: { ...PARAMS, ...OWNER },
      kwargs: 'kwargs',
      refuses,
      run: (ctx, args) => presentKey(ctx, args),
    }),
    absent: defineState({
      doc: 'Makes sure that a key may not log in.',
      params: PARAMS,
      refuses,
      run: (ctx, args) => absentKey(ctx, args),
    }),
    manage: defineState({
      doc: 'Makes sure that these keys may log in, and no others.',
      params: {
        name: param.text({ doc: 'Any text that distinguishes the states.' }),
        ssh_keys: param.list({ doc: 'The keys.' }),
        ...{ ...OWNER, enc: PARAMS.enc, comment: PARAMS.comment, source: PARAMS.source },
        ...{ options: PARAMS.options, config: PARAMS.config },
        fingerprint_hash_type: PARAMS.fingerprint_hash_type,
      },
      kwargs: 'kwargs',
      refuses: (args, kwargs, given) =>
        Array.isArray(given['ssh_keys'])
          ? refuses(args, kwargs, given)
          : `ssh_keys must be a list of keys, not ${pyRepr(given['ssh_keys'] ?? null)}`,
      run: (ctx, { ssh_keys, ...args }) => manage(ctx, args, ssh_keys),
    }),
  },
});
