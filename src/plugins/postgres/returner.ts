/**
 * `postgres` and `pgjsonb`: jobs, returns and events in PostgreSQL, in the tables of Salt's returners of these names
 * (salt/returners/postgres.py and salt/returners/pgjsonb.py, 3006.16). They differ in the types of columns and the
 * names of options.
 */
import { truthy, type Dict, type Value } from '../../python/values/value.ts';
import { POSTGRES_TLS } from '../../network/databases/postgres-tls.ts';
import type { PostgresSession } from '../../network/databases/postgres.ts';
import { PostgresStore, type PostgresFacts, type PostgresTable } from './returner/store.ts';
import type { StoreKind, StoreSettings } from '../shared/returner/return-store.ts';
import { loadValues, returnValues, type SqlValues } from '../shared/returner/sql-columns.ts';
import { dictOf } from '../shared/returner/sql-fields.ts';

const SEQUENCE = 'CREATE SEQUENCE IF NOT EXISTS seq_salt_events_id';
const EVENTS = (type: string): string =>
  `id bigint NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'), tag varchar(255) NOT NULL, data ${type} NOT NULL, ` +
  'alter_time timestamptz DEFAULT now(), master_id varchar(255) NOT NULL';
const GIN = (column: string): string => `USING gin (${column}) WITH (fastupdate = on)`;

/** As Salt documents them, with one index more: jid and id together. */
const TEXT_TABLES: ReadonlyMap<string, PostgresTable> = new Map<string, PostgresTable>([
  ['jids', { columns: 'jid varchar(20) PRIMARY KEY, load text NOT NULL', indexes: [] }],
  [
    'salt_returns',
    {
      columns:
        'fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return text NOT NULL, full_ret text, id varchar(255) NOT NULL, ' +
        'success varchar(10) NOT NULL, alter_time timestamptz DEFAULT now()',
      indexes: ['(id)', '(jid)', '(fun)', '(alter_time)', '(jid, id)'],
    },
  ],
  ['salt_events', { columns: EVENTS('text'), before: SEQUENCE, indexes: ['(tag)'] }],
]);
const JSONB_TABLES: ReadonlyMap<string, PostgresTable> = new Map<string, PostgresTable>([
  ['jids', { columns: 'jid varchar(255) NOT NULL PRIMARY KEY, load jsonb NOT NULL', indexes: [GIN('load')] }],
  [
    'salt_returns',
    {
      columns:
        'fun varchar(50) NOT NULL, jid varchar(255) NOT NULL, return jsonb NOT NULL, id varchar(255) NOT NULL, ' +
        'success varchar(10) NOT NULL, full_ret jsonb NOT NULL, alter_time timestamptz DEFAULT now()',
      indexes: ['(id)', '(jid)', '(fun)', GIN('return'), GIN('full_ret'), '(jid, id)'],
    },
  ],
  ['salt_events', { columns: EVENTS('jsonb'), before: SEQUENCE, indexes: ['(tag)', GIN('data')] }],
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

function kind(name: string, password: string, schema: ReadonlyMap<string, PostgresTable>): StoreKind {
  const prefix = `returner.${name}`;
  return {
    name,
    file: name,
    optionPrefix: prefix,
    defaults: postgresDefaults(password),
    open: (settings) => new SaltTables(settings, schema, { name, prefix, password }),
  };
}

/** The kind of database `postgres`. */
export const postgresKind: StoreKind = kind('postgres', 'passwd', TEXT_TABLES);
/** The kind of database `pgjsonb`. */
export const pgjsonbKind: StoreKind = kind('pgjsonb', 'pass', JSONB_TABLES);

class SaltTables extends PostgresStore {
  protected readonly schema: ReadonlyMap<string, PostgresTable>;
  protected readonly loadRow = loadValues;

  constructor(
    settings: StoreSettings,
    schema: ReadonlyMap<string, PostgresTable>,
    naming: ConstructorParameters<typeof PostgresStore>[1],
  ) {
    super(settings, naming, 'alter_time', 'full_ret');
    this.schema = schema;
  }

  protected returnRow(ret: Dict, facts: PostgresFacts): SqlValues {
    return returnValues(ret, facts, successText(ret.get('success')));
  }

  protected async readJobs(
    session: PostgresSession,
    where: string,
    values: readonly unknown[],
  ): Promise<Map<string, Dict>> {
    const rows = await session.rows(`SELECT jid, load FROM jids ${where}`, values);
    return new Map(rows.map(({ jid, load }) => [jid ?? '', dictOf(load ?? '')]));
  }
}

/** PostgreSQL's own words for what Salt's driver hands it. */
function successText(value: Value | undefined): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return truthy(value) ? 'true' : 'false';
}
