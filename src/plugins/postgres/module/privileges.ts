/** Who may do what with things of a database. Follows 3006.16 salt/modules/postgres.py. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { rowsOf, type Connection } from './connection.ts';
import { arrayElements, literal } from './sql-words.ts';

/** The letters by which PostgreSQL shows privileges; the last three are of versions after Salt's table. */
const PRIVILEGES: ReadonlyMap<string, string> = new Map([
  ['a', 'INSERT'],
  ['C', 'CREATE'],
  ['D', 'TRUNCATE'],
  ['c', 'CONNECT'],
  ['t', 'TRIGGER'],
  ['r', 'SELECT'],
  ['U', 'USAGE'],
  ['T', 'TEMPORARY'],
  ['w', 'UPDATE'],
  ['X', 'EXECUTE'],
  ['x', 'REFERENCES'],
  ['d', 'DELETE'],
  ['m', 'MAINTAIN'],
  ['s', 'SET'],
  ['A', 'ALTER SYSTEM'],
]);
/** The privileges that there are for each kind of thing. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['table', 'arwdDxt'],
  ['tablespace', 'C'],
  ['language', 'U'],
  ['sequence', 'rwU'],
  ['schema', 'UC'],
  ['database', 'CTc'],
  ['function', 'X'],
  ['group', ''],
]);
/** Kinds of which all in a schema can be meant. */
const IN_SCHEMA = new Set(['table', 'sequence', 'function']);

/** A thing, by its name and kind. */
export interface Thing {
  readonly name: string;
  /** One of the keys of the table of kinds, in small letters. */
  readonly kind: string;
  /** The schema of tables, sequences and functions. */
  readonly schema: string;
}

/** True where all tables, sequences or functions of a schema are meant. */
export const isAll = ({ name, kind }: Thing): boolean => IN_SCHEMA.has(kind) && name.toUpperCase() === 'ALL';

/** The thing that is meant. @throws SaltInvocationError for a kind that there is not */
export function thingOf(name: string, type: string, schema: string): Thing {
  const kind = type.toLowerCase();
  if (!KINDS.has(kind)) throw new SaltInvocationError(`Invalid object_type: ${kind} provided`);
  return { name, kind, schema };
}

const wordsOf = (kind: string): string[] =>
  [...(KINDS.get(kind) ?? '')].map((letter) => PRIVILEGES.get(letter) ?? letter);

/**
 * The privileges of a list with commas.
 * @throws SaltInvocationError for those that things of this kind do not have
 */
export function privilegesOf(kind: string, given: string): string[] {
  if (kind === 'group') {
    if (given !== '')
      throw new SaltInvocationError('The privileges option should not be set for object_type group');
    return [];
  }
  const words = given.toUpperCase().split(/\s?,\s?/);
  const known = new Set([...wordsOf(kind), 'ALL']);
  if (!words.every((word) => known.has(word)))
    throw new SaltInvocationError(`Invalid privilege(s): ${given} provided for object ${kind}`);
  return words;
}

/** What one role has: privileges, and whether it may grant them. */
type Held = ReadonlyMap<string, boolean>;

/** `arwd*` */
function heldOf(letters: string): Map<string, boolean> {
  const held = new Map<string, boolean>();
  for (const [, letter = '', star] of letters.matchAll(/([^*])(\*?)/g))
    held.set(PRIVILEGES.get(letter) ?? letter, star === '*');
  return held;
}

/**
 * An entry of an access list: `name=letters/grantor`, where names are in quotes when they are no plain words.
 * @returns the role, `public` for everybody
 */
function entryOf(text: string): [role: string, held: Map<string, boolean>] {
  const [, quoted, plain = '', letters = ''] = /^(?:"((?:[^"]|"")*)"|([^=]*))=([^/]*)/.exec(text) ?? [];
  const role = quoted === undefined ? plain : quoted.replaceAll('""', '"');
  return [role === '' ? 'public' : role, heldOf(letters)];
}

/** An access list as the server prints it. Privileges of one role by several others are put together. */
function accessList(text: string): Map<string, Map<string, boolean>> {
  const list = new Map<string, Map<string, boolean>>();
  for (const [role, held] of arrayElements(text).map(entryOf)) {
    const known = list.get(role) ?? new Map<string, boolean>();
    for (const [privilege, mayGrant] of held) known.set(privilege, mayGrant || known.get(privilege) === true);
    list.set(role, known);
  }
  return list;
}

/** The catalogue of a kind: where the access list, the owner and the name are. */
interface Catalogue {
  readonly from: string;
  readonly acl: string;
  readonly owner: string;
  readonly where: (thing: Thing) => string;
}

const inSchema = ({ schema }: Thing): string => `nspname = ${literal(schema)}`;
const relation =
  (kinds: string) =>
  (thing: Thing): string =>
    `${inSchema(thing)} AND ${isAll(thing) ? '' : `relname = ${literal(thing.name)} AND `}relkind in (${kinds})`;
const RELATIONS = 'pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace';
const RELATION = { from: RELATIONS, acl: 'relacl', owner: 'relowner' } as const;

/**
 * A function by its name and arguments. Its schema stands before it where the search path does not lead there, and may
 * be left out where `prepend` names it.
 */
export const isFunction = ({ name, schema }: Thing): string =>
  `p.oid::regprocedure::text IN (${literal(name)}, ${literal(`${schema}.${name}`)})`;

const CATALOGUES: ReadonlyMap<string, Catalogue> = new Map<string, Catalogue>([
  ['table', { ...RELATION, where: relation("'r', 'v', 'm', 'f', 'p'") }],
  ['sequence', { ...RELATION, where: relation("'S'") }],
  [
    'schema',
    {
      from: 'pg_catalog.pg_namespace',
      acl: 'nspacl',
      owner: 'nspowner',
      where: ({ name }) => `nspname = ${literal(name)}`,
    },
  ],
  [
    'function',
    {
      from: 'pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace',
      acl: 'proacl',
      owner: 'proowner',
      where: (thing) => `${inSchema(thing)}${isAll(thing) ? '' : ` AND ${isFunction(thing)}`}`,
    },
  ],
  [
    'tablespace',
    {
      from: 'pg_catalog.pg_tablespace',
      acl: 'spcacl',
      owner: 'spcowner',
      where: ({ name }) => `spcname = ${literal(name)}`,
    },
  ],
  [
    'language',
    {
      from: 'pg_catalog.pg_language',
      acl: 'lanacl',
      owner: 'lanowner',
      where: ({ name }) => `lanname = ${literal(name)}`,
    },
  ],
  [
    'database',
    {
      from: 'pg_catalog.pg_database',
      acl: 'datacl',
      owner: 'datdba',
      where: ({ name }) => `datname = ${literal(name)}`,
    },
  ],
]);

/** What is known of one thing. */
interface Access {
  readonly owner: string;
  readonly list: ReadonlyMap<string, Held>;
}

/** The access to each thing that is meant; more than one only for all of a schema. */
async function accessTo(ctx: ModuleContext, connection: Connection, thing: Thing): Promise<Access[]> {
  const { from, acl, owner, where } = CATALOGUES.get(thing.kind) as Catalogue;
  const query = `SELECT pg_catalog.pg_get_userbyid(${owner}) AS owner, ${acl} AS acl FROM ${from} WHERE ${where(thing)}`;
  const rows = await rowsOf(ctx, connection, query);
  return rows.map((row) => ({ owner: row.get('owner') ?? '', list: accessList(row.get('acl') ?? '') }));
}

/** The members of a group, and whether they may take in others. */
async function members(
  ctx: ModuleContext,
  connection: Connection,
  group: string,
): Promise<Map<string, boolean>> {
  const query =
    'SELECT rolname, admin_option FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles r ON m.member=r.oid ' +
    `WHERE m.roleid IN (SELECT oid FROM pg_catalog.pg_roles WHERE rolname=${literal(group)}) ORDER BY rolname`;
  const rows = await rowsOf(ctx, connection, query);
  return new Map(rows.map((row) => [row.get('rolname') ?? '', row.get('admin_option') === 't']));
}

/** The privileges of all roles on a thing. */
export async function listPrivileges(
  ctx: ModuleContext,
  connection: Connection,
  thing: Thing,
): Promise<Dict> {
  if (thing.kind === 'group') return new Map<Value, Value>(await members(ctx, connection, thing.name));
  // Salt compat: what has never been granted has no list, and nobody in it; a table called ALL is what Salt looks for.
  const [access] = isAll(thing) ? [] : await accessTo(ctx, connection, thing);
  return new Map<Value, Value>(
    [...(access?.list ?? [])].map(([role, held]) => [role, new Map<Value, Value>(held)]),
  );
}

async function schemaExists(ctx: ModuleContext, connection: Connection, name: string): Promise<boolean> {
  const query = `SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = ${literal(name)}`;
  return (await rowsOf(ctx, connection, query)).length > 0;
}

/** What is asked, or to be granted. */
export interface Grant {
  readonly role: string;
  readonly thing: Thing;
  /** Empty for a group. */
  readonly privileges: readonly string[];
  /** With the right to grant it to others. */
  readonly mayGrant: boolean;
}

function isHeld(held: Held | undefined, { privileges, thing, mayGrant }: Grant): boolean {
  const wanted = privileges.includes('ALL') ? wordsOf(thing.kind) : privileges;
  return (
    held !== undefined &&
    wanted.every((privilege) => (mayGrant ? held.get(privilege) === true : held.has(privilege)))
  );
}

/**
 * True when a role has the privileges. The owner of a thing has all. Salt compat: with the right to grant, Salt
 * compares all privileges that there are; tables, sequences and functions by the name ALL it never finds.
 */
export async function holds(ctx: ModuleContext, connection: Connection, grant: Grant): Promise<boolean> {
  const { role, thing, mayGrant } = grant;
  if (thing.kind === 'group') {
    const found = (await members(ctx, connection, thing.name)).get(role);
    return mayGrant ? found === true : found !== undefined;
  }
  const all = await accessTo(ctx, connection, thing);
  if (isAll(thing) && all.length === 0) return schemaExists(ctx, connection, thing.schema);
  return all.length > 0 && all.every(({ owner, list }) => owner === role || isHeld(list.get(role), grant));
}
