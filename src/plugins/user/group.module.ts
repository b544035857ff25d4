/** `group`: groups of this system. Follows 3006.16 salt/modules/groupadd.py. */
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { programPath, runAll, runCode, runText } from '../shared/program.ts';
import { allGroups, findGroupEntry, type AccountGroup, type RootFolder } from './module/accounts.ts';
import { noText, param } from '../../runtime/loader/params.ts';

function rootOf(root: Value): RootFolder {
  return root === null ? undefined : pyStr(root);
}

function rootWords(root: RootFolder, option = '-R'): string[] {
  return root === undefined ? [] : [option, root];
}

function infoDict({ name, passwd, gid, members }: AccountGroup): Dict {
  return dict({ name, passwd, gid, members: [...members] });
}

async function info(name: string, root: RootFolder): Promise<Dict> {
  const group = await findGroupEntry(name, root);
  return group === undefined ? new Map() : infoDict(group);
}

async function succeeds(ctx: ModuleContext, argv: readonly Value[]): Promise<boolean> {
  return (await runAll(ctx, argv)).retcode === 0;
}

const NAME = param.text({ doc: 'The name of the group.' });
const ENTRY = param.textOnly(noText("getgrnam() argument 'name'"), { doc: NAME.doc });
const USERNAME = param.text({ doc: 'The name of the account.' });
const ROOT = param.by(rootOf, {
  default: null,
  type: 'str',
  doc: 'A folder that stands for the root folder.',
});
const NON_UNIQUE = param.flag({ default: false, doc: 'Accept an id that another group has.' });
const DONE = 'true or false';

/** The module. */
export const groupModule = defineModule({
  name: 'group',
  file: 'groupadd',
  doc: 'Looks at groups, adds, changes and removes them.',
  unavailable: () =>
    process.platform === 'linux'
      ? undefined
      : 'The groupadd execution module cannot be loaded:  only available on Linux, OpenBSD and NetBSD',
  words: {},
  failsWith: { false: ['add', 'adduser', 'chgid', 'delete', 'deluser', 'members'] },
  functions: {
    info: defineFunction({
      doc: 'Returns all that is known about a group.',
      params: { name: ENTRY, root: ROOT },
      returns: '`{name, passwd, gid, members}`; empty when there is none',
      examples: ["salt '*' group.info foo"],
      run: (_ctx, { name, root }) => info(name, root),
    }),
    getent: defineFunction({
      doc: 'Returns all that is known about all groups.',
      params: {
        refresh: param.value({
          default: false,
          type: 'bool',
          doc: 'Without effect: they are always read anew.',
        }),
        root: ROOT,
      },
      returns: 'list of mappings as group.info gives them',
      examples: ["salt '*' group.getent"],
      run: async (_ctx, { root }) => (await allGroups(root)).map(infoDict),
    }),
    add: defineFunction({
      doc: 'Adds a group.',
      params: {
        name: NAME,
        gid: param.valueIfGiven({
          default: null,
          type: 'int',
          doc: 'The group id; default: the next free one.',
        }),
        system: param.flag({ default: false, doc: 'A group of the system.' }),
        root: ROOT,
        non_unique: NON_UNIQUE,
      },
      returns: DONE,
      examples: ["salt '*' group.add foo 3456"],
      run: (ctx, { name, gid, system, root, non_unique }) => {
        const id = gid !== undefined ? ['-g', gid, ...(non_unique ? ['-o'] : [])] : [];
        const options = [...(system ? ['-r'] : []), ...rootWords(root)];
        return succeeds(ctx, [programPath('groupadd'), ...id, ...options, name]);
      },
    }),
    delete: defineFunction({
      doc: 'Removes a group.',
      params: { name: NAME, root: ROOT },
      returns: DONE,
      examples: ["salt '*' group.delete foo"],
      run: (ctx, { name, root }) => succeeds(ctx, [programPath('groupdel'), ...rootWords(root), name]),
    }),
    chgid: defineFunction({
      doc: 'Changes the id of a group.',
      params: {
        name: ENTRY,
        gid: param.value({ type: 'int', doc: 'The new id.' }),
        root: ROOT,
        non_unique: NON_UNIQUE,
      },
      returns: 'true when it has that now; false also when there is no such group',
      examples: ["salt '*' group.chgid foo 4376"],
      run: async (ctx, { name, gid, root, non_unique }) => {
        const [group, place] = [name, root];
        const before = await info(group, place);
        if (before.size === 0) return false;
        if (valuesEqual(gid, before.get('gid') ?? null)) return true;
        const option = non_unique ? '-og' : '-g';
        await runText(ctx, [programPath('groupmod'), ...rootWords(place), option, gid, group]);
        return valuesEqual((await info(group, place)).get('gid') ?? null, gid);
      },
    }),
    adduser: defineFunction({
      doc: 'Makes an account a member of a group.',
      params: { name: NAME, username: USERNAME, root: ROOT },
      returns: DONE,
      examples: ["salt '*' group.adduser foo bar"],
      run: async (ctx, { name, username, root }) => {
        const argv = [programPath('gpasswd'), '--add', username, name, ...rootWords(root, '--root')];
        return (await runCode(ctx, argv)) === 0;
      },
    }),
    deluser: defineFunction({
      doc: 'Takes an account out of a group.',
      params: { name: ENTRY, username: USERNAME, root: ROOT },
      returns: 'true when it is no member any more; also when there is no such group',
      examples: ["salt '*' group.deluser foo bar"],
      run: async (ctx, { name, username, root }) => {
        const group = await findGroupEntry(name, undefined);
        if (group?.members.includes(username) !== true) return true;
        const argv = [programPath('gpasswd'), '--del', username, name, ...rootWords(root, '--root')];
        return (await runCode(ctx, argv)) === 0;
      },
    }),
    members: defineFunction({
      doc: 'Sets the members of a group.',
      params: {
        name: NAME,
        members_list: param.value({ type: 'str', doc: 'Names of accounts, separated by commas.' }),
        root: ROOT,
      },
      returns: DONE,
      examples: [`salt '*' group.members foo 'user1,user2,user3'`],
      run: async (ctx, { name, members_list, root }) => {
        const argv = [programPath('gpasswd'), '--members', members_list, name];
        return (await runCode(ctx, [...argv, ...rootWords(root, '--root')])) === 0;
      },
    }),
  },
});
