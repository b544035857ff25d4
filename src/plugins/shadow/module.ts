/** `shadow`: passwords and their ageing. Follows 3006.16 salt/modules/linux_shadow.py, salt/utils/pycrypto.py. */
import { chownSync, statSync } from 'node:fs';
import { SaltInvocationError } from '../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { isFile, joinPath } from '../../python/paths.ts';
import { systemAccounts } from '../../host/users.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { runCode, runText } from '../shared/program.ts';
import { passwordHash } from '../shared/password-hash.ts';
import { linesOf } from '../shared/file-text.ts';
import { noItem, noPath, noText, param } from '../../runtime/loader/params.ts';

const FIELDS = ['name', 'passwd', 'lstchg', 'min', 'max', 'warn', 'inact', 'expire'] as const;
const DAY_MS = 86_400_000;

type Root = string | undefined;

function shadowFile(root: Root): string {
  return joinPath(root === undefined || root === '' ? '/' : root, 'etc/shadow');
}

/** The entries of the file; of this system also those that come from elsewhere. */
async function entries(root: Root): Promise<string[][]> {
  const other = root === undefined ? await systemAccounts.ask(['getent', 'shadow']) : undefined;
  const text = other ?? readTextIfExists(shadowFile(root)) ?? '';
  return text
    .split('\n')
    .map((line) => line.trim().split(':'))
    .filter((fields) => fields.length >= 2);
}

async function find(name: string, root: Root): Promise<string[] | undefined> {
  const local = (readTextIfExists(shadowFile(root)) ?? '').split('\n').map((line) => line.trim().split(':'));
  const found = local.find((fields) => fields.length >= 2 && fields[0] === name);
  if (found !== undefined || root !== undefined || name === '' || /[:\n\0]/.test(name)) return found;
  const answer = await systemAccounts.ask(['getent', '--', 'shadow', name]);
  return answer?.trim().split(':');
}

/** `shadow.info`; all fields are empty texts when there is no such entry. */
async function info(name: string, root: Root): Promise<Dict> {
  const fields = await find(name, root);
  return new Map<Value, Value>(
    FIELDS.map((field, i) => {
      if (fields === undefined) return [field, ''];
      const value = fields[i] ?? '';
      return [field, i < 2 ? value : value === '' ? -1 : Number(value)];
    }),
  );
}

async function setField(
  ctx: ModuleContext,
  name: string,
  wanted: {
    readonly key: string;
    readonly value: Value;
    readonly option: string;
    readonly validate?: boolean;
  },
  root: Root,
): Promise<boolean> {
  const { key, value, option, validate = true } = wanted;
  const before = await info(name, root);
  if (before.get('name') === '') return false;
  if (valuesEqual(value, before.get(key) ?? null)) return true;
  const done = (await runCode(ctx, ['chage', ...rootWords(root), option, value, name])) === 0;
  return validate ? valuesEqual((await info(name, root)).get(key) ?? null, value) : done;
}

function rootWords(root: Root): string[] {
  return root === undefined ? [] : ['-R', root];
}

async function lock(ctx: ModuleContext, name: string, isLocked: boolean, root: Root): Promise<boolean> {
  const state = async (): Promise<boolean> =>
    pyStr((await info(name, root)).get('passwd') ?? '').startsWith('!');
  if ((await info(name, root)).get('name') === '') return false;
  if ((await state()) === isLocked) return true;
  await runText(ctx, ['passwd', ...rootWords(root), isLocked ? '-l' : '-u', name]);
  return (await state()) === isLocked;
}

/**
 * `shadow.set_password`: the hash goes into the file itself, or to a program's standard input; never into a log or an
 * argument.
 */
async function setPassword(
  ctx: ModuleContext,
  name: string,
  password: string,
  useProgram: boolean,
  root: Root,
): Promise<Value> {
  if ((await runCode(ctx, ['id', name], { ignore_retcode: true })) !== 0) {
    ctx.log.warning(`user ${name} does not exist, cannot set password`);
    return false;
  }
  if (/[:\n]/.test(password))
    throw new SaltInvocationError('A hashed password has neither colons nor line ends.');
  if (useProgram) {
    // Salt compat: Salt has usermod do it, which takes the hash as an argument only, where every user of the machine
    // reads it.
    const words = ['chpasswd', ...rootWords(root), '--encrypted'];
    await runText(ctx, words, { stdin: `${name}:${password}\n`, output_loglevel: 'quiet' });
  } else {
    const path = shadowFile(root);
    if (!isFile(path)) return new Map();
    writeEntry(ctx, path, name, password);
  }
  return (await info(name, root)).get('passwd') === password;
}

function writeEntry(ctx: ModuleContext, path: string, name: string, password: string): void {
  const today = String(Math.floor(ctx.clock.nowMs() / DAY_MS));
  let isFound = false;
  const lines = linesOf(readTextIfExists(path) ?? '').map((line) => {
    const fields = strip(line).split(':').slice(0, 9);
    if (fields[0] !== name) return line;
    isFound = true;
    while (fields.length < 9) fields.push('');
    return `${[name, password, today, ...fields.slice(3)].join(':')}\n`;
  });
  if (!isFound) {
    ctx.log.warning(`shadow entry not present for user ${name}, adding`);
    lines.push(`${name}:${password}:${today}::::::\n`);
  }
  // Salt compat: Salt writes into the file, of which half is lost when the disk is full
  const { mode, uid, gid } = statSync(path);
  writeFileAtomic(path, lines.join(''), { mode: mode & 0o777, durable: true });
  chownSync(path, uid, gid);
}

const NAME = param.text({ doc: 'The name of the account.' });
const ENTRY = param.textOnly(noText('getspnam() argument'), { doc: NAME.doc });
const ROOT = param.textOnlyOrNone(noPath, {
  default: null,
  doc: 'A folder that stands for the root folder.',
});
const PASSWORD = param.textOnlyOrNone(noText('crypt() argument 1'), { doc: 'The password.' });
const CHANGED = 'true when it is so now';

const VALUE = param.value({ type: 'int or str', doc: 'The new value.' });
/** The parameter of the value is called after the function. */
type FieldParams = { readonly name: typeof ENTRY; readonly root: typeof ROOT } & Readonly<
  Record<string, typeof VALUE>
>;

const days = (fun: string, key: string, option: string, what: string, example: string, validate = true) => {
  const param = fun.replace('set_', '');
  return defineFunction({
    doc: `Sets ${what}.`,
    params: { name: ENTRY, [param]: VALUE, root: ROOT } as FieldParams,
    returns: CHANGED,
    examples: [`salt '*' shadow.${fun} username ${example}`],
    run: (ctx, { name, [param]: value = null, root }) =>
      setField(ctx, name, { key, value, option, validate }, root),
  });
};

/** The module. */
export const shadowModule = defineModule({
  name: 'shadow',
  file: 'linux_shadow',
  doc: 'Looks at passwords and their ageing, and changes them. Passwords are hashes, never the words themselves.',
  unavailable: () => (process.platform === 'linux' ? undefined : 'only available on Linux'),
  words: {
    dashes: [...['password', 'inactdays', 'maxdays', 'mindays', 'warndays', 'date', 'expire']],
  },
  failsWith: {
    false: [
      'del_password',
      'lock_password',
      'set_date',
      'set_expire',
      'set_inactdays',
      'set_maxdays',
      'set_mindays',
      'set_password',
      'set_warndays',
      'unlock_password',
    ],
  },
  functions: {
    default_hash: defineFunction({
      doc: 'Gives the hash of accounts without a password.',
      returns: 'text',
      examples: ["salt '*' shadow.default_hash"],
      run: () => '!',
    }),
    info: defineFunction({
      doc: 'Returns all that is known about the password of an account.',
      params: { name: ENTRY, root: ROOT },
      returns:
        '`{name, passwd, lstchg, min, max, warn, inact, expire}`, days as numbers; empty texts when there is none',
      examples: ["salt '*' shadow.info root"],
      run: (_ctx, { name, root }) => info(name, root),
    }),
    list_users: defineFunction({
      doc: 'Lists the accounts that have an entry.',
      params: { root: ROOT },
      returns: 'sorted list',
      examples: ["salt '*' shadow.list_users"],
      run: async (_ctx, { root }) => (await entries(root)).map(([name = '']) => name).sort(compareText),
    }),
    gen_password: defineFunction({
      // becomes no word of anything
      words: { lines: 'any', dashes: 'any' },
      doc: 'Makes the hash of a password for set_password.',
      params: {
        password: PASSWORD,
        crypt_salt: param.textOrNone({ default: null, doc: 'The salt; default: a random one.' }),
        algorithm: param.textOrNone({ default: 'sha512', doc: 'sha512, sha256 or md5.' }),
      },
      returns: 'the hash',
      examples: [
        "salt '*' shadow.gen_password 'I_am_password'",
        "salt '*' shadow.gen_password 'I_am_password' crypt_salt='I_am_salt' algorithm=sha256",
      ],
      run: (ctx, { password, crypt_salt, algorithm }) =>
        passwordHash(ctx.random, password ?? null, crypt_salt, algorithm),
    }),
    set_password: defineFunction({
      doc: 'Sets the hash of the password of an account.',
      params: {
        name: NAME,
        password: param.textOnly(noItem(1), {
          doc: 'The hash, as gen_password makes it.',
        }),
        use_usermod: param.strictFlag({
          default: false,
          doc: 'Hand it to usermod, where others may see it.',
        }),
        root: ROOT,
      },
      returns: CHANGED,
      examples: ["salt '*' shadow.set_password root '$1$UYCIxa628.9qXjpQCjM4a..'"],
      run: (ctx, { name, password, use_usermod, root }) =>
        setPassword(ctx, name, password, use_usermod, root),
    }),
    del_password: defineFunction({
      doc: 'Removes the password of an account: whoever may, can log in without one.',
      params: { name: ENTRY, root: ROOT },
      returns: CHANGED,
      examples: ["salt '*' shadow.del_password username"],
      run: async (ctx, { name, root }) => {
        const place = root;
        await runText(ctx, ['passwd', ...rootWords(place), '-d', name], { output_loglevel: 'quiet' });
        const after = await info(name, place);
        return after.get('passwd') === '' && after.get('name') === name;
      },
    }),
    lock_password: defineFunction({
      doc: 'Locks the password of an account.',
      params: { name: ENTRY, root: ROOT },
      returns: CHANGED,
      examples: ["salt '*' shadow.lock_password username"],
      run: (ctx, { name, root }) => lock(ctx, name, true, root),
    }),
    unlock_password: defineFunction({
      doc: 'Unlocks the password of an account.',
      params: { name: ENTRY, root: ROOT },
      returns: CHANGED,
      examples: ["salt '*' shadow.unlock_password username"],
      run: (ctx, { name, root }) => lock(ctx, name, false, root),
    }),
    set_inactdays: days(
      'set_inactdays',
      'inact',
      '-I',
      'after how many days with an expired password an account is closed',
      '7',
    ),
    set_maxdays: days('set_maxdays', 'max', '-M', 'after how many days a password has to be changed', '90'),
    set_mindays: days('set_mindays', 'min', '-m', 'how many days a password has to be kept', '7'),
    set_warndays: days(
      'set_warndays',
      'warn',
      '-W',
      'how many days before its end a password is warned about',
      '7',
    ),
    set_date: days(
      'set_date',
      'lstchg',
      '-d',
      'when the password was changed last: days since 1970, or a date',
      '0',
      false,
    ),
    set_expire: days(
      'set_expire',
      'expire',
      '-E',
      'when the account is closed: days since 1970, or a date',
      '-1',
      false,
    ),
  },
});
