/** `user`: accounts (3006.16 salt/states/user.py). */
import { defineModule, type TypedArguments } from '../../runtime/loader/module.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isInt, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { mayBeMade } from '../shared/made-earlier.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { addUser, changeUser } from './state/change.ts';
import { dayRefusal, fieldRefusal, groupRefusal, idRefusal } from './state/refusals.ts';
import { neededChanges, shadowInfo, type WantedUser } from './state/wanted.ts';
import { param } from '../../runtime/loader/params.ts';
import { gidOf, groupAccount, userAccount } from '../shared/accounts.ts';

function asText(value: Value): string | null {
  return value === null ? null : pyStr(value);
}

function namesOf(value: Value): string[] | undefined {
  return value === null ? undefined : (Array.isArray(value) ? value : [value]).map(pyStr);
}

/**
 * A number that is given as a text. Salt compat: Salt compares the text with the number, so that it never has what is
 * wanted.
 */
function numberOfText(value: Value): Value {
  // as with Salt, an empty text says nothing
  if (value === '') return null;
  return typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
}

/**
 * A day as the system counts them, also where it is given as a date. Salt compat: Salt sets a date, and then does not
 * find it.
 */
function daysOf(value: Value): Value {
  const isDate = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value.trim());
  const time = isDate ? Date.parse(`${value.trim()}T00:00:00Z`) : NaN;
  return Number.isNaN(time) ? numberOfText(value) : time / 86_400_000;
}

const NAME = param.text({ doc: 'The name of the account.' });
const text = (doc: string) => param.value({ default: null, type: 'str', doc });
const days = (doc: string) => param.by(daysOf, { default: null, type: 'int', doc });
const id = (doc: string, type = 'int') => param.by(numberOfText, { default: null, type, doc });
const flag = (value: boolean, doc: string) => param.flag({ default: value, doc });
const said = (doc: string) => param.by(asText, { default: null, type: 'str', doc });
const windows = (doc: string) => param.value({ default: null, type: 'str', doc: `${doc} Windows only.` });

const PARAMS = {
  name: NAME,
  uid: id('Its id.'),
  gid: id('The group it belongs to, by name or id.', 'str'),
  usergroup: param.flagIfGiven({ default: null, doc: 'Belong to a group of its own name.' }),
  groups: param.by(namesOf, { default: null, type: 'list', doc: 'Further groups; they have to be there.' }),
  optional_groups: param.by(namesOf, {
    default: null,
    type: 'list',
    doc: 'Further groups; those that there are not are left out.',
  }),
  remove_groups: flag(true, 'Take it out of groups that are not named.'),
  home: text('Its folder.'),
  createhome: flag(true, 'Make its folder.'),
  password: param.valueIfGiven({ default: null, type: 'str', doc: 'The hash of its password.' }),
  hash_password: flag(false, 'The password is given as it is and has to be hashed.'),
  enforce_password: flag(true, 'Also change a password that was set otherwise.'),
  empty_password: flag(false, 'No password is needed.'),
  shell: text('The program it starts with.'),
  unique: flag(true, 'Refuse an id that another account has.'),
  system: flag(false, 'An account of the system, with an id from its range.'),
  fullname: said('The full name.'),
  roomnumber: said('The number of the room.'),
  workphone: said('The telephone at work.'),
  homephone: said('The telephone at home.'),
  other: said('Anything else.'),
  loginclass: text('The login class, on BSD.'),
  date: days('Day of the last change of the password, since 1970.'),
  mindays: days('Days between changes of the password, at least.'),
  maxdays: days('Days between changes of the password, at most.'),
  inactdays: days('Days after the password has run out until the account is locked.'),
  warndays: days('Days of warning before that.'),
  expire: days('Day on which the account runs out, since 1970.'),
  win_homedrive: windows('The drive.'),
  win_profile: windows('The profile.'),
  win_logonscript: windows('The script at logon.'),
  win_description: windows('The description.'),
  nologinit: flag(false, 'Do not add it to lastlog and faillog.'),
  allow_uid_change: flag(false, 'Change the id of an account that has another one.'),
  allow_gid_change: flag(false, 'Change the group of an account that has another one.'),
  password_lock: param.value({ default: null, type: 'bool', doc: 'Lock the password, or unlock it.' }),
} as const;
type Args = TypedArguments<typeof PARAMS>;

const ALGORITHMS: Readonly<Record<string, string>> = { 1: 'md5', '2a': 'blowfish', 5: 'sha256', 6: 'sha512' };

/** The hash of a password, with the salt of the one there is, so that the same password gives the same hash. */
async function hashed(ctx: StateContext, name: string, password: Value): Promise<Value> {
  const current = pyStr((await shadowInfo(ctx, name)).get('passwd') ?? '');
  const [, algorithm = '', salt, hash] = current.split('$');
  if (salt === undefined || hash === undefined) return ctx.functions.call('shadow.gen_password', [password]);
  if (algorithm === '1') ctx.log.warning('Using MD5 for hashing passwords is considered insecure!');
  const how: Dict = new Map<Value, Value>([
    ['crypt_salt', salt],
    ['algorithm', ALGORITHMS[algorithm] ?? null],
  ]);
  return ctx.functions.call('shadow.gen_password', [password], how);
}

async function existing(ctx: StateContext, groups: readonly string[]): Promise<string[]> {
  const out: string[] = [];
  for (const name of groups) if ((await groupAccount(ctx, [name])) !== undefined) out.push(name);
  return out;
}

async function wantedUser(ctx: StateContext, args: Args, groups: string[] | undefined): Promise<WantedUser> {
  const optional = args.optional_groups ?? [];
  const own = args.usergroup === true && (await gidOf(ctx, [args.name])) !== undefined;
  return {
    ...args,
    gid: own ? args.name : args.gid,
    groups,
    optional_groups: optional.length > 0 ? await existing(ctx, optional) : undefined,
    password:
      args.password !== undefined && args.hash_password
        ? await hashed(ctx, args.name, args.password)
        : args.password,
  };
}

/** Why the id or the group of an account may not be changed. */
async function refusals(ctx: StateContext, args: Args, change: Dict): Promise<string | undefined> {
  const account = await userAccount(ctx, [args.name]);
  const errors = (['uid', 'gid'] as const)
    .filter((key) => change.has(key) && !args[`allow_${key}_change`])
    .map((key) => {
      const [old, now] = [account?.get(key) ?? null, change.get(key) ?? null].map(pyStr) as [string, string];
      return `- Changing ${key} (${old} -> ${now}) not permitted, set allow_${key}_change to True to force this change. Note that this will not change file ownership.`;
    });
  if (errors.length === 0) return undefined;
  return `Encountered error checking for needed changes. Additional info follows:\n\n${errors.join('\n')}`;
}

/** Why something is no list of groups. */
function groupsRefusal(key: string, value: Value): string | undefined {
  for (const one of Array.isArray(value) ? value : [value]) {
    const isGroup =
      typeof one === 'string' ? one !== '' && !/^-|[:,\n\0]/.test(one) : isInt(one) || value === null;
    if (!isGroup) return `${key} must be a list of names of groups, not ${pyRepr(value)}`;
  }
  return undefined;
}

/**
 * In test mode: why an account cannot have its group, which no earlier state would make. Salt compat: there, test mode
 * promises it.
 */
async function missingGroup(ctx: StateContext, { gid }: Args): Promise<string | undefined> {
  if (!ctx.state.test || gid === null || mayBeMade(ctx)) return undefined;
  const fun = typeof gid === 'string' ? 'file.group_to_gid' : 'file.gid_to_group';
  const found = await ctx.functions.call(fun, [gid]);
  return found === '' || found === gid ? `The group ${pyStr(gid)} of gid is not present` : undefined;
}

/** Why no account can be like this. */
function refuses(args: Args, given: Readonly<Record<string, Value>>): string | undefined {
  const { fullname, roomnumber, workphone, homephone, other, home, shell } = args;
  const { date, mindays, maxdays, inactdays, warndays, expire } = args;
  const password = args.hash_password ? null : (args.password ?? null);
  // Salt compat: there, the account is made, and then it ends with a traceback
  if (args.password !== undefined && typeof args.password !== 'string')
    return 'password must be a text: put it in quotation marks';
  return (
    idRefusal('uid', args.uid) ??
    groupRefusal('gid', args.gid) ??
    groupsRefusal('groups', given['groups'] ?? null) ??
    groupsRefusal('optional_groups', given['optional_groups'] ?? null) ??
    fieldRefusal({ home, shell, fullname, roomnumber, workphone, homephone, other, password }) ??
    dayRefusal({ date, mindays, maxdays, inactdays, warndays, expire })
  );
}

async function present(ctx: StateContext, args: Args): Promise<StateResult> {
  const { name } = args;
  const comma = [args.fullname, args.roomnumber, args.workphone].find((part) => part?.includes(','));
  if (comma !== undefined && comma !== null) return failure(name, `Unsupported char ',' in ${comma}`);
  const { groups } = args;
  const there = await existing(ctx, groups ?? []);
  const missing = (groups ?? []).filter((group) => !there.includes(group));
  // a run that changes nothing has not made the groups of an earlier state either (3006.26)
  if (missing.length > 0 && !mayBeMade(ctx))
    return failure(name, `The following group(s) are not present: ${missing.join(',')}`);
  const without = await missingGroup(ctx, args);
  if (without !== undefined) return failure(name, without);
  const wanted = await wantedUser(ctx, args, groups);
  const change = await neededChanges(ctx, wanted);
  if (change === undefined) {
    // Salt compat: there, test mode promises it, and the run does not say why useradd refuses it
    if (!args.unique && args.uid === null) return failure(name, 'unique: False needs a uid');
    const { unique, system, nologinit, loginclass, usergroup } = args;
    const options = { unique, system, nologinit, loginclass, usergroup: usergroup ?? null };
    return addUser(ctx, { ...wanted, gid: args.gid }, options);
  }
  const refused = await refusals(ctx, args, change);
  if (refused !== undefined) return failure(name, refused);
  return change.size > 0
    ? changeUser(ctx, wanted, change, args.gid)
    : outcome(name, true, `User ${name} is present and up to date`);
}

const absent = defineState({
  doc: 'Makes sure that there is no such account.',
  params: {
    name: NAME,
    purge: flag(false, 'Also remove its folder.'),
    force: flag(false, 'Also when it is in use.'),
  },
  run: async (ctx, { name, purge, force }) => {
    if ((await userAccount(ctx, [name])) === undefined)
      return outcome(name, true, `User ${name} is not present`);
    if (ctx.state.test) return outcome(name, null, `User ${name} set for removal`);
    const before = namesOf(await ctx.functions.call('user.list_groups', [name])) ?? [];
    if (!truthy(await ctx.functions.call('user.delete', [name, purge, force])))
      return failure(name, `Failed to remove user ${name}`);
    const after = await existing(ctx, before);
    const gone = before.filter((group) => !after.includes(group));
    const changes: Dict = new Map(gone.map((group): [Value, Value] => [`${group} group`, 'removed']));
    return outcome(name, true, `Removed user ${name}`, changes.set(name, 'removed'));
  },
});

/** The states of `user`. */
export const userStates = defineModule({
  name: 'user',
  file: 'user',
  doc: 'Accounts.',
  needs: { fun: 'user.info', otherwise: 'user module could not be loaded' },
  words: {
    lines: ['password'],
    dashes: [
      ...['fullname', 'roomnumber', 'workphone', 'homephone', 'other', 'password'],
      ...['date', 'mindays', 'maxdays', 'inactdays', 'warndays', 'expire'],
    ],
  },
  functions: {
    present: defineState({
      doc: 'Makes sure that an account is there, with the given properties.',
      params: PARAMS,
      refuses: (args, _kwargs, given) => refuses(args, given),
      run: present,
    }),
    absent,
  },
});
