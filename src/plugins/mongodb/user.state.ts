/** `mongodb_user`: users of MongoDB (3006.16 salt/states/mongodb_user.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { AUTHDB, DATABASE, LOGIN } from './module/server.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

interface WantedUser {
  readonly name: string;
  readonly passwd: Value;
  readonly database: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly host: Value | undefined;
  readonly port: Value | undefined;
  readonly authdb: string | undefined;
  readonly roles: readonly Value[];
}

/** The arguments that say where, by name. */
function loginOf({
  user,
  password,
  host,
  port,
  authdb,
  database,
}: Omit<WantedUser, 'name' | 'passwd' | 'roles'>): Dict {
  return dict({ user, password, host, port, database, authdb });
}

/** The roles that are given. Salt compat: Salt takes a text for a list of its letters, which are no roles. */
const textsOf = (value: Value): Value[] =>
  Array.isArray(value) ? value : truthy(value) ? [pyStr(value)] : [];

/** The roles of a user in one database. */
function rolesIn(user: Dict, database: string): Value[] {
  const roles = user.get('roles');
  return (Array.isArray(roles) ? roles : []).flatMap((role) =>
    isDict(role) && role.get('db') === database ? [role.get('role') ?? null] : [],
  );
}

/**
 * Gives what is missing, and takes what is too much.
 * Salt compat: Salt only says what differs: it tries to add the user again, which the server refuses.
 */
async function setRoles(
  ctx: StateContext,
  wanted: WantedUser,
  held: readonly Value[],
): Promise<string | undefined> {
  const { roles } = wanted;
  for (const [fun, changed] of [
    ['user_grant_roles', roles.filter((role) => !held.includes(role))],
    ['user_revoke_roles', held.filter((role) => !roles.includes(role))],
  ] as const) {
    if (changed.length === 0) continue;
    const full = changed.map((role) => dict({ role, db: wanted.database }));
    const answer = await ctx.functions.call(`mongodb.${fun}`, [wanted.name, full], loginOf(wanted));
    if (answer !== true) return pyStr(answer);
  }
  return undefined;
}

async function existing(ctx: StateContext, wanted: WantedUser, user: Dict): Promise<StateResult> {
  const { name, database } = wanted;
  const [roles, held] = [[...wanted.roles], rolesIn(user, database)];
  if (roles.every((role) => held.includes(role)) && held.every((role) => roles.includes(role)))
    return outcome(name, true, `User ${name} is already present`);
  const changes = dict().set(name, dict({ database, roles: { old: [...held], new: roles } }));
  if (ctx.state.test) return outcome(name, null, `The roles of user ${name} will be changed`, changes);
  const problem = await setRoles(ctx, wanted, held);
  return problem === undefined
    ? outcome(name, true, `The roles of user ${name} have been changed`, changes)
    : failure(name, `Mongo Err: ${problem}`);
}

async function present(
  ctx: StateContext,
  given: WantedUser & { readonly port: string },
): Promise<StateResult> {
  const { name, port } = given;
  if (!/^\s*\d+\s*$/.test(port)) return failure(name, `Port (${port}) is not an integer.`);
  const wanted = { ...given, port: Number(port) };
  const users = await ctx.functions.call('mongodb.user_find', [name], loginOf(wanted));
  const [first = null, reason = null] = Array.isArray(users) ? users : [false, users];
  if (first === false) return failure(name, `Mongo Err: ${pyStr(reason)}`);
  if (isDict(first)) return existing(ctx, wanted, first);
  if (ctx.state.test) return outcome(name, null, `User ${name} is not present and needs to be created`);
  const keywords = loginOf(wanted).set('roles', [...wanted.roles]);
  const isMade = await ctx.functions.call('mongodb.user_create', [name, wanted.passwd], keywords);
  return isMade === true
    ? outcome(name, true, `User ${name} has been created`, dict().set(name, 'Present'))
    : failure(name, `Failed to create database ${name}`);
}

async function absent(ctx: StateContext, name: string, login: Dict): Promise<StateResult> {
  const isThere = await ctx.functions.call('mongodb.user_exists', [name], login);
  if (typeof isThere !== 'boolean') return failure(name, isThere);
  if (!isThere) return outcome(name, true, `User ${name} is not present`);
  if (ctx.state.test) return outcome(name, null, `User ${name} is present and needs to be removed`);
  // Salt compat: Salt says that the user is not present where the server did not remove him.
  return (await ctx.functions.call('mongodb.user_remove', [name], login)) === true
    ? outcome(name, true, `User ${name} has been removed`, dict().set(name, 'Absent'))
    : failure(name, `Failed to remove user ${name}`);
}

const NAME = { name: param.text({ doc: 'The user.' }) } as const;
const { user, password } = LOGIN;

/** The states of `mongodb_user`. */
export const mongodbUserStates = defineModule({
  name: 'mongodb_user',
  file: 'mongodb_user',
  doc: 'Users of MongoDB.',
  functions: {
    present: defineState({
      doc: 'Makes sure that a database has a user with these roles.',
      params: {
        ...NAME,
        passwd: param.value({ type: 'str', doc: 'The password of a new user.' }),
        ...DATABASE,
        user,
        password,
        host: param.value({ default: 'localhost', type: 'str', doc: 'The host.' }),
        port: param.text({ default: 27017, type: 'int', doc: 'The port.' }),
        ...AUTHDB,
        roles: param.by(textsOf, { default: null, type: 'list or str', doc: 'His roles in this database.' }),
      },
      run: (ctx, wanted) => present(ctx, wanted),
    }),
    absent: defineState({
      doc: 'Makes sure that a database does not have a user.',
      params: { ...NAME, ...LOGIN, ...DATABASE, ...AUTHDB },
      run: (ctx, { name, ...login }) => absent(ctx, name, loginOf(login)),
    }),
  },
});
