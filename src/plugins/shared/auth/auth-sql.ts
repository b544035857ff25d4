/**
 * `auth_sql`: the statement that finds a user by name and password, in which `{0}` and `{1}` stand for the two
 * (salt/auth/mysql.py, 3006.16).
 *
 * Salt compat: Salt writes name and password into the statement, so that a name can be SQL. Here they are values of the
 * statement, and the quotes around `"{0}"` fall away.
 */
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { Credentials } from './backend.ts';

/** A statement and which of name and password its values are. */
export interface AuthStatement {
  readonly sql: string;
  readonly values: readonly ('username' | 'password')[];
}

/** How a database marks the place of a value: by `?`, in their order, or by the number of the value. */
export type ValueMark = 'question' | 'number';

const FIELDS = ['username', 'password'] as const;
/** Texts in quotes, doubled braces, and places. */
const PIECE = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|\{\{|\}\}|\{(\d*)\}/gs;

/**
 * @returns what is wrong with the statement, as a sentence without its full stop, in the place of one that can be used
 */
export function readAuthSql(sql: string, mark: ValueMark): AuthStatement | string {
  const values: (typeof FIELDS)[number][] = [];
  const faults: string[] = [];
  let next = 0;
  const place = (number: string | undefined): string => {
    const index = number === undefined || number === '' ? next++ : Number(number);
    const field = FIELDS[index];
    if (field === undefined) {
      faults.push(`auth_sql has {${index}}; {0} is the name, {1} the password`);
      return '';
    }
    const known = values.indexOf(field);
    if (mark === 'number' && known >= 0) return `$${known + 1}`;
    values.push(field);
    return mark === 'number' ? `$${values.length}` : '?';
  };
  const read = sql.replace(PIECE, (piece, number: string | undefined) => {
    if (piece === '{{' || piece === '}}') return piece[0] as string;
    const quoted = /^(['"])(.*)\1$/s.exec(piece)?.[2];
    if (quoted === undefined) return place(number);
    const alone = /^\{(\d*)\}$/.exec(quoted);
    if (alone !== null) return place(alone[1]);
    if (/\{\d*\}/.test(quoted.replace(/\{\{|\}\}/g, '')))
      faults.push(`auth_sql has ${piece}, where {0} or {1} is not all of the text`);
    return piece.replaceAll('{{', '{').replaceAll('}}', '}');
  });
  if (faults[0] !== undefined) return faults[0];
  if (!values.includes('username') || !values.includes('password'))
    return 'auth_sql has to look at the name, {0}, and at the password, {1}: else it lets in everybody';
  return { sql: read, values };
}

/** The mapping of an option in which a database and its statement stand. */
export function databaseOption(opts: Dict, option: string): Dict {
  const value = opts.get(option);
  return isDict(value) ? value : new Map();
}

/** What keeps the option from working; a sentence without its full stop. @param needed names that must be there */
export function databaseFault(
  opts: Dict,
  option: string,
  needed: readonly string[],
  mark: ValueMark,
): string | undefined {
  const settings = databaseOption(opts, option);
  const missing = [...needed, 'auth_sql'].find((name) => !settings.has(name));
  if (missing !== undefined) return `${option}:${missing} is not set`;
  const statement = readAuthSql(pyStr(settings.get('auth_sql') ?? ''), mark);
  return typeof statement === 'string' ? `${option}: ${statement}` : undefined;
}

/**
 * Whether what the statement brought lets somebody in: exactly one row.
 *
 * Salt compat: databases pass over case and blanks at the end. Where the first column is the name, it has to be the one
 * that was typed, which is the one that rules are looked up by.
 */
export function isOneUser(rows: readonly (readonly unknown[])[], { username }: Credentials): boolean {
  const first = rows[0]?.[0];
  if (rows.length !== 1) return false;
  const plain = (text: string): string => text.trim().toLowerCase();
  return typeof first !== 'string' || plain(first) !== plain(username) || first === username;
}

/** An error of a database without the password, which some of them quote. */
export function withoutPassword(text: string, { password }: Credentials): string {
  const secret = password.reveal();
  return secret === '' ? text : text.split(secret).join('***');
}

/** The values of a statement, in its order. */
export function valuesOf({ values }: AuthStatement, { username, password }: Credentials): string[] {
  return values.map((field) => (field === 'username' ? username : password.reveal()));
}

/** A text of the option, or undefined. */
export function textIn(settings: Dict, name: string): string | undefined {
  const value: Value | undefined = settings.get(name);
  return value === undefined || value === null ? undefined : pyStr(value);
}
