/** The functions of `postgres` about users and groups, which are roles with and without a log-in. */
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { CONNECTION, connectionOf, RUNAS, SERVER_AND_PASSWORD } from './connection.ts';
import { RIGHTS } from './role-clauses.ts';
import { createRole, removeRole, roleExists, roles, updateRole } from './roles.ts';

const WITH_PASSWORD = {
  return_password: param.flag({ default: false, doc: 'Show the passwords as the server keeps them.' }),
} as const;
const ROLE = { name: param.text({ doc: 'The role.' }) } as const;
const USER = { username: param.text({ doc: 'The user.' }) } as const;
const GROUP = { groupname: param.text({ doc: 'The group.' }) } as const;
const {
  createdb,
  createroles,
  inherit,
  login,
  connlimit,
  encrypted,
  superuser,
  replication,
  rolepassword,
  valid_until,
  groups,
} = RIGHTS;
/** What groups lack. */
const NO_LIMITS = { connlimit: null, valid_until: undefined } as const;

/** The functions about roles. */
export const roleFunctions = {
  user_list: defineFunction({
    doc: 'Lists the roles with what they may do.',
    params: { ...CONNECTION, ...WITH_PASSWORD },
    returns: 'mapping of name to rights; false when the server does not answer',
    examples: ["salt '*' postgres.user_list"],
    run: async (ctx, { return_password, ...args }) =>
      (await roles(ctx, connectionOf(args), return_password)) ?? false,
  }),
  role_get: defineFunction({
    doc: 'Returns what one role may do.',
    params: { ...ROLE, ...CONNECTION, ...WITH_PASSWORD },
    returns: 'mapping; None when there is no such role',
    examples: ["salt '*' postgres.role_get postgres"],
    run: async (ctx, { name, return_password, ...args }) =>
      (await roles(ctx, connectionOf(args), return_password))?.get(name) ?? null,
  }),
  user_exists: defineFunction({
    doc: 'Returns whether there is a role.',
    params: { name: param.text({ doc: 'The user.' }), ...CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.user_exists 'username'"],
    run: (ctx, { name, ...args }) => roleExists(ctx, connectionOf(args), name),
  }),
  user_create: defineFunction({
    doc: 'Makes a user.',
    params: {
      ...USER,
      ...SERVER_AND_PASSWORD,
      ...{ createdb, createroles, inherit, login, connlimit, encrypted, superuser, replication },
      ...{ rolepassword, valid_until, groups },
      ...RUNAS,
    },
    returns: 'true; false when there is one, or it failed',
    examples: ["salt '*' postgres.user_create 'username' rolepassword='rolepassword'"],
    run: (ctx, { username, ...args }) =>
      createRole(ctx, connectionOf(args), username, {
        ...args,
        inherit: args.inherit ?? true,
        login: args.login ?? true,
      }),
  }),
  user_update: defineFunction({
    doc: 'Changes a user.',
    params: {
      ...USER,
      ...SERVER_AND_PASSWORD,
      ...{ createdb, createroles, encrypted, superuser, inherit, login, connlimit, replication },
      ...{ rolepassword, valid_until, groups },
      ...RUNAS,
    },
    returns: 'true; false when there is none, or it failed',
    examples: ["salt '*' postgres.user_update 'username' rolepassword='rolepassword'"],
    run: (ctx, { username, ...args }) => updateRole(ctx, connectionOf(args), username, args),
  }),
  user_remove: defineFunction({
    doc: 'Removes a user.',
    params: { ...USER, ...CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.user_remove 'username'"],
    run: (ctx, { username, ...args }) => removeRole(ctx, connectionOf(args), username),
  }),
  group_create: defineFunction({
    doc: 'Makes a group: a role that cannot log in.',
    params: {
      ...GROUP,
      ...SERVER_AND_PASSWORD,
      ...{ createdb, createroles, encrypted, login, inherit, superuser, replication, rolepassword, groups },
      ...RUNAS,
    },
    returns: 'true; false when there is one, or it failed',
    examples: ["salt '*' postgres.group_create 'groupname'"],
    run: (ctx, { groupname, ...args }) =>
      createRole(ctx, connectionOf(args), groupname, {
        ...args,
        ...NO_LIMITS,
        inherit: args.inherit ?? true,
        login: args.login ?? false,
      }),
  }),
  group_update: defineFunction({
    doc: 'Changes a group.',
    params: {
      ...GROUP,
      ...SERVER_AND_PASSWORD,
      ...{ createdb, createroles, encrypted, inherit, login, superuser, replication, rolepassword, groups },
      ...RUNAS,
    },
    returns: 'true; false when there is none, or it failed',
    examples: ["salt '*' postgres.group_update 'groupname' createdb=True"],
    run: (ctx, { groupname, ...args }) =>
      updateRole(ctx, connectionOf(args), groupname, { ...args, ...NO_LIMITS }),
  }),
  group_remove: defineFunction({
    doc: 'Removes a group.',
    params: { ...GROUP, ...CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.group_remove 'groupname'"],
    run: (ctx, { groupname, ...args }) => removeRole(ctx, connectionOf(args), groupname),
  }),
};
