/** `group`: groups of accounts (3006.16 salt/states/group.py). */
import { pyInt } from '../../python/conversions.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { idRefusal, nameRefusal } from './state/refusals.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { param } from '../../runtime/loader/params.ts';
import { groupAccount } from '../shared/accounts.ts';

/** What is wanted of a group. */
interface Wanted {
  readonly name: string;
  readonly gid: Value;
  readonly addusers: Value[] | undefined;
  readonly delusers: Value[] | undefined;
  readonly members: Value[] | undefined;
}

const NAME = param.text({ doc: 'The name of the group.' });

const listOf = (value: Value): Value[] => (Array.isArray(value) ? value : []);

/** Reads a list of users, of whom some may have numbers for names; undefined where none is said. */
function usersOf(value: Value): Value[] | undefined {
  if (value === null) return undefined;
  return listOf(value).map((user) => (typeof user === 'number' ? String(user) : user));
}

/**
 * Why something is no list of users. Salt compat: Salt takes the letters of a text for users, or ends with a
 * traceback.
 */
function usersRefusal(lists: Readonly<Record<string, Value | undefined>>): string | undefined {
  for (const [key, value] of Object.entries(lists)) {
    if (value === null || value === undefined) continue;
    if (!Array.isArray(value)) return `${key} must be a list of users, not ${pyRepr(value)}`;
    const wrong = value.find((user) => typeof user !== 'number' && !isUserName(user));
    if (wrong !== undefined) return `${key} has something that is no name of a user: ${pyRepr(wrong)}`;
  }
  return undefined;
}

const isUserName = (user: Value): boolean => typeof user === 'string' && /^[^-,:\n\0][^,:\n\0]*$/.test(user);

/** True when both lists name the same users. */
function areSame(a: readonly Value[], b: readonly Value[]): boolean {
  return a.every((each) => b.includes(each)) && b.every((each) => a.includes(each));
}

/** What has to be changed of a group; undefined when there is none. */
async function neededChanges(ctx: StateContext, wanted: Wanted): Promise<Dict | undefined> {
  const info = await groupAccount(ctx, [wanted.name]);
  if (info === undefined) return undefined;
  const current = listOf(info.get('members') ?? null);
  const change: Dict = new Map();
  if (truthy(wanted.gid)) {
    const gid = numberOf(wanted.gid);
    if (gid === undefined) return dict({ result: false, comment: 'Invalid gid' });
    if (!valuesEqual(info.get('gid') ?? null, gid)) change.set('gid', gid);
  }
  const { members, addusers = [], delusers = [] } = wanted;
  if (members !== undefined && !areSame(current, members))
    change.set(members.length === 0 ? 'delusers' : 'members', members.length === 0 ? current : members);
  const added = addusers.filter((user) => !current.includes(user));
  if (added.length > 0) change.set('addusers', added);
  const removed = delusers.filter((user) => current.includes(user));
  if (removed.length > 0) change.set('delusers', removed);
  return change;
}

function numberOf(value: Value): Value | undefined {
  try {
    return pyInt(value);
  } catch {
    return undefined;
  }
}

/** A change as Salt's comment shows it: users that are taken away for an empty list of members are a set. */
function shownChange(wanted: Wanted, key: Value, value: Value): string {
  const isSet = key === 'delusers' && wanted.members !== undefined && Array.isArray(value);
  return `${pyStr(key)}: ${isSet ? `{${value.map(pyRepr).join(', ')}}` : pyStr(value)}\n`;
}

async function applyChanges(
  ctx: StateContext,
  { name, members }: Wanted,
  change: Dict,
  nonUnique: boolean,
): Promise<void> {
  const call = (fun: string, ...args: Value[]): Promise<Value> => ctx.functions.call(`group.${fun}`, args);
  for (const [key, value] of change) {
    if (key === 'gid') await ctx.functions.call('group.chgid', [name, value], { non_unique: nonUnique });
    else if (key === 'addusers') for (const user of listOf(value)) await call('adduser', name, user);
    else if (key === 'delusers') for (const user of listOf(value)) await call('deluser', name, user);
    else if (key === 'members') await call('members', name, (members ?? []).map(pyStr).join(','));
  }
}

async function changeGroup(
  ctx: StateContext,
  wanted: Wanted,
  change: Dict,
  nonUnique: boolean,
): Promise<StateResult> {
  const lines = [...change].map(([key, value]) => shownChange(wanted, key, value));
  const comment = `The following group attributes are set to be changed:\n${lines.join('')}`;
  if (ctx.state.test) return outcome(wanted.name, null, comment);
  await applyChanges(ctx, wanted, change, nonUnique);
  const left = await neededChanges(ctx, wanted);
  return left === undefined || left.size > 0
    ? outcome(
        wanted.name,
        false,
        `${comment}Some changes could not be applied`,
        dict({ Failed: left ?? new Map() }),
      )
    : outcome(wanted.name, true, comment, dict({ Final: 'All changes applied successfully' }));
}

/** The name of the group that has an id already. */
async function groupWithId(ctx: StateContext, gid: Value): Promise<string | undefined> {
  const groups = listOf(await ctx.functions.call('group.getent'));
  const found = groups.find((group) => isDict(group) && valuesEqual(group.get('gid') ?? null, gid));
  return isDict(found) ? pyStr(found.get('name') ?? '') : undefined;
}

async function addGroup(
  ctx: StateContext,
  wanted: Wanted,
  options: { readonly system: boolean; readonly non_unique: boolean },
): Promise<StateResult> {
  const { name, gid } = wanted;
  const refused = nameRefusal('A group', name);
  if (refused !== undefined) return failure(name, refused);
  // Salt compat: there, test mode promises a group whose id another one has
  const taken = gid === null || options.non_unique ? undefined : await groupWithId(ctx, gid);
  if (taken !== undefined)
    return failure(
      name,
      `Group ${name} is not present but gid ${pyStr(gid)} is already taken by group ${taken}`,
    );
  if (ctx.state.test) return outcome(name, null, `Group ${name} set to be added`);
  if (!truthy(await ctx.functions.call('group.add', [name], { gid, ...options })))
    return failure(name, `Failed to create new group ${name}`);
  const members = [wanted.addusers ?? [], wanted.members ?? []].find((users) => users.length > 0);
  if (members !== undefined) await ctx.functions.call('group.members', [name, members.map(pyStr).join(',')]);
  const info = await groupAccount(ctx, [name]);
  const left = await neededChanges(ctx, wanted);
  if (left !== undefined && left.size > 0)
    return outcome(
      name,
      false,
      `Group ${name} has been created but, some changes could not be applied`,
      dict({ Failed: left }),
    );
  return outcome(name, true, `New group ${name} created`, info ?? dict());
}

const users = (doc: string, more: { readonly account?: 'user' } = {}) =>
  param.by(usersOf, { default: null, type: 'list', doc, ...more });

const present = defineState({
  doc: 'Makes sure that a group is there, with the given id and members.',
  params: {
    name: NAME,
    gid: param.value({ default: null, type: 'int', doc: 'Its id.' }),
    system: param.flag({ default: false, doc: 'A group of the system, with an id from its range.' }),
    addusers: users('Users that are to be members.', { account: 'user' }),
    delusers: users('Users that are not to be members.'),
    members: users('All members; no others stay.', { account: 'user' }),
    non_unique: param.flag({ default: false, doc: 'Allow an id that another group has.' }),
  },
  // Salt compat: Salt's result of lists that exclude each other is None, in the run as well
  refuses: ({ gid, addusers, delusers, members }, _kwargs, given) => {
    const lists = { addusers: given['addusers'], delusers: given['delusers'], members: given['members'] };
    if (members !== undefined && (addusers !== undefined || delusers !== undefined))
      return 'Error: Conflicting options "members" with "addusers" and/or "delusers" can not be used together. ';
    if (addusers?.some((user) => delusers?.includes(user)) === true)
      return 'Error. Same user(s) can not be added and deleted simultaneously';
    return usersRefusal(lists) ?? (truthy(gid) ? idRefusal('gid', numberOf(gid) ?? gid) : undefined);
  },
  run: async (ctx, { name, gid, system, addusers, delusers, members, non_unique }) => {
    const wanted = { name, gid, addusers, delusers, members };
    const change = await neededChanges(ctx, wanted);
    if (change === undefined) return addGroup(ctx, wanted, { system, non_unique });
    if (change.size === 0) return outcome(name, true, `Group ${name} is present and up to date`);
    return changeGroup(ctx, wanted, change, non_unique);
  },
});

const absent = defineState({
  doc: 'Makes sure that there is no such group.',
  params: { name: NAME },
  run: async (ctx, { name }) => {
    if ((await groupAccount(ctx, [name])) === undefined) return outcome(name, true, 'Group not present');
    if (ctx.state.test) return outcome(name, null, `Group ${name} is set for removal`);
    return truthy(await ctx.functions.call('group.delete', [name]))
      ? outcome(name, true, `Removed group ${name}`, new Map([[name, '']]))
      : failure(name, `Failed to remove group ${name}`);
  },
});

/** The states of `group`. */
export const groupStates = defineModule({
  name: 'group',
  file: 'group',
  doc: 'Groups of accounts.',
  needs: { fun: 'group.info', otherwise: 'group module could not be loaded' },
  words: {},
  functions: { present, absent },
});
