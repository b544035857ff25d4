/**
 * `postgres_user` and `postgres_group`: roles of PostgreSQL (3006.16 salt/states/postgres_user.py,
 * salt/states/postgres_group.py).
 */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule, type FunctionSpec, type ModuleSpec } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { encrypted, encryptionOf, isSamePassword } from './module/passwords.ts';
import { timestamp } from './module/roles.ts';
import { literal } from './module/sql-words.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  failed,
  forgetTroubles,
  nameOf,
  placeKeywords,
  PLACE_AND_DATABASE,
  postgres,
  switched,
  unanswered,
  withoutPostgres,
  withoutRole,
  type Place,
} from './state/parts.ts';
import { flagIfSaid } from '../shared/optional-params.ts';

/** Rights, and what the server calls them, in the order in which changes show them. */
const RIGHTS = [
  ['createdb', 'can create databases'],
  ['inherit', 'inherits privileges'],
  ['login', 'can login'],
  ['createroles', 'can create roles'],
  ['replication', 'replication'],
  ['superuser', 'superuser'],
] as const;

type RightName = (typeof RIGHTS)[number][0];

/** What a role is to be; undefined and None leave a part as it is. */
interface WantedRole extends Place, Readonly<Record<RightName, boolean | undefined>> {
  readonly name: string;
  readonly encrypted: Value;
  readonly password: string | undefined;
  readonly default_password?: string | undefined;
  readonly refresh_password: boolean;
  readonly valid_until?: string | undefined;
  readonly groups: readonly string[] | undefined;
}

/** Which of the two kinds of roles a state is about. */
interface Kind {
  readonly title: 'User' | 'Group';
  readonly word: 'user' | 'group';
  /** What the execution functions call the role. */
  readonly parameter: 'username' | 'groupname';
}

/** The password to set, as the server is to get it; undefined where nothing is to be done. */
function passwordToSet(ctx: StateContext, wanted: WantedRole, role: Dict | undefined): string | undefined {
  const password = wanted.password ?? (role === undefined ? wanted.default_password : undefined);
  if (password === undefined) return undefined;
  const by = encryptionOf(wanted.encrypted);
  const kept = role === undefined || wanted.refresh_password ? undefined : pyStr(role.get('password') ?? '');
  if (kept !== undefined && isSamePassword(wanted.name, password, kept, by)) return undefined;
  return encrypted(wanted.name, password, by, ctx.random);
}

/** True when the password of a role ends at another time than it is to. */
async function endsOtherwise(ctx: StateContext, wanted: WantedRole, role: Dict): Promise<boolean> {
  if (wanted.valid_until === undefined) return false;
  const query = `SELECT ${literal(wanted.valid_until)}::timestamp(0) as dt;`;
  const rows = await postgres(ctx, 'psql_query', [query], placeKeywords(wanted));
  const row = Array.isArray(rows) ? rows[0] : undefined;
  const end = isDict(row) ? timestamp(pyStr(row.get('dt') ?? '')) : null;
  return String(end) !== String(role.get('expiry time') ?? null);
}

/** What is to be changed about a role. */
async function changesOf(
  ctx: StateContext,
  wanted: WantedRole,
  role: Dict,
  password: string | undefined,
): Promise<Dict> {
  const changes = dict();
  for (const [name, field] of RIGHTS) {
    const value = wanted[name];
    if (value !== undefined && !valuesEqual(role.get(field) ?? null, value)) changes.set(name, value);
  }
  if (password !== undefined) changes.set('password', true);
  if (await endsOtherwise(ctx, wanted, role)) changes.set('valid_until', wanted.valid_until ?? null);
  const groups = role.get('groups');
  const missing = (wanted.groups ?? []).filter((group) => !Array.isArray(groups) || !groups.includes(group));
  if (missing.length > 0) changes.set('groups', missing);
  return changes;
}

async function present(ctx: StateContext, kind: Kind, wanted: WantedRole): Promise<StateResult> {
  const { name } = wanted;
  forgetTroubles(ctx);
  const keywords = placeKeywords(wanted);
  const found = await postgres(ctx, 'role_get', [name], {
    return_password: !wanted.refresh_password,
    ...keywords,
  });
  const role = isDict(found) ? found : undefined;
  const password = passwordToSet(ctx, wanted, role);
  const changes = role === undefined ? dict() : await changesOf(ctx, wanted, role, password);
  if (role !== undefined && changes.size === 0)
    return outcome(name, true, `${kind.title} ${name} is already present`);
  const mode = role === undefined ? 'create' : 'update';
  const shown = changes.size === 0 ? dict() : new Map<Value, Value>([[name, changes]]);
  const refusal =
    unanswered(ctx, name, `Failed to ${mode} ${kind.word} ${name}`) ??
    (await withoutRole(ctx, name, wanted.groups ?? [], keywords));
  if (refusal !== undefined) return refusal;
  if (ctx.state.test) return outcome(name, null, `${kind.title} ${name} is set to be ${mode}d`, shown);
  const { createdb, createroles, superuser, login, inherit, replication, valid_until } = wanted;
  const isDone = await postgres(ctx, `${kind.word}_${mode}`, [], {
    [kind.parameter]: name,
    ...{ createdb, createroles, superuser, login, inherit, replication },
    encrypted: wanted.encrypted,
    rolepassword: password,
    ...(kind.word === 'user' ? { valid_until } : {}),
    groups: wanted.groups === undefined ? null : [...wanted.groups],
    ...keywords,
  });
  if (!truthy(isDone)) return failed(ctx, name, `Failed to ${mode} ${kind.word} ${name}`);
  const done = `The ${kind.word} ${name} has been ${mode}d`;
  return outcome(name, true, done, shown.size === 0 ? dict({ [name]: 'Present' }) : shown);
}

async function absent(ctx: StateContext, kind: Kind, name: string, place: Place): Promise<StateResult> {
  forgetTroubles(ctx);
  const [title, keywords] = [`${kind.title} ${name}`, placeKeywords(place)];
  return switched(ctx, {
    name,
    isRight: !truthy(await postgres(ctx, 'user_exists', [name], keywords)),
    change: 'Absent',
    right: `${title} is not present, so it cannot be removed`,
    foretold: `${title} is set to be removed`,
    done: `${title} has been removed`,
    failure: `${title} failed to be removed`,
    run: async () => truthy(await postgres(ctx, `${kind.word}_remove`, [name], keywords)),
  });
}

const ROLE = {
  createdb: flagIfSaid('It may make databases.'),
  createroles: flagIfSaid('It may make roles.'),
  encrypted: param.value({
    default: null,
    type: 'bool or str',
    doc: 'How the password is kept: md5 (default) or scram-sha-256; False leaves it as it is, which servers refuse since version 10.',
  }),
  superuser: flagIfSaid('It may do everything.'),
  replication: flagIfSaid('It may replicate.'),
  inherit: flagIfSaid('It has the privileges of the roles that it is a member of.'),
  login: flagIfSaid('It may log in.'),
  password: param.textOrNone({ default: null, doc: 'The password, plain or as the server keeps it.' }),
  refresh_password: param.flag({
    default: null,
    doc: 'Set the password at each run, without asking the server for it, which only superusers may.',
  }),
  groups: param.textsIfGiven({ default: null, doc: 'The roles that it is to be a member of.' }),
} as const;

const USER_ONLY = {
  default_password: param.textOrNone({ default: null, doc: 'The password of a user that is made now.' }),
  valid_until: param.textIfGiven({ default: null, doc: 'When the password ends: 2030-01-01, infinity.' }),
} as const;

/** Why a password can never be kept so. Salt compat: a traceback. */
function refuses({
  name,
  encrypted: by,
  password,
  default_password,
}: Pick<WantedRole, 'name' | 'encrypted' | 'password' | 'default_password'>): string | undefined {
  if (name === '') return 'A role needs a name: it cannot be empty';
  if (password === undefined && default_password === undefined) return undefined;
  try {
    encryptionOf(by);
    return undefined;
  } catch {
    return `encrypted must be md5, scram-sha-256, True or False, not ${pyRepr(by)}`;
  }
}

function statesOf(kind: Kind, presentState: FunctionSpec): ModuleSpec {
  return defineModule({
    name: `postgres_${kind.word}`,
    file: `postgres_${kind.word}`,
    doc: `${kind.title}s of PostgreSQL.`,
    unavailable: withoutPostgres,
    functions: {
      present: presentState,
      absent: defineState({
        doc: `Makes sure that there is no such ${kind.word}.`,
        params: { ...nameOf(kind.word), ...PLACE_AND_DATABASE },
        run: (ctx, { name, ...place }) => absent(ctx, kind, name, place),
      }),
    },
  });
}

const USER: Kind = { title: 'User', word: 'user', parameter: 'username' };
const GROUP: Kind = { title: 'Group', word: 'group', parameter: 'groupname' };

/** The states of `postgres_user`. */
export const postgresUserStates = statesOf(
  USER,
  defineState({
    doc: 'Makes sure that there is a user, with password, rights and memberships.',
    params: { ...nameOf('user'), ...ROLE, ...USER_ONLY, ...PLACE_AND_DATABASE },
    refuses,
    run: (ctx, wanted) => present(ctx, USER, wanted),
  }),
);

/** The states of `postgres_group`. */
export const postgresGroupStates = statesOf(
  GROUP,
  defineState({
    doc: 'Makes sure that there is a group, with password, rights and memberships.',
    params: { ...nameOf('group'), ...ROLE, ...PLACE_AND_DATABASE },
    refuses,
    run: (ctx, wanted) => present(ctx, GROUP, wanted),
  }),
);
