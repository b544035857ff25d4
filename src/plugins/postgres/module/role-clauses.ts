/**
 * What roles are made with: parameters, and the words of `CREATE ROLE` and `ALTER ROLE` (3006.16
 * salt/modules/postgres.py).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import type { Random } from '../../../host/random.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { encrypted, encryptionOf } from './passwords.ts';
import { identifier, literal } from './sql-words.ts';

const right = (doc: string): ReturnType<typeof param.flagIfGiven> =>
  param.flagIfGiven({ default: null, doc });

/** The parameters that say what a role may do; functions have them in orders of their own. */
export const RIGHTS = {
  createdb: right('It may make databases.'),
  createroles: right('It may make roles.'),
  inherit: right('It has the privileges of the roles that it is a member of.'),
  login: right('It may log in.'),
  superuser: right('It may do everything.'),
  replication: right('It may replicate.'),
  encrypted: param.value({
    default: null,
    type: 'bool or str',
    doc: 'How the password is kept: md5 (default) or scram-sha-256; False leaves it as it is, which servers refuse since version 10.',
  }),
  connlimit: param.value({
    default: null,
    type: 'int',
    doc: 'How many connections it may have at once; -1 for any number.',
  }),
  rolepassword: param.value({
    default: null,
    type: 'str',
    doc: 'Its password, plain or as the server keeps it; False takes it away.',
  }),
  valid_until: param.textIfGiven({ default: null, doc: 'When the password ends: 2030-01-01, infinity.' }),
  groups: param.textsIfGiven({ default: null, doc: 'The roles that it is to be a member of.' }),
} as const;

/** What a role is to be; undefined leaves a part as it is. */
export interface WantedRole {
  readonly createdb: boolean | undefined;
  readonly createroles: boolean | undefined;
  readonly inherit: boolean | undefined;
  readonly login: boolean | undefined;
  readonly superuser: boolean | undefined;
  readonly replication: boolean | undefined;
  readonly encrypted: Value;
  readonly connlimit: Value;
  readonly rolepassword: Value;
  readonly valid_until: string | undefined;
  readonly groups: readonly string[] | undefined;
}

/** Statements of a role, and whether there is a password in them. */
export interface RoleStatements {
  readonly sql: string;
  readonly isSecret: boolean;
}

function flag(word: string, value: boolean | undefined): string[] {
  return value === undefined ? [] : [value ? word : `NO${word}`];
}

function connectionLimit(value: Value): string[] {
  if (value === null) return [];
  const text = pyStr(value);
  if (!/^-?\d+$/.test(text))
    throw new SaltInvocationError(`The limit of connections is a whole number, not '${text}'.`);
  return [`CONNECTION LIMIT ${text}`];
}

function passwordClause(name: string, wanted: WantedRole, random: Random): string[] {
  const { rolepassword } = wanted;
  if (rolepassword === false) return ['PASSWORD NULL'];
  if (rolepassword === true || rolepassword === null || rolepassword === '') return [];
  const by = encryptionOf(wanted.encrypted);
  return [
    `${by === false ? 'UNENCRYPTED' : 'ENCRYPTED'} PASSWORD ${literal(encrypted(name, pyStr(rolepassword), by, random))}`,
  ];
}

/**
 * The statements that make or change a role.
 * @param start `CREATE ROLE` or `ALTER ROLE`
 */
export function roleStatements(
  start: 'CREATE ROLE' | 'ALTER ROLE',
  name: string,
  { wanted, random }: { readonly wanted: WantedRole; readonly random: Random },
): RoleStatements {
  const password = passwordClause(name, wanted, random);
  const clauses = [
    ...flag('INHERIT', wanted.inherit),
    ...flag('CREATEDB', wanted.createdb),
    ...flag('CREATEROLE', wanted.createroles),
    ...flag('SUPERUSER', wanted.superuser),
    ...flag('REPLICATION', wanted.replication),
    ...flag('LOGIN', wanted.login),
    ...connectionLimit(wanted.connlimit),
    ...password,
    ...(wanted.valid_until === undefined ? [] : [`VALID UNTIL ${literal(wanted.valid_until)}`]),
  ];
  const words = [start, identifier(name), ...(clauses.length === 0 ? [] : ['WITH', ...clauses])];
  const grants = (wanted.groups ?? []).map((group) => `GRANT ${identifier(group)} TO ${identifier(name)}`);
  return { sql: [words.join(' '), ...grants].join('; '), isSecret: password.length > 0 };
}
