/** `user`: accounts of this system. Follows 3006.16 salt/modules/useradd.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { readTextIfExists } from '../../host/files.ts';
import {
  defineFunction,
  defineModule,
  type ModuleContext,
  type TypedArguments,
} from '../../runtime/loader/module.ts';
import { PythonError } from '../../python/exceptions.ts';
import { compareText } from '../../python/values/order.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { programPath, runAll, runCode, runText } from '../shared/program.ts';
import {
  allAccounts,
  allGroups,
  findAccount,
  findGroupEntry,
  groupNamesOf,
  namesIn,
  type Account,
  type RootFolder,
} from './module/accounts.ts';
import { noText, param, type TypedParam } from '../../runtime/loader/params.ts';

/** The parts of the comment field, in its order. */
const GECOS = ['fullname', 'roomnumber', 'workphone', 'homephone', 'other'] as const;
type GecosPart = (typeof GECOS)[number];

function rootOf(root: Value): RootFolder {
  return root === null ? undefined : pyStr(root);
}

function rootWords(root: RootFolder): string[] {
  return root === undefined ? [] : ['-R', root];
}

/** Python's `split(',', 4)`: what is behind the fourth comma stays together. */
function gecosParts(gecos: string): Map<GecosPart, string> {
  const parts = gecos.split(',');
  return new Map(GECOS.map((name, i) => [name, i < 4 ? (parts[i] ?? '') : parts.slice(4).join(',')]));
}

function infoDict(account: Account, groups: readonly string[]): Dict {
  const gecos = gecosParts(account.gecos);
  return dict({
    gid: account.gid,
    groups: [...groups],
    home: account.home,
    name: account.name,
    passwd: account.passwd,
    shell: account.shell,
    uid: account.uid,
    ...Object.fromEntries(gecos),
  });
}

/** `user.info`; empty when there is no such account. */
async function info(name: string, root: RootFolder): Promise<Dict> {
  const account = await findAccount(name, root);
  return account === undefined ? new Map() : infoDict(account, await groupNamesOf(account));
}

async function change(
  ctx: ModuleContext,
  name: string,
  wanted: {
    readonly key: string;
    readonly value: Value;
    readonly option: string;
    readonly persist?: boolean;
  },
  root: RootFolder,
): Promise<boolean> {
  const before = await info(name, root);
  if (before.size === 0) throw new CommandExecutionError(`User '${name}' does not exist`);
  const { key, value, option } = wanted;
  if (valuesEqual(value, before.get(key) ?? null)) return true;
  const persist = wanted.persist === true ? ['-m'] : [];
  const argv = [programPath('usermod'), ...rootWords(root), ...persist, option, value, name];
  await runText(ctx, argv);
  return valuesEqual((await info(name, root)).get(key) ?? null, value);
}

async function changeGecos(
  ctx: ModuleContext,
  name: string,
  part: GecosPart,
  value: string,
  root: RootFolder,
): Promise<boolean> {
  const account = await findAccount(name, root);
  if (account === undefined)
    throw new PythonError('KeyError', pyRepr(`getpwnam(): name not found: '${name}'`));
  const parts = gecosParts(account.gecos);
  if (parts.get(part) === value) return true;
  parts.set(part, value);
  const text = [...parts.values()].join(',').replace(/,+$/, '');
  await runText(ctx, [programPath('usermod'), ...rootWords(root), '-c', text, name]);
  const after = await findAccount(name, root);
  return after !== undefined && gecosParts(after.gecos).get(part) === value;
}

async function changeGroups(
  ctx: ModuleContext,
  name: string,
  given: Value,
  append: boolean,
  root: RootFolder,
): Promise<boolean> {
  const groups = (Array.isArray(given) ? given : pyStr(given).split(',')).map(pyStr);
  const account = await findAccount(name, undefined);
  const current = account === undefined ? [] : await groupNamesOf(account);
  const wanted = new Set(groups);
  if (current.length === wanted.size && current.every((group) => wanted.has(group))) return true;
  const argv = [programPath('usermod'), ...(append ? ['-a'] : []), '-G', groups.join(','), name];
  const { retcode, stderr } = await runAll(ctx, [...argv, ...rootWords(root)]);
  if (retcode === 0 || !stderr.includes('not found in')) return retcode === 0;
  // a group that is not in the local file
  let isDone = true;
  for (const group of groups) if ((await runCode(ctx, ['gpasswd', '-a', name, group])) !== 0) isDone = false;
  return isDone;
}

/** With `USERGROUPS_ENAB yes`, `useradd` refuses to make a group that is there already. */
async function existingGroup(name: string): Promise<Value[]> {
  const lines = splitLines(readTextIfExists('/etc/login.defs') ?? '');
  const line = lines.find((text) => text.slice(0, 15).includes('USERGROUPS_ENAB'));
  if (line?.includes('yes') !== true) return [];
  return ['-g', (await findGroupEntry(name, undefined))?.gid ?? ''];
}

/**
 * Whether an account gets a group of its own: only False itself says that it does not, other false values leave it
 * open.
 */
function ownGroupOf(value: Value): boolean | undefined {
  if (value === false) return false;
  return truthy(value) ? true : undefined;
}

const NAME = param.text({ doc: 'The name of the account.' });
const ENTRY = param.textOnly(noText('getpwnam() argument'), { doc: NAME.doc });
const ROOT = param.by(rootOf, {
  default: null,
  type: 'str',
  doc: 'A folder that stands for the root folder.',
});
const text = (doc: string) => param.textIfGiven({ default: '', doc });

const ADD_PARAMS = {
  name: NAME,
  uid: param.value({ default: null, type: 'int', doc: 'The user id; default: the next free one.' }),
  gid: param.value({ default: null, type: 'int or str', doc: 'The primary group.' }),
  groups: param.value({ default: null, type: 'list or str', doc: 'Further groups.' }),
  home: param.textOrNone({ default: null, doc: 'The home folder.' }),
  shell: param.textIfGiven({ default: null, doc: 'The login shell.' }),
  unique: param.flag({ default: true, doc: 'Refuse a user id that somebody has.' }),
  system: param.flag({ default: false, doc: 'An account of the system.' }),
  fullname: text('The full name.'),
  roomnumber: text('The number of the room.'),
  workphone: text('The telephone at work.'),
  homephone: text('The telephone at home.'),
  other: text('Anything else.'),
  createhome: param.flag({ default: true, doc: 'Create the home folder.' }),
  loginclass: param.value({ default: null, type: 'str', doc: 'Only for OpenBSD.' }),
  nologinit: param.flag({ default: false, doc: 'Keep the account out of lastlog and faillog.' }),
  root: ROOT,
  usergroup: param.by(ownGroupOf, {
    default: null,
    type: 'bool',
    doc: 'Create a group of the same name, or do not.',
  }),
} as const;

async function addAccount(ctx: ModuleContext, args: TypedArguments<typeof ADD_PARAMS>): Promise<boolean> {
  const { name, root } = args;
  const argv: Value[] = [programPath('useradd')];
  const given = (value: Value): boolean => value !== null && value !== '';
  const { groups } = args;
  const isOwnGroup = Array.isArray(groups)
    ? groups.includes(name)
    : groups !== null && pyStr(groups).includes(name);
  if (args.shell !== undefined) argv.push('-s', args.shell);
  if (given(args.uid)) argv.push('-u', args.uid);
  if (given(args.gid)) argv.push('-g', args.gid);
  else if (args.usergroup === true) argv.push('-U');
  else if (isOwnGroup) argv.push(...(await existingGroup(name)));
  if (args.usergroup === false) argv.push('-N');
  argv.push(args.createhome ? '-m' : '-M');
  if (args.nologinit) argv.push('-l');
  if (args.home !== undefined) argv.push('-d', args.home);
  if (!args.unique) argv.push('-o');
  if (args.system) argv.push('-r');
  const { retcode } = await runAll(ctx, [...argv, name, ...rootWords(root)]);
  if (retcode !== 0) return false;
  if (truthy(groups)) await changeGroups(ctx, name, groups, false, root);
  for (const part of GECOS) {
    const given = args[part];
    if (given !== undefined) await changeGecos(ctx, name, part, given, root);
  }
  return true;
}

async function deleteAccount(
  ctx: ModuleContext,
  name: string,
  how: { readonly remove: boolean; readonly force: boolean; readonly root: RootFolder },
): Promise<boolean> {
  const options = [...(how.remove ? ['-r'] : []), ...(how.force ? ['-f'] : [])];
  const argv = [programPath('userdel'), ...options, name, ...rootWords(how.root)];
  const { retcode, stderr } = await runAll(ctx, argv);
  if (retcode === 0) return true;
  if (retcode !== 12 || ctx.grains.get('os_family') !== 'Debian') return false;
  // Debian's program also says so when there was no mail box to remove
  return /var\/(spool\/)?mail/.test(stderr);
}

/** What each part of the comment field is for `chfullname` and its like: empty for None. */
type GecosParams = {
  readonly name: typeof NAME;
  readonly root: typeof ROOT;
} & Readonly<Record<GecosPart, TypedParam<string>>>;

const gecosFunction = (part: GecosPart, what: string, example: string) => {
  const text = param.by((value) => (value === null ? '' : pyStr(value)), {
    type: 'str',
    doc: `The new ${what}.`,
  });
  return defineFunction({
    doc: `Changes the ${what} of an account.`,
    params: { name: NAME, [part]: text, root: ROOT } as GecosParams,
    returns: 'true when it has that now',
    examples: [`salt '*' user.ch${part} foo ${example}`],
    run: (ctx, args) => changeGecos(ctx, args.name, part, args[part], args.root),
  });
};

const CHANGED = 'true when it has that now';

const looking = {
  info: defineFunction({
    doc: 'Returns all that is known about an account.',
    params: { name: NAME, root: ROOT },
    returns:
      '`{gid, groups, home, name, passwd, shell, uid, fullname, roomnumber, workphone, homephone, other}`; empty when there is none',
    examples: ["salt '*' user.info root"],
    run: (_ctx, { name, root }) => info(name, root),
  }),
  getent: defineFunction({
    doc: 'Returns all that is known about all accounts.',
    params: {
      refresh: param.value({
        default: false,
        type: 'bool',
        doc: 'Without effect: they are always read anew.',
      }),
      root: ROOT,
    },
    returns: 'list of mappings as user.info gives them',
    examples: ["salt '*' user.getent"],
    run: async (_ctx, { root }) => {
      const groups = await allGroups(undefined);
      const accounts = await allAccounts(root);
      return accounts.map((account) => infoDict(account, namesIn(groups, account)));
    },
  }),
  list_users: defineFunction({
    doc: 'Lists the names of all accounts.',
    params: { root: ROOT },
    returns: 'sorted list',
    examples: ["salt '*' user.list_users"],
    run: async (_ctx, { root }) => (await allAccounts(root)).map(({ name }) => name).sort(compareText),
  }),
  list_groups: defineFunction({
    doc: 'Lists the groups of an account.',
    params: { name: ENTRY },
    returns: 'sorted list',
    examples: ["salt '*' user.list_groups foo"],
    run: async (_ctx, { name }) => {
      const account = await findAccount(name, undefined);
      return account === undefined ? [] : groupNamesOf(account);
    },
  }),
  primary_group: defineFunction({
    doc: 'Returns the primary group of an account.',
    params: { name: NAME },
    returns: 'its name',
    examples: ["salt '*' user.primary_group saltadmin"],
    run: (ctx, { name }) => runText(ctx, ['id', '-g', '-n', name]),
  }),
  get_loginclass: defineFunction({
    doc: 'Only for OpenBSD: returns the login class.',
    params: { name: NAME },
    returns: 'false',
    examples: ["salt '*' user.get_loginclass foo"],
    run: () => false,
  }),
};

const changing = {
  add: defineFunction({
    doc: 'Adds an account.',
    params: ADD_PARAMS,
    returns: 'true or false',
    examples: ["salt '*' user.add name <uid> <gid> <groups> <home> <shell>"],
    run: (ctx, args) => addAccount(ctx, args),
  }),
  delete: defineFunction({
    doc: 'Removes an account.',
    params: {
      name: NAME,
      remove: param.flag({ default: false, doc: 'With home folder and mail.' }),
      force: param.flag({ default: false, doc: 'Also while somebody is logged in.' }),
      root: ROOT,
    },
    returns: 'true or false',
    examples: ["salt '*' user.delete name remove=True force=True"],
    run: (ctx, { name, remove, force, root }) => deleteAccount(ctx, name, { remove, force, root }),
  }),
  chuid: defineFunction({
    doc: 'Changes the user id of an account.',
    params: { name: NAME, uid: param.value({ type: 'int', doc: 'The new id.' }), root: ROOT },
    returns: CHANGED,
    examples: ["salt '*' user.chuid foo 4376"],
    run: (ctx, { name, uid, root }) => change(ctx, name, { key: 'uid', value: uid, option: '-u' }, root),
  }),
  chgid: defineFunction({
    doc: 'Changes the primary group of an account.',
    params: { name: NAME, gid: param.value({ type: 'int', doc: 'The new id.' }), root: ROOT },
    returns: CHANGED,
    examples: ["salt '*' user.chgid foo 4376"],
    run: (ctx, { name, gid, root }) => change(ctx, name, { key: 'gid', value: gid, option: '-g' }, root),
  }),
  chshell: defineFunction({
    doc: 'Changes the login shell of an account.',
    params: { name: NAME, shell: param.value({ type: 'str', doc: 'The new shell.' }), root: ROOT },
    returns: CHANGED,
    examples: ["salt '*' user.chshell foo /bin/zsh"],
    run: (ctx, { name, shell, root }) =>
      change(ctx, name, { key: 'shell', value: shell, option: '-s' }, root),
  }),
  chhome: defineFunction({
    doc: 'Changes the home folder of an account.',
    params: {
      name: NAME,
      home: param.value({ type: 'str', doc: 'The new folder.' }),
      persist: param.flag({ default: false, doc: 'Move what is in the old one.' }),
      root: ROOT,
    },
    returns: CHANGED,
    examples: ["salt '*' user.chhome foo /home/users/foo"],
    run: (ctx, { name, home, persist, root }) =>
      change(ctx, name, { key: 'home', value: home, option: '-d', persist }, root),
  }),
  chgroups: defineFunction({
    doc: 'Changes the further groups of an account.',
    params: {
      name: ENTRY,
      groups: param.value({ type: 'list or str', doc: 'The groups.' }),
      append: param.flag({ default: false, doc: 'Keep those that the account has.' }),
      root: ROOT,
    },
    returns: 'true or false',
    examples: ["salt '*' user.chgroups foo wheel,root", "salt '*' user.chgroups foo wheel,root append=True"],
    run: (ctx, { name, groups, append, root }) => changeGroups(ctx, name, groups, append, root),
  }),
  rename: defineFunction({
    doc: 'Renames an account.',
    params: { name: NAME, new_name: param.text({ doc: 'The new name.' }), root: ROOT },
    returns: CHANGED,
    examples: ["salt '*' user.rename name new_name"],
    run: async (ctx, { name, new_name, root }) => {
      const [from, to, place] = [name, new_name, root];
      if ((await findAccount(to, place)) !== undefined)
        throw new CommandExecutionError(`User '${to}' already exists`);
      return change(ctx, from, { key: 'name', value: to, option: '-l' }, place);
    },
  }),
  chloginclass: defineFunction({
    doc: 'Only for OpenBSD: changes the login class.',
    params: { name: NAME, loginclass: param.value({ type: 'str', doc: 'The class.' }), root: ROOT },
    returns: 'false',
    examples: ["salt '*' user.chloginclass foo staff"],
    run: () => false,
  }),
  chfullname: gecosFunction('fullname', 'full name', '"Foo Bar"'),
  chroomnumber: gecosFunction('roomnumber', 'number of the room', '123'),
  chworkphone: gecosFunction('workphone', 'telephone at work', '7735550123'),
  chhomephone: gecosFunction('homephone', 'telephone at home', '7735551234'),
  chother: gecosFunction('other', 'rest of the comment', 'fubar'),
};

/** The module. */
export const userModule = defineModule({
  name: 'user',
  file: 'useradd',
  doc: 'Looks at accounts, adds, changes and removes them.',
  unavailable: () =>
    process.platform === 'linux'
      ? undefined
      : 'useradd execution module not loaded: either pwd python library not available or system not one of Linux, OpenBSD, NetBSD or AIX',
  words: { dashes: ['fullname', 'roomnumber', 'workphone', 'homephone', 'other'] },
  failsWith: {
    false: [
      'add',
      'chfullname',
      'chgid',
      'chgroups',
      'chhome',
      'chhomephone',
      'chloginclass',
      'chother',
      'chroomnumber',
      'chshell',
      'chuid',
      'chworkphone',
      'delete',
      'rename',
    ],
  },
  functions: { ...looking, ...changing },
});
