/**
 * `postgres` and `pgjsonb`: jobs, returns and events in PostgreSQL, in the tables of Salt's returners of these names
 * (salt/returners/postgres.py and salt/returners/pgjsonb.py, 3006.16). They differ in the types of columns and the
 * names of options.
 */
import { truthy, type Value } from '../../python/values/value.ts';
import { POSTGRES_TLS } from '../../network/databases/postgres-tls.ts';
import { postgresConnections } from '../../network/databases/postgres.ts';
import {
  oldRowsOf,
  postgresDialect,
  returnReads,
  tableStatements,
  type PostgresFacts,
} from './returner/dialect.ts';
import type { StoreKind } from '../shared/returner/return-store.ts';
import { loadValues, returnValues } from '../shared/returner/sql-columns.ts';
import type { SqlTables } from '../shared/returner/sql-dialect.ts';
import { dictOf, returnOf } from '../shared/returner/sql-fields.ts';
import { SqlStore } from '../shared/returner/sql-store.ts';

const SEQUENCE = 'CREATE SEQUENCE IF NOT EXISTS seq_salt_events_id';
const EVENTS = (type: string): string =>
  `id bigint NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'), tag varchar(255) NOT NULL, data ${type} NOT NULL, ` +
  'alter_time timestamptz DEFAULT now(), master_id varchar(255) NOT NULL';
const GIN = (column: string): string => `USING gin (${column}) WITH (fastupdate = on)`;

/** As Salt documents them, with one index more: jid and id together. */
const TEXT_TABLES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['jids', tableStatements('jids', 'jid varchar(20) PRIMARY KEY, load text NOT NULL', [])],
  [
    'salt_returns',
    tableStatements(
      'salt_returns',
      'fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return text NOT NULL, full_ret text, id varchar(255) NOT NULL, ' +
        'success varchar(10) NOT NULL, alter_time timestamptz DEFAULT now()',
      ['(id)', '(jid)', '(fun)', '(alter_time)', '(jid, id)'],
    ),
  ],
  ['salt_events', [SEQUENCE, ...tableStatements('salt_events', EVENTS('text'), ['(tag)'])]],
]);
const JSONB_TABLES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [
    'jids',
    tableStatements('jids', 'jid varchar(255) NOT NULL PRIMARY KEY, load jsonb NOT NULL', [GIN('load')]),
  ],
  [
    'salt_returns',
    tableStatements(
      'salt_returns',
      'fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return jsonb NOT NULL, id varchar(255) NOT NULL, ' +
        'success varchar(10) NOT NULL, full_ret jsonb NOT NULL, alter_time timestamptz DEFAULT now()',
      ['(id)', '(jid)', '(fun)', GIN('return'), GIN('full_ret'), '(jid, id)'],
    ),
  ],
  ['salt_events', [SEQUENCE, ...tableStatements('salt_events', EVENTS('jsonb'), ['(tag)', GIN('data')])]],
]);

/** Names of options and what holds when nothing sets them. */
export function postgresDefaults(password: string): Map<string, Value | undefined> {
  return new Map<string, Value | undefined>([
    ['host', 'localhost'],
    ['user', 'salt'],
    [password, 'salt'],
    ['db', 'salt'],
    ['port', 5432],
    ...POSTGRES_TLS.map((name): [string, undefined] => [name, undefined]),
  ]);
}

function kind(name: string, password: string, schema: SqlTables<PostgresFacts>['schema']): StoreKind {
  const prefix = `returner.${name}`;
  return {
    name,
    file: name,
    optionPrefix: prefix,
    defaults: postgresDefaults(password),
    open: (settings) =>
      new SqlStore({
        connections: postgresConnections(settings, { name, prefix, password }),
        dialect: postgresDialect,
        tables: tablesOf(schema),
        returner: name,
        clock: settings.clock,
      }),
  };
}

/** The kind of database `postgres`. */
export const postgresKind: StoreKind = kind('postgres', 'passwd', TEXT_TABLES);
/** The kind of database `pgjsonb`. */
export const pgjsonbKind: StoreKind = kind('pgjsonb', 'pass', JSONB_TABLES);

function tablesOf(schema: SqlTables<PostgresFacts>['schema']): SqlTables<PostgresFacts> {
  return {
    schema,
    reads: {
      ...returnReads('alter_time', 'full_ret'),
      load: (jid) => ({ sql: 'SELECT jid, load FROM jids WHERE jid = $1', values: [jid] }),
      loads: { sql: 'SELECT jid, load FROM jids' },
    },
    oldRows: oldRowsOf('alter_time'),
    returnRow: (ret, facts) => returnValues(ret, facts, successText(ret.get('success'))),
    loadRow: loadValues,
    readLoad: ({ load }) => dictOf(load ?? ''),
    readReturn: dictOf,
    readLastReturn: (json, fun) => returnOf(fun, dictOf(json)),
  };
}

/** PostgreSQL's own words for what Salt's driver hands it. */
function successText(value: Value | undefined): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return truthy(value) ? 'true' : 'false';
}
