/**
 * `postgres_local_cache`: PostgreSQL as the master's job cache, in the tables of Salt's returner of that name
 * (salt/returners/postgres_local_cache.py, 3006.16), which has the parts of a job in columns.
 */
import { systemClock, type Clock } from '../../host/clock.ts';
import { jidTimeMs } from '../../storage/jobs/jid.ts';
import { JsonSyntaxError, parseJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { postgresDefaults } from './returner.ts';
import { postgresConnections } from '../../network/databases/postgres.ts';
import type { SqlRow } from '../../network/databases/sql.ts';
import {
  oldRowsOf,
  postgresDialect,
  returnReads,
  tableStatements,
  type PostgresFacts,
} from './returner/dialect.ts';
import { KEEP_JOBS_SECONDS, type SavedLoad, type StoreKind } from '../shared/returner/return-store.ts';
import { jsonFor, textFor, type SqlValues } from '../shared/returner/sql-columns.ts';
import type { SqlTables } from '../shared/returner/sql-dialect.ts';
import { plainText } from '../shared/returner/sql-fields.ts';
import { SqlStore } from '../shared/returner/sql-store.ts';

const NAME = 'postgres_local_cache';
const PREFIX = 'master_job_cache.postgres';
/** What of a return is kept. */
const KEPT = ['return', 'retcode', 'success'];
/** Columns of a job, and the fields of the load that are in them. */
const LOAD_FIELDS: readonly (readonly [column: string, field: string])[] = [
  ['tgt_type', 'tgt_type'],
  ['cmd', 'cmd'],
  ['tgt', 'tgt'],
  ['kwargs', 'kwargs'],
  ['ret', 'ret'],
  ['username', 'user'],
  ['fun', 'fun'],
];

/**
 * As Salt documents them, but for the index on the whole data of events, which refuses long ones; with one on jid and
 * id.
 */
const SCHEMA: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [
    'jids',
    tableStatements(
      'jids',
      'jid varchar(20) PRIMARY KEY, started timestamptz DEFAULT now(), tgt_type text NOT NULL, cmd text NOT NULL, tgt text NOT NULL, ' +
        'kwargs text NOT NULL, ret text NOT NULL, username text NOT NULL, arg text NOT NULL, fun text NOT NULL',
      [],
    ),
  ],
  [
    'salt_returns',
    tableStatements(
      'salt_returns',
      'added timestamptz DEFAULT now(), fun text NOT NULL, jid varchar(20) NOT NULL, return text NOT NULL, id text NOT NULL, ' +
        'success boolean',
      ['(added)', '(id)', '(jid)', '(fun)', '(jid, id)'],
    ),
  ],
  [
    'salt_events',
    tableStatements(
      'salt_events',
      'id serial, tag text NOT NULL, data text NOT NULL, alter_time timestamptz DEFAULT now(), master_id text NOT NULL',
      ['(tag)', '(id)', '(master_id)'],
    ),
  ],
]);

/** The kind of database `postgres_local_cache`. */
export const postgresLocalCacheKind: StoreKind = {
  name: NAME,
  file: 'postgres_local_cache',
  optionPrefix: PREFIX,
  defaults: postgresDefaults('passwd'),
  open: (settings) => {
    const { clock = systemClock, keepJobsSeconds = KEEP_JOBS_SECONDS } = settings;
    return new SqlStore({
      connections: postgresConnections(settings, { name: NAME, prefix: PREFIX, password: 'passwd' }),
      dialect: postgresDialect,
      tables: tablesOf(keepJobsSeconds, clock),
      returner: NAME,
      clock,
    });
  },
};

function tablesOf(keepJobsSeconds: number, clock: Clock): SqlTables<PostgresFacts> {
  const jobs = `SELECT jid, arg, ${LOAD_FIELDS.map(([column]) => column).join(', ')} FROM jids`;
  return {
    schema: SCHEMA,
    reads: {
      ...returnReads('added', 'return'),
      load: (jid) => ({ sql: `${jobs} WHERE jid = $1`, values: [jid] }),
      // Salt compat: a list of all jobs has those of `keep_jobs_seconds` alone
      loads:
        keepJobsSeconds > 0
          ? {
              sql: `${jobs} WHERE started > now() - make_interval(secs => $1::float)`,
              values: [keepJobsSeconds],
            }
          : { sql: jobs },
    },
    oldRows: oldRowsOf('added'),
    returnRow,
    loadRow: (load, facts) => loadRow(load, facts, clock),
    readLoad,
    readReturn,
    readLastReturn: readReturn,
  };
}

function returnRow(ret: Dict, facts: PostgresFacts): SqlValues {
  const kept = new Map([...ret].filter(([name]) => KEPT.includes(String(name))));
  const success = ret.get('success');
  return new Map([
    ['fun', textFor(facts, 'fun', ret)],
    ['jid', textFor(facts, 'jid', ret)],
    // Salt compat: Salt writes Python's text of the return, which nobody can read back
    ['return', jsonFor(facts, 'salt_returns', 'return', kept)],
    ['id', textFor(facts, 'id', ret)],
    ['success', typeof success === 'boolean' ? String(success) : null],
  ]);
}

function loadRow({ jid, load }: SavedLoad, facts: PostgresFacts, clock: Clock): SqlValues {
  const atMs = jidTimeMs(jid) ?? clock.nowMs();
  const row = new Map<string, string | null>([
    ['jid', plainText(jid)],
    ['started', new Date(atMs).toISOString()],
    ['arg', jsonFor(facts, 'jids', 'arg', load.get('arg') ?? null)],
  ]);
  for (const [column, field] of LOAD_FIELDS)
    row.set(column, pyStr(load.get(field) ?? null).replaceAll('\0', ''));
  return row;
}

function readReturn(json: string): Dict {
  const value = parseJson(json);
  // rows of Salts before 2019.2 are the bare value
  return isDict(value) && value.has('return') ? value : new Map<Value, Value>([['return', value]]);
}

function readLoad(row: SqlRow): Dict {
  const load: Dict = new Map<Value, Value>([
    ['jid', row['jid'] ?? ''],
    ['arg', argumentsOf(row['arg'] ?? '')],
  ]);
  for (const [column, field] of LOAD_FIELDS) load.set(field, row[column] ?? '');
  return load;
}

function argumentsOf(json: string): Value {
  try {
    return parseJson(json);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return [];
    throw error;
  }
}
