/** Changing and adding accounts for `user.present`. */
import { isDir } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { nameRefusal } from './refusals.ts';
import { DAYS, neededChanges, shadowInfo, type WantedUser } from './wanted.ts';
import { userAccount } from '../../shared/accounts.ts';

/** What a password is shown as. */
const REDACTED = 'XXX-REDACTED-XXX';

/** Makes the changes, in Salt's order, and takes each out of the mapping. */
async function applyChanges(
  ctx: StateContext,
  wanted: WantedUser,
  change: Dict,
  before: Dict,
): Promise<void> {
  const { name } = wanted;
  const call = (fun: string, ...args: Value[]): Promise<Value> => ctx.functions.call(fun, [name, ...args]);
  const take = (key: string): Value | undefined => {
    const value = change.get(key);
    change.delete(key);
    return value;
  };
  if (take('passwd') !== undefined) await call('shadow.set_password', wanted.password ?? null);
  if (take('empty_password') === true) await call('shadow.del_password');
  const lock = take('password_lock');
  if (lock !== undefined) await call(truthy(lock) ? 'shadow.lock_password' : 'shadow.unlock_password');
  const date = take('date');
  if (date !== undefined) await call('shadow.set_date', date);
  const [home, missing] = [take('home'), take('homeDoesNotExist')];
  const folder = home ?? missing;
  if (folder !== undefined) await ctx.functions.call('user.chhome', [name, folder], { persist: false });
  if (missing !== undefined && !isDir(pyStr(missing)))
    await ctx.functions.call('file.mkdir', [
      missing,
      before.get('uid') ?? null,
      before.get('gid') ?? null,
      0o755,
    ]);
  for (const [key] of DAYS.filter(([each]) => each !== 'date')) {
    const value = take(key);
    if (value !== undefined) await call(`shadow.set_${key}`, value);
  }
  for (const key of [...change.keys()].map(pyStr)) {
    if (key === 'groups' || !(await ctx.functions.has(`user.ch${key}`))) continue;
    await call(`user.ch${key}`, take(key) ?? null);
  }
  const groups = take('groups');
  if (groups !== undefined) await call('user.chgroups', groups, !wanted.remove_groups);
}

/** Brings an account to what is wanted. */
export async function changeUser(
  ctx: StateContext,
  wanted: WantedUser,
  change: Dict,
  gid: Value,
): Promise<StateResult> {
  const { name } = wanted;
  if (ctx.state.test) {
    const lines = [...change].map(
      ([key, value]) => `${pyStr(key)}: ${key === 'passwd' ? REDACTED : pyStr(value)}\n`,
    );
    return outcome(name, null, `The following user attributes are set to be changed:\n${lines.join('')}`);
  }
  const shadowBefore = await shadowInfo(ctx, name);
  const before = (await userAccount(ctx, [name])) ?? new Map<Value, Value>();
  await applyChanges(ctx, wanted, change, before);
  const changes: Dict = new Map();
  for (const [key, value] of (await userAccount(ctx, [name])) ?? [])
    if (!valuesEqual(value, before.get(key) ?? null)) changes.set(key, value);
  const shadowAfter = shadowBefore.get('passwd') === wanted.password ? [] : await shadowInfo(ctx, name);
  for (const [key, value] of shadowAfter)
    if (!valuesEqual(value, shadowBefore.get(key) ?? null))
      changes.set(key, key === 'passwd' ? REDACTED : value);
  const left = await neededChanges(ctx, { ...wanted, gid });
  if (left !== undefined && left.size > 0) {
    if (left.has('passwd')) left.set('passwd', REDACTED);
    return outcome(name, false, `These values could not be changed: ${pyStr(left)}`, changes);
  }
  return outcome(
    name,
    true,
    changes.size > 0 ? `Updated user ${name}` : `User ${name} is present and up to date`,
    changes,
  );
}

/** What `user.add` is given besides what is wanted. */
export type AddOptions = Readonly<
  Record<'unique' | 'system' | 'nologinit' | 'loginclass' | 'usergroup', Value>
>;

/** Days of new accounts: how the texts call them. */
const NEW_DAYS: Readonly<Record<string, string>> = {
  date: 'last change date',
  mindays: 'minimum days',
  maxdays: 'maximum days',
  inactdays: 'inactive days',
  warndays: 'warn days',
  expire: 'expire days',
};

/** Adds an account. */
export async function addUser(
  ctx: StateContext,
  wanted: WantedUser,
  options: AddOptions,
): Promise<StateResult> {
  const { name } = wanted;
  const refused = nameRefusal('A user', name);
  if (refused !== undefined) return failure(name, refused);
  if (ctx.state.test) return outcome(name, null, `User ${name} set to be added`);
  const { groups, optional_groups: optional } = wanted;
  const both =
    groups === undefined && optional === undefined ? null : [...(groups ?? []), ...(optional ?? [])];
  const { uid, gid, home, shell, fullname, roomnumber, workphone, homephone, other, createhome } = wanted;
  const params = { uid, gid, groups: both, home, shell, fullname, roomnumber, workphone, homephone, other };
  const added = await ctx.functions.call('user.add', [], { name, ...params, createhome, ...options });
  if (added !== true)
    return failure(name, typeof added === 'string' ? added : `Failed to create new user ${name}`);
  const changes = new Map((await userAccount(ctx, [name])) ?? []);
  if (!createhome) changes.set('home', '');
  const failed = (await ctx.functions.has('shadow.info')) ? await setShadow(ctx, wanted, changes) : undefined;
  return outcome(name, failed === undefined, failed ?? `New user ${name} created`, changes);
}

/** Sets password, lock and days of a new account. @returns what failed last */
async function setShadow(ctx: StateContext, wanted: WantedUser, changes: Dict): Promise<string | undefined> {
  const { name, password, empty_password } = wanted;
  const starts = `User ${name} created but failed to`;
  let failed: string | undefined;
  const set = async (fun: string, field: string, value: Value, said: string): Promise<void> => {
    await ctx.functions.call(fun, fun === 'shadow.del_password' ? [name] : [name, value]);
    if (!valuesEqual((await shadowInfo(ctx, name)).get(field) ?? null, value)) failed = `${starts} ${said}`;
  };
  if (password !== undefined && !empty_password) {
    await set('shadow.set_password', 'passwd', password, `set password to ${REDACTED}`);
    changes.set('password', REDACTED);
  }
  if (empty_password && password === undefined) {
    await set('shadow.del_password', 'passwd', '', 'empty password');
    changes.set('password', '');
  }
  // Salt compat: Salt leaves it to the next run
  if (truthy(wanted.password_lock) && password !== undefined && !empty_password) {
    await ctx.functions.call('shadow.lock_password', [name]);
    changes.set('password_lock', true);
  }
  for (const [key, field] of DAYS) {
    const value = wanted[key] as Value;
    if (key === 'date' ? value === null : !truthy(value)) continue;
    await set(`shadow.set_${key}`, field, value, `set ${NEW_DAYS[key] ?? key} to ${pyStr(value)}`);
    changes.set(key, value);
  }
  return failed;
}
