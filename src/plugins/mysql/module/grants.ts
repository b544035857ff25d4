/** Grants of MySQL: reading what is asked for, and what the server shows. Follows 3006.16 salt/modules/mysql.py. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { isTrue } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Value } from '../../../python/values/value.ts';
import { compareLoose } from '../../shared/loose-versions.ts';
import { quoteName } from './connection.ts';
import { BESIDE_ALL, EVERYTHING, PRIVILEGES } from './privilege-names.ts';

/** One privilege, and the columns that it is for; none where it is for all. */
interface Privilege {
  readonly name: string;
  readonly columns: readonly string[];
}

/** What is asked for, or to be granted. */
export interface WantedGrant {
  readonly privileges: readonly Privilege[];
  /** `` `shop`.* ``, ready for a statement. */
  readonly target: string;
  readonly mayGrant: boolean;
}

/** One line of `SHOW GRANTS`. */
export interface ShownGrant {
  readonly privileges: readonly Privilege[];
  readonly target: string;
  readonly user: string;
  readonly host: string;
  readonly mayGrant: boolean;
}

/** Pieces of a list with commas that are not in parentheses or quotes. */
function pieces(list: string): string[] {
  const found = list.match(/(?:`(?:[^`]|``)*`|\([^)]*\)|[^,(`])+/g) ?? [];
  return found.map((piece) => piece.trim()).filter((piece) => piece !== '');
}

const withoutQuotes = (name: string): string =>
  /^`.*`$/s.test(name) ? name.slice(1, -1).replaceAll('``', '`') : name;

function privilegeOf(piece: string): Privilege {
  const [, name = '', columns] = /^([^(]+?)\s*(?:\(([^)]*)\))?$/s.exec(piece) ?? [];
  const list = columns === undefined ? [] : pieces(columns).map(withoutQuotes);
  const upper = name.trim().replace(/\s+/g, ' ').toUpperCase();
  return { name: upper === 'ALL' ? 'ALL PRIVILEGES' : upper, columns: list };
}

/** A target in a statement. @param escape the names are to be quoted */
function targetOf(database: string, escape: boolean): string {
  const at = database.lastIndexOf('.');
  const [schema, table] = [at < 0 ? '' : database.slice(0, at), database.slice(at + 1)];
  if (!escape) return `${schema}.${table}`;
  // the characters of patterns stand for themselves, which they do not for all tables of a database
  const quoted = table === '*' ? quoteName(schema).replaceAll('_', '\\_') : quoteName(schema);
  return `${schema === '*' ? '*' : quoted}.${table === '*' ? '*' : quoteName(table)}`;
}

/**
 * Reads what is asked for.
 * @throws SaltInvocationError `Invalid grant : 'X'` for a privilege that there is not
 */
export function wantedGrant(
  grant: string,
  database: string,
  { mayGrant, escape }: { readonly mayGrant: boolean; readonly escape: boolean },
): WantedGrant {
  const privileges = pieces(grant).map(privilegeOf);
  const wrong = privileges.find(({ name }) => !PRIVILEGES.has(name));
  if (privileges.length === 0 || wrong !== undefined)
    throw new SaltInvocationError(`Invalid grant : '${wrong?.name ?? grant}'`);
  return { privileges, target: targetOf(database, escape), mayGrant };
}

const privilegeSql = ({ name, columns }: Privilege): string =>
  columns.length === 0 ? name : `${name} (${columns.map(quoteName).join(', ')})`;

/** Options of TLS for a user; with a text where the flag is true. */
const TLS_OPTIONS: ReadonlyMap<string, boolean> = new Map([
  ['SSL', false],
  ['X509', false],
  ['CIPHER', true],
  ['ISSUER', true],
  ['SUBJECT', true],
]);

/** `REQUIRE …` and its values. @throws SaltInvocationError for an option that there is not */
export function tlsClause(options: Value[] | undefined): [sql: string, values: string[]] {
  if (options === undefined) return ['', []];
  const [words, values]: [string[], string[]] = [[], []];
  for (const [key, value] of options.filter(isDict).flatMap((option) => [...option].slice(0, 1))) {
    const name = pyStr(key).trim().toUpperCase();
    const takesText = TLS_OPTIONS.get(name);
    if (takesText === undefined) throw new SaltInvocationError(`Invalid SSL option : '${pyStr(key)}'`);
    if (takesText) values.push(pyStr(value));
    if (takesText || truthy(value)) words.push(takesText ? `${name} ?` : name);
  }
  return words.length === 0 ? ['', []] : [` REQUIRE ${words.join(' AND ')}`, values];
}

/** The statement that grants, and its values. @throws SaltInvocationError */
export function grantStatement(
  { privileges, target, mayGrant }: WantedGrant,
  { user, host, tls }: { readonly user: string; readonly host: string; readonly tls: Value[] | undefined },
): [sql: string, values: string[]] {
  const [require, values] = tlsClause(tls);
  const option = mayGrant ? ' WITH GRANT OPTION' : '';
  const sql = `GRANT ${privileges.map(privilegeSql).join(', ')} ON ${target} TO ?@?${require}${option}`;
  return [sql, [user, host, ...values]];
}

/** The statements that take privileges away: the right to grant has one of its own, which works with ALL too. */
export function revokeStatements(
  { privileges, target, mayGrant }: WantedGrant,
  { user, host }: { readonly user: string; readonly host: string },
): (readonly [sql: string, values: string[]])[] {
  const lists = [privileges.map(privilegeSql).join(', '), ...(mayGrant ? ['GRANT OPTION'] : [])];
  return lists.map((list) => [`REVOKE ${list} ON ${target} FROM ?@?`, [user, host]]);
}

const NAME = "`(?:[^`]|``)*`|'(?:[^'\\\\]|\\\\.|'')*'";
const SHOWN = new RegExp(
  `^GRANT (.+?) ON (?:(?:PROCEDURE|FUNCTION|PACKAGE BODY|PACKAGE) )?((?:${NAME}|\\*|[^\\s\`'])+) TO (${NAME}|[^@\\s]+)@(${NAME}|\\S+)(.*)$`,
  's',
);

/** A line of `SHOW GRANTS`; undefined for one that grants no privileges, such as those of roles. */
export function shownGrant(line: string): ShownGrant | undefined {
  const found = SHOWN.exec(line);
  if (found === null) return undefined;
  const [, list = '', target = '', user = '', host = '', rest = ''] = found;
  const strip = (name: string): string => name.replace(/^'(.*)'$/s, '$1');
  return {
    privileges: pieces(list).map(privilegeOf),
    target,
    user: strip(user),
    host: strip(host),
    mayGrant: rest.includes('WITH GRANT OPTION'),
  };
}

/** The name under which MariaDB shows a privilege, and from which version on. */
const MARIADB_NAMES: ReadonlyMap<string, readonly [since: string, name: string]> = new Map([
  ['REPLICATION REPLICA', ['10.5.1', 'REPLICATION SLAVE']],
  ['REPLICATION CLIENT', ['10.5.2', 'BINLOG MONITOR']],
  ['REPLICA MONITOR', ['10.5.9', 'SLAVE MONITOR']],
]);

function asShown(name: string, version: string): string {
  const [since, other] = MARIADB_NAMES.get(name) ?? [];
  if (since === undefined || other === undefined || !version.includes('MariaDB')) return name;
  return compareLoose(version.replace(/-.*$/, ''), since) >= 0 ? other : name;
}

/** Names without what is only a way of writing them. */
const plain = (target: string): string => target.replace(/["\\`]/g, '');

const hasColumns = (held: readonly Privilege[], name: string, columns: readonly string[]): boolean => {
  const all = held.filter((each) => each.name === name);
  if (all.some((each) => each.columns.length === 0)) return true;
  const known = new Set(all.flatMap((each) => each.columns.map((column) => column.toLowerCase())));
  return columns.length > 0 && columns.every((column) => known.has(column.toLowerCase()));
};

/** What is known of the server. */
export interface GrantingServer {
  /** What it says its version is. */
  readonly version: string;
  /** What it shows for all privileges of the whole server. */
  readonly everything?: readonly string[] | undefined;
}

/**
 * True for a server and a grant for which all privileges are shown one by one, as MySQL 8 does for the whole server.
 */
export const isListedSingly = ({ privileges, target }: WantedGrant, version: string): boolean =>
  !version.includes('MariaDB') &&
  compareLoose(version, '8.0') >= 0 &&
  target === '*.*' &&
  privileges.some(({ name }) => name === 'ALL PRIVILEGES');

/** What `ALL` grants, out of the names that `SHOW PRIVILEGES` has; undefined where it has none. */
export function everythingOf(names: readonly string[]): readonly string[] | undefined {
  const all = names.map((name) => name.toUpperCase()).filter((name) => !BESIDE_ALL.has(name));
  return all.length === 0 ? undefined : all;
}

/**
 * True when what the server shows has all that is asked for.
 */
export function isGranted(
  shown: readonly ShownGrant[],
  wanted: WantedGrant,
  { version, everything = EVERYTHING }: GrantingServer,
): boolean {
  const here = shown.filter(({ target }) => plain(target) === plain(wanted.target));
  if (here.length === 0) return false;
  const held = here.flatMap(({ privileges }) =>
    privileges.map((each) => ({ ...each, name: asShown(each.name, version) })),
  );
  if (wanted.mayGrant && !here.some(({ mayGrant }) => mayGrant)) return false;
  const hasAll = held.some(({ name }) => name === 'ALL PRIVILEGES');
  return namesOf(wanted, version, everything).every(
    ({ name, columns }) =>
      (hasAll && name !== 'GRANT OPTION') ||
      (name === 'GRANT OPTION' && here.some(({ mayGrant }) => mayGrant)) ||
      hasColumns(held, asShown(name, version), columns),
  );
}

function namesOf(wanted: WantedGrant, version: string, everything: readonly string[]): readonly Privilege[] {
  const isListed = isListedSingly(wanted, version);
  return wanted.privileges.flatMap((each) =>
    isListed && each.name === 'ALL PRIVILEGES' ? everything.map((name) => ({ name, columns: [] })) : [each],
  );
}

/** What `mysql.tokenize_grant` gives for a privilege: with columns one text for each, behind the privilege itself. */
export const tokensOf = ({ privileges }: ShownGrant): string[] =>
  privileges.flatMap(({ name, columns }) => [name, ...columns.map((column) => `${name}.${column}`)]);

/** Salt's reading of a flag that may be a text. */
export const flagOf = (value: Value): boolean => isTrue(value);
