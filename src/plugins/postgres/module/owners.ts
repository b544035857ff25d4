/** Giving all that is in a database to one owner. Follows 3006.16 salt/modules/postgres.py `owner_to`. */
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { Ended } from '../../shared/program.ts';
import { psql, rowsOf, serverVersion, versionNumber, type Connection } from './connection.ts';
import { identifier } from './sql-words.ts';

/** What is of the server's own, and of extensions. */
const OWN_SCHEMAS = "('pg_catalog', 'information_schema', 'pg_toast')";
const FUNCTIONS_BY_KIND = 1100;

/** The kinds of things that change hands, and the query for their names, quoted by the server. */
function kinds(version: number): [kind: string, query: string][] {
  const functions = (isAggregate: boolean): string =>
    'select p.oid::regprocedure::text as n from pg_catalog.pg_proc p ' +
    'join pg_catalog.pg_namespace ns on p.pronamespace=ns.oid ' +
    `where ns.nspname not in ${OWN_SCHEMAS} and ${
      version >= FUNCTIONS_BY_KIND
        ? `p.prokind ${isAggregate ? '=' : 'not in'} ${isAggregate ? "'a'" : "('a', 'p')"}`
        : `${isAggregate ? '' : 'not '}p.proisagg`
    }`;
  const inSchema = (table: string, prefix: string): string =>
    `select quote_ident(${prefix}_schema)||'.'||quote_ident(${prefix}_name) as n from information_schema.${table} ` +
    `where ${prefix}_schema not in ${OWN_SCHEMAS}`;
  return [
    [
      'schema',
      `select quote_ident(nspname) as n from pg_catalog.pg_namespace where nspname not in ${OWN_SCHEMAS} and nspname !~ '^pg_'`,
    ],
    ['table', inSchema('tables', 'table')],
    ['function', functions(false)],
    ['aggregate', functions(true)],
    ['sequence', inSchema('sequences', 'sequence')],
  ];
}

/**
 * Gives a database, its schemas, tables, views, functions and sequences to an owner, all or nothing. Salt compat:
 * Salt's function fails with a TypeError before it changes anything, and would give away the server's own schemas.
 */
export async function ownerTo(
  ctx: ModuleContext,
  { dbname, ownername }: { readonly dbname: string; readonly ownername: string },
  connection: Connection,
): Promise<Ended> {
  const there = { ...connection, maintenance_db: dbname };
  const owner = identifier(ownername);
  const version = versionNumber((await serverVersion(ctx, there)) ?? '');
  const statements = [`alter database ${identifier(dbname)} owner to ${owner};`];
  for (const [kind, query] of kinds(version))
    for (const row of await rowsOf(ctx, there, query))
      statements.push(`alter ${kind} ${row.get('n') ?? ''} owner to ${owner};`);
  return psql(ctx, there, [], { script: `${statements.join('\n')}\n` });
}
