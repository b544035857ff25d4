/** `group`: groups of this system. Follows 3006.16 salt/modules/groupadd.py. */
import { defineFunction, defineModule, type ModuleContext } from '../loader/module.ts';
import { pyStr } from '../values/repr.ts';
import { dict, truthy, valuesEqual, type Dict, type Value } from '../values/value.ts';
import { programPath, runAll, runCode, runText } from './program.ts';
import { allGroups, findGroupEntry, type AccountGroup, type Root } from './user/accounts.ts';

function rootOf(root: Value): Root {
  return root === null ? undefined : pyStr(root);
}

function rootWords(root: Root, option = '-R'): string[] {
  return root === undefined ? [] : [option, root];
}

function infoDict({ name, passwd, gid, members }: AccountGroup): Dict {
  return dict({ name, passwd, gid, members: [...members] });
}

async function info(name: string, root: Root): Promise<Dict> {
  const group = await findGroupEntry(name, root);
  return group === undefined ? new Map() : infoDict(group);
}

async function succeeds(ctx: ModuleContext, argv: readonly Value[]): Promise<boolean> {
  return (await runAll(ctx, argv)).retcode === 0;
}

const NAME = { type: 'str', doc: 'The name of the group.' } as const;
const USERNAME = { type: 'str', doc: 'The name of the account.' } as const;
const ROOT = { default: null, type: 'str', doc: 'A folder that stands for the root folder.' } as const;
const NON_UNIQUE = { default: false, type: 'bool', doc: 'Accept an id that another group has.' } as const;
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
  functions: {
    info: defineFunction({
      doc: 'Tells all about a group.',
      params: { name: NAME, root: ROOT },
      returns: '`{name, passwd, gid, members}`; empty when there is none',
      examples: ["salt '*' group.info foo"],
      run: (_ctx, { name, root }) => info(pyStr(name), rootOf(root)),
    }),
    getent: defineFunction({
      doc: 'Tells all about all groups.',
      params: {
        refresh: { default: false, type: 'bool', doc: 'Without effect: they are always read anew.' },
        root: ROOT,
      },
      returns: 'list of mappings as group.info gives them',
      examples: ["salt '*' group.getent"],
      run: async (_ctx, { root }) => (await allGroups(rootOf(root))).map(infoDict),
    }),
    add: defineFunction({
      doc: 'Adds a group.',
      params: {
        name: NAME,
        gid: { default: null, type: 'int', doc: 'The group id; default: the next free one.' },
        system: { default: false, type: 'bool', doc: 'A group of the system.' },
        root: ROOT,
        non_unique: NON_UNIQUE,
      },
      returns: DONE,
      examples: ["salt '*' group.add foo 3456"],
      run: (ctx, { name, gid, system, root, non_unique }) => {
        const id = truthy(gid) ? ['-g', gid, ...(truthy(non_unique) ? ['-o'] : [])] : [];
        const options = [...(truthy(system) ? ['-r'] : []), ...rootWords(rootOf(root))];
        return succeeds(ctx, [programPath('groupadd'), ...id, ...options, name]);
      },
    }),
    delete: defineFunction({
      doc: 'Removes a group.',
      params: { name: NAME, root: ROOT },
      returns: DONE,
      examples: ["salt '*' group.delete foo"],
      run: (ctx, { name, root }) =>
        succeeds(ctx, [programPath('groupdel'), ...rootWords(rootOf(root)), name]),
    }),
    chgid: defineFunction({
      doc: 'Changes the id of a group.',
      params: { name: NAME, gid: { type: 'int', doc: 'The new id.' }, root: ROOT, non_unique: NON_UNIQUE },
      returns: 'true when it has that now; false also when there is no such group',
      examples: ["salt '*' group.chgid foo 4376"],
      run: async (ctx, { name, gid, root, non_unique }) => {
        const [group, place] = [pyStr(name), rootOf(root)];
        const before = await info(group, place);
        if (before.size === 0) return false;
        if (valuesEqual(gid, before.get('gid') ?? null)) return true;
        const option = truthy(non_unique) ? '-og' : '-g';
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
        const argv = [programPath('gpasswd'), '--add', username, name, ...rootWords(rootOf(root), '--root')];
        return (await runCode(ctx, argv)) === 0;
      },
    }),
    deluser: defineFunction({
      doc: 'Takes an account out of a group.',
      params: { name: NAME, username: USERNAME, root: ROOT },
      returns: 'true when it is no member any more; also when there is no such group',
      examples: ["salt '*' group.deluser foo bar"],
      run: async (ctx, { name, username, root }) => {
        const group = await findGroupEntry(pyStr(name), undefined);
        if (group?.members.includes(pyStr(username)) !== true) return true;
        const argv = [programPath('gpasswd'), '--del', username, name, ...rootWords(rootOf(root), '--root')];
        return (await runCode(ctx, argv)) === 0;
      },
    }),
    members: defineFunction({
      doc: 'Sets the members of a group.',
      params: {
        name: NAME,
        members_list: { type: 'str', doc: 'Names of accounts, separated by commas.' },
        root: ROOT,
      },
      returns: DONE,
      examples: [`salt '*' group.members foo 'user1,user2,user3'`],
      run: async (ctx, { name, members_list, root }) => {
        const argv = [programPath('gpasswd'), '--members', members_list, name];
        return (await runCode(ctx, [...argv, ...rootWords(rootOf(root), '--root')])) === 0;
      },
    }),
  },
});
