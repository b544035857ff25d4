/**
 * Names and texts as words of PostgreSQL's language, and what it prints of lists: whatever is in them stays one word.
 */
import { SaltInvocationError } from '../../../errors/errors.ts';

function withoutNul(text: string): string {
  if (!text.includes('\0')) return text;
  throw new SaltInvocationError('A name or a text for PostgreSQL cannot have a NUL in it.');
}

/** A name: `"a b"`. Salt puts the quotes around it and leaves those within it alone, which ends the name there. */
export function identifier(name: string): string {
  return `"${withoutNul(name).replaceAll('"', '""')}"`;
}

/** A text: `'it''s'`, with a backslash in it `E'a\\b'`, which means the same whatever the server is set to. */
export function literal(text: string): string {
  const quoted = `'${withoutNul(text).replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? ` E${quoted}` : quoted;
}

/** A version or another word that may have been given with quotes around it, as Salt needs it. */
export function withoutQuotes(text: string): string {
  return /^(['"])(.*)\1$/s.exec(text)?.[2] ?? text;
}

/**
 * A database as `--dbname` takes it. A name that `psql` would read as a connection string, and so might lead to another
 * server, is told to be a name.
 */
export function databaseWord(name: string): string {
  if (!name.includes('=') && !/^postgres(?:ql)?:\/\//.test(name)) return withoutNul(name);
  return `dbname='${withoutNul(name).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** The elements of an array as PostgreSQL prints it: `{a,"b c"}`. */
export function arrayElements(text: string): string[] {
  const inside = text.replace(/^\{/, '').replace(/\}$/, '');
  if (inside === '') return [];
  return [...inside.matchAll(/(?:^|,)(?:"((?:[^"\\]|\\.)*)"|([^,]*))/gs)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replace(/\\(.)/gs, '$1'),
  );
}

/** The rows of what `COPY … WITH CSV` prints. Empty lines, which are rows of one NULL, are left out, as in Salt. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  const fields = /("(?:[^"]|"")*"|[^,\n]*)(,|\r?\n|$)/gy;
  let row: string[] = [];
  while (fields.lastIndex < text.length) {
    const found = fields.exec(text);
    if (found === null) break;
    const [, field = '', end = ''] = found;
    row.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end === ',' && fields.lastIndex < text.length) continue;
    if (end === ',') row.push('');
    if (row.length > 1 || row[0] !== '' || field !== '') rows.push(row);
    row = [];
  }
  return rows;
}
