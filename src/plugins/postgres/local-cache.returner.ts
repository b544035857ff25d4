/**
 * `postgres_local_cache`: PostgreSQL as the master's job cache, in the tables of Salt's returner of that name
 * (salt/returners/postgres_local_cache.py, 3006.16), which has the parts of a job in columns.
 */
import { jidTimeMs } from '../../storage/jobs/jid.ts';
import { JsonSyntaxError, parseJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { postgresDefaults } from './returner.ts';
import type { PostgresSession } from '../../network/databases/postgres.ts';
import { PostgresStore, type PostgresFacts, type PostgresTable } from './returner/store.ts';
import {
  KEEP_JOBS_SECONDS,
  type SavedLoad,
  type StoreKind,
  type StoreSettings,
} from '../shared/returner/return-store.ts';
import { jsonFor, textFor, type SqlValues } from '../shared/returner/sql-columns.ts';
import { plainText } from '../shared/returner/sql-fields.ts';

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
const SCHEMA: ReadonlyMap<string, PostgresTable> = new Map<string, PostgresTable>([
  [
    'jids',
    {
      columns:
        'jid varchar(20) PRIMARY KEY, started timestamptz DEFAULT now(), tgt_type text NOT NULL, cmd text NOT NULL, tgt text NOT NULL, ' +
        'kwargs text NOT NULL, ret text NOT NULL, username text NOT NULL, arg text NOT NULL, fun text NOT NULL',
      indexes: [],
    },
  ],
  [
    'salt_returns',
    {
      columns:
        'added timestamptz DEFAULT now(), fun text NOT NULL, jid varchar(20) NOT NULL, return text NOT NULL, id text NOT NULL, ' +
        'success boolean',
      indexes: ['(added)', '(id)', '(jid)', '(fun)', '(jid, id)'],
    },
  ],
  [
    'salt_events',
    {
      columns:
        'id serial, tag text NOT NULL, data text NOT NULL, alter_time timestamptz DEFAULT now(), master_id text NOT NULL',
      indexes: ['(tag)', '(id)', '(master_id)'],
    },
  ],
]);

/** The kind of database `postgres_local_cache`. */
export const postgresLocalCacheKind: StoreKind = {
  name: NAME,
  file: 'postgres_local_cache',
  optionPrefix: PREFIX,
  defaults: postgresDefaults('passwd'),
  open: (settings) => new LocalCacheTables(settings),
};

class LocalCacheTables extends PostgresStore {
  protected readonly schema = SCHEMA;
  readonly #keepJobsSeconds: number;

  constructor(settings: StoreSettings) {
    super(settings, { name: NAME, prefix: PREFIX, password: 'passwd' }, 'added', 'return');
    this.#keepJobsSeconds = settings.keepJobsSeconds ?? KEEP_JOBS_SECONDS;
  }

  protected returnRow(ret: Dict, facts: PostgresFacts): SqlValues {
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

  protected loadRow({ jid, load }: SavedLoad, facts: PostgresFacts): SqlValues {
    const atMs = jidTimeMs(jid) ?? this.clock.nowMs();
    const row = new Map<string, string | null>([
      ['jid', plainText(jid)],
      ['started', new Date(atMs).toISOString()],
      ['arg', jsonFor(facts, 'jids', 'arg', load.get('arg') ?? null)],
    ]);
    for (const [column, field] of LOAD_FIELDS)
      row.set(column, pyStr(load.get(field) ?? null).replaceAll('\0', ''));
    return row;
  }

  protected override readReturn(json: string): Dict {
    const value = parseJson(json);
    // rows of Salts before 2019.2 are the bare value
    return isDict(value) && value.has('return') ? value : new Map<Value, Value>([['return', value]]);
  }

  protected async readJobs(
    session: PostgresSession,
    where: string,
    values: readonly unknown[],
  ): Promise<Map<string, Dict>> {
    const columns = LOAD_FIELDS.map(([column]) => column).join(', ');
    // Salt compat: a list of all jobs has those of `keep_jobs_seconds` alone
    const isList = where === '' && this.#keepJobsSeconds > 0;
    const condition = isList ? 'WHERE started > now() - make_interval(secs => $1::float)' : where;
    const rows = await session.rows(
      `SELECT jid, arg, ${columns} FROM jids ${condition}`,
      isList ? [this.#keepJobsSeconds] : values,
    );
    return new Map(
      rows.map((row) => {
        const load: Dict = new Map<Value, Value>([
          ['jid', row['jid'] ?? ''],
          ['arg', argumentsOf(row['arg'] ?? '')],
        ]);
        for (const [column, field] of LOAD_FIELDS) load.set(field, row[column] ?? '');
        return [row['jid'] ?? '', load];
      }),
    );
  }

  protected override isOf(): boolean {
    return true;
  }
}

function argumentsOf(json: string): Value {
  try {
    return parseJson(json);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return [];
    throw error;
  }
}
