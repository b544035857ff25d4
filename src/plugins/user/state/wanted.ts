/** What a `user.present` asks for, and how an account differs from it (3006.16 salt/states/user.py `_changes`). */
import { isDir } from '../../../python/paths.ts';
import { compareText } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { gidOf, groupAccount, userAccount } from '../../shared/accounts.ts';

/** The arguments of `user.present`, those that are texts made so. */
export interface WantedUser {
  readonly name: string;
  readonly uid: Value;
  readonly gid: Value;
  readonly groups: readonly string[] | undefined;
  /** Those of the optional groups that there are. */
  readonly optional_groups: readonly string[] | undefined;
  readonly remove_groups: boolean;
  readonly home: Value;
  readonly createhome: boolean;
  readonly password: Value | undefined;
  readonly enforce_password: boolean;
  readonly empty_password: boolean;
  readonly shell: Value;
  readonly fullname: string | null;
  readonly roomnumber: string | null;
  readonly workphone: string | null;
  readonly homephone: string | null;
  readonly other: string | null;
  readonly date: Value;
  readonly mindays: Value;
  readonly maxdays: Value;
  readonly inactdays: Value;
  readonly warndays: Value;
  readonly expire: Value;
  readonly password_lock: Value;
}

/** The days of an account: the argument, its name in what `shadow.info` tells, and whether 0 and none mean nothing. */
export const DAYS: readonly (readonly [name: keyof WantedUser & string, field: string])[] = [
  ['date', 'lstchg'],
  ['mindays', 'min'],
  ['maxdays', 'max'],
  ['inactdays', 'inact'],
  ['warndays', 'warn'],
  ['expire', 'expire'],
];

/** `shadow.info`; empty where there is no such module. */
export async function shadowInfo(ctx: StateContext, name: Value): Promise<Dict> {
  if (!(await ctx.functions.has('shadow.info'))) return new Map();
  const info = await ctx.functions.call('shadow.info', [name]);
  return isDict(info) ? info : new Map();
}

/** What has to be changed of an account, in Salt's order; undefined when there is none. */
export async function neededChanges(ctx: StateContext, wanted: WantedUser): Promise<Dict | undefined> {
  const account = await userAccount(ctx, [wanted.name]);
  if (account === undefined) return undefined;
  const change: Dict = new Map();
  const { uid, gid, home, shell } = wanted;
  if (truthy(uid) && !valuesEqual(account.get('uid') ?? null, uid)) change.set('uid', uid);
  const gidNow = account.get('gid') ?? null;
  if (gid !== null && !valuesEqual(gidNow, gid) && !valuesEqual(gidNow, (await gidOf(ctx, [gid])) ?? ''))
    change.set('gid', gid);
  const groups = await neededGroups(ctx, wanted, account);
  if (groups !== undefined) change.set('groups', groups);
  if (truthy(home) && account.get('home') !== home) change.set('home', home);
  const folder = truthy(home) ? home : (account.get('home') ?? null);
  if (wanted.createhome && folder !== null && !isDir(pyStr(folder))) change.set('homeDoesNotExist', folder);
  if (truthy(shell) && account.get('shell') !== shell) change.set('shell', shell);
  if ((await ctx.functions.has('shadow.info')) && (await ctx.functions.has('shadow.default_hash')))
    await addShadowChanges(ctx, wanted, change);
  for (const part of ['fullname', 'roomnumber', 'workphone', 'homephone', 'other'] as const) {
    const isKnown = part === 'fullname' || (await ctx.functions.has(`user.ch${part}`));
    if (isKnown && wanted[part] !== null && account.get(part) !== wanted[part])
      change.set(part, wanted[part]);
  }
  return change;
}

async function addShadowChanges(ctx: StateContext, wanted: WantedUser, change: Dict): Promise<void> {
  const shadow = await shadowInfo(ctx, wanted.name);
  const current = shadow.get('passwd') ?? '';
  const isLocked = pyStr(current).startsWith('!');
  // Salt compat: Salt takes the mark of a lock for another password, and fails at each run that has both
  const held = truthy(wanted.password_lock) && isLocked ? pyStr(current).replace(/^!+/, '') : current;
  if (wanted.password !== undefined && !wanted.empty_password) {
    const isUnset = current === (await ctx.functions.call('shadow.default_hash'));
    if ((isUnset || wanted.enforce_password) && held !== wanted.password)
      change.set('passwd', wanted.password);
  }
  if (wanted.empty_password && current !== '') change.set('empty_password', true);
  for (const [name, field] of DAYS) {
    const value = wanted[name] as Value;
    const isAsked = name === 'expire' ? truthy(value) : value !== null;
    if (isAsked && !valuesEqual(shadow.get(field) ?? null, value)) change.set(name, value);
  }
  // a password that is set takes the lock away
  const isToLock = truthy(wanted.password_lock) && (!isLocked || change.has('passwd'));
  if (isToLock || (wanted.password_lock === false && isLocked))
    change.set('password_lock', wanted.password_lock);
}

const groupName = (ctx: StateContext, gid: Value): Promise<Value> =>
  ctx.functions.call('file.gid_to_group', [gid]);

/** The groups an account is to have besides its own one; undefined when it has them. */
async function neededGroups(
  ctx: StateContext,
  wanted: WantedUser,
  account: Dict,
): Promise<string[] | undefined> {
  const all = account.get('groups');
  const current = new Set(Array.isArray(all) ? all.map(pyStr) : []);
  const goal = new Set([...(wanted.groups ?? []), ...(wanted.optional_groups ?? [])]);
  const hasNoWish = wanted.groups === undefined && (wanted.optional_groups ?? []).length === 0;
  if (!wanted.remove_groups || hasNoWish) for (const name of current) goal.add(name);
  const ids = new Map<string, Value>();
  for (const name of current) {
    const id = await gidOf(ctx, [name]);
    if (id !== undefined) ids.set(name, id);
  }
  /** A group, with those that have its id under other names. */
  const alike = (name: string): string[] => {
    const id = ids.get(name);
    return id === undefined
      ? [name]
      : [...ids].filter(([, other]) => valuesEqual(other, id)).map(([each]) => each);
  };
  const gid = account.get('gid') ?? null;
  const own = pyStr(await groupName(ctx, wanted.gid ?? gid));
  const before = pyStr(await groupName(ctx, gid));
  for (const name of alike(own)) {
    current.delete(name);
    goal.delete(name);
  }
  if (before !== own && current.has(before)) for (const name of alike(before)) current.delete(name);
  const user = wanted.name;
  if (current.has(user) && !goal.has(user)) for (const name of alike(user)) current.delete(name);
  const isDifferent = await groupsDiffer(ctx, current, goal, wanted.remove_groups);
  return isDifferent && (goal.size > 0 || wanted.remove_groups) ? [...goal].sort(compareText) : undefined;
}

/** True when groups have to be changed; one under another name is the same. */
async function groupsDiffer(
  ctx: StateContext,
  current: ReadonlySet<string>,
  goal: ReadonlySet<string>,
  remove: boolean,
): Promise<boolean> {
  const added = [...goal].filter((name) => !current.has(name));
  const removed = remove ? [...current].filter((name) => !goal.has(name)) : [];
  if (added.length + removed.length === 0) return false;
  const ids = new Map<string, Value>();
  for (const name of new Set([...current, ...goal])) {
    ids.set(name, (await groupAccount(ctx, [name]))?.get('gid') ?? null);
  }
  return [...added, ...removed].some(
    (name) =>
      ![...ids].some(
        ([other, id]) => other !== name && id !== null && valuesEqual(id, ids.get(name) ?? null),
      ),
  );
}
