/** What Salt's three returners for PostgreSQL have in common: how rows are found, written once, and forgotten. */
import { systemClock, type Clock } from '../../host/clock.ts';
import { jidAt } from '../../storage/jobs/jid.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { PostgresConnections, type PostgresNaming, type PostgresSession } from './postgres-connections.ts';
import {
  StoreUnavailableError,
  type JidReturns,
  type ReturnStore,
  type SavedEvent,
  type SavedLoad,
  type StoreSettings,
} from './return-store.ts';
import {
  cut,
  dictOf,
  EventMemory,
  fitJson,
  jidsAndIds,
  lockSlots,
  newReturns,
  plainText,
  portions,
  returnKey,
  textField,
  type Width,
} from './sql-fields.ts';
import { storeJson } from './store-json.ts';

/** Bytes of one INSERT. */
const STATEMENT_BYTES = 4 * 1024 * 1024;
const DELETED_AT_ONCE = 5000;
/** How much longer than others a statement may take that forgets or archives old rows. */
const CLEANING_FACTOR = 20;
/** The number of the lock for cleaning; those of returns are below. */
const CLEANING_LOCK = 1000;

/** A table of Salt's: its columns, and the statements that make its indexes. */
export interface PostgresTable {
  readonly columns: string;
  readonly before?: string;
  readonly indexes: readonly string[];
}

/** What the tables are made of, which others may have made. */
export interface PostgresFacts {
  readonly columns: ReadonlyMap<string, PostgresColumn>;
  readonly tables: ReadonlySet<string>;
  /** False where the database cannot hold every character. */
  readonly isUnicode: boolean;
}

/** A column as the database describes it. */
export interface PostgresColumn {
  readonly type: string;
  readonly width: Width;
}

const UNKNOWN_COLUMN: PostgresColumn = { type: 'text', width: undefined };

/** A row's values by column; null is NULL. */
export type PostgresValues = ReadonlyMap<string, string | null>;

/** A store on PostgreSQL; what the tables hold is the business of each kind. */
export abstract class PostgresStore implements ReturnStore {
  protected readonly connections: PostgresConnections;
  protected readonly clock: Clock;
  readonly #events: EventMemory;
  #facts: Promise<PostgresFacts> | undefined;

  constructor(settings: StoreSettings, naming: PostgresNaming) {
    this.connections = new PostgresConnections(settings, naming);
    this.clock = settings.clock ?? systemClock;
    this.#events = new EventMemory(this.clock.nowMs());
  }

  /** The tables, by name. */
  protected abstract readonly schema: ReadonlyMap<string, PostgresTable>;
  /** The column of `salt_returns` that says when it was written. */
  protected abstract readonly writtenAt: string;
  /** The column of `salt_returns` out of which a return is read. */
  protected abstract readonly returnColumn: string;
  protected abstract returnRow(ret: Dict, facts: PostgresFacts): PostgresValues;
  protected abstract loadRow(load: SavedLoad, facts: PostgresFacts): PostgresValues;
  protected abstract readReturn(json: string): Dict;
  /** Jobs of this condition. */
  protected abstract readLoads(
    session: PostgresSession,
    where: string,
    values: readonly unknown[],
  ): Promise<Map<string, Dict>>;
  /** True when a row of a name that was cut is of this function. */
  protected abstract isOf(ret: Dict, fun: string): boolean;

  async createSchema(): Promise<string[]> {
    const made: string[] = [];
    if (await this.connections.createDatabase()) made.push(`database ${this.connections.database}`);
    await this.connections.transaction(
      async (session) => {
        const { tables } = await this.#readFacts(session);
        for (const [name, { columns, before, indexes }] of this.schema) {
          if (tables.has(name)) continue;
          if (before !== undefined) await session.run(before);
          await session.run(`CREATE TABLE ${name} (${columns})`);
          for (const index of indexes) await session.run(`CREATE INDEX ON ${name} ${index}`);
          made.push(`table ${name}`);
        }
      },
      { locks: [CLEANING_LOCK] },
    );
    this.#facts = undefined;
    return made;
  }

  async saveReturns(rets: readonly Dict[]): Promise<void> {
    if (rets.length === 0) return;
    const facts = await this.known('salt_returns');
    await this.connections.transaction(
      async (session) => {
        const { jids, ids } = jidsAndIds(rets);
        const rows = await session.rows(
          'SELECT jid, id FROM salt_returns WHERE jid = ANY($1) AND id = ANY($2)',
          [jids, ids],
        );
        const known = new Set(rows.map(({ jid, id }) => returnKey(jid ?? '', id ?? '')));
        await insert(
          session,
          facts,
          'salt_returns',
          newReturns(rets, known).map((ret) => this.returnRow(ret, facts)),
        );
      },
      { locks: lockSlots(rets) },
    );
  }

  async saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    if (loads.length === 0) return;
    const facts = await this.known('jids');
    // in one order, so that two writers do not wait for each other
    const sorted = [...loads].sort((a, b) => (a.jid < b.jid ? -1 : 1));
    const rows = sorted.map((load) => this.loadRow(load, facts));
    // Salt compat: pgjsonb's ON CONFLICT … DO UPDATE makes the latest return the load of the job
    await this.connections.transaction((session) =>
      insert(session, facts, 'jids', rows, ' ON CONFLICT DO NOTHING'),
    );
  }

  async saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    if (events.length === 0) return;
    const facts = await this.known('salt_events');
    const texts = events.map(({ data }) => jsonFor(facts, 'salt_events', 'data', data));
    const mayBeThere = this.#events.note(events, texts);
    await this.connections.transaction(async (session) => {
      const known = await this.#eventsThatAreThere(session, facts, events, texts, mayBeThere, masterId);
      const rows: PostgresValues[] = [];
      const seen = new Set<string>();
      for (const [at, { tag }] of events.entries()) {
        const data = texts[at] ?? '';
        const key = `${tag} ${data}`;
        if (known.has(at) || (mayBeThere[at] && seen.has(key))) continue;
        seen.add(key);
        const { width } = columnOf(facts, 'salt_events', 'tag');
        rows.push(
          new Map([
            ['tag', cut(plainText(tag, rangeOf(facts)), width)],
            ['data', data],
            ['master_id', masterId],
          ]),
        );
      }
      await insert(session, facts, 'salt_events', rows);
    });
  }

  load(jid: string): Promise<Dict | undefined> {
    return this.connections.use(async (session) =>
      (await this.readLoads(session, 'WHERE jid = $1', [jid])).get(jid),
    );
  }

  returns(jid: string): Promise<JidReturns> {
    return this.connections.use(async (session) => {
      const rows = await session.rows(
        `SELECT id, ${this.returnColumn} AS ret FROM salt_returns WHERE jid = $1 ORDER BY ${this.writtenAt}`,
        [jid],
      );
      const out = new Map<string, Dict>();
      // the first of several that other writers have left
      for (const { id, ret } of rows)
        if (id !== null && id !== undefined && !out.has(id)) out.set(id, this.readReturn(ret ?? ''));
      return out;
    });
  }

  async lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    const facts = await this.known('salt_returns');
    const name = cut(fun, columnOf(facts, 'salt_returns', 'fun').width);
    return this.connections.use(async (session) => {
      const rows = await session.rows(
        `SELECT DISTINCT ON (id) id, ${this.returnColumn} AS ret FROM salt_returns WHERE fun = $1 ORDER BY id, jid DESC, ${this.writtenAt}`,
        [name],
      );
      const out = new Map<string, Value>();
      for (const { id, ret: text } of rows) {
        const ret = this.readReturn(text ?? '');
        if (id !== null && id !== undefined && this.isOf(ret, fun)) out.set(id, ret);
      }
      return out;
    });
  }

  loads(): Promise<ReadonlyMap<string, Dict>> {
    return this.connections.use((session) => this.readLoads(session, '', []));
  }

  minions(): Promise<string[]> {
    return this.connections.use(async (session) => {
      const rows = await session.rows('SELECT DISTINCT id FROM salt_returns ORDER BY id');
      return rows.map(({ id }) => id ?? '');
    });
  }

  /** As pgjsonb: returns and events by when they were written, jobs by their returns; jobs that have none by their jid. */
  async removeOlderThan(atMs: number, isArchived = false): Promise<void> {
    await this.known('salt_returns');
    const isOld = (column: string): string => `${column} < to_timestamp($1)`;
    const rules: readonly (readonly [table: string, condition: string, values: readonly unknown[]])[] = [
      [
        'jids',
        `jid IN (SELECT jid FROM salt_returns WHERE ${isOld(this.writtenAt)}) OR (jid < $2 AND jid ~ '^[0-9]{20}' ` +
          'AND NOT EXISTS (SELECT 1 FROM salt_returns r WHERE r.jid = jids.jid))',
        [atMs / 1000, jidAt(atMs)],
      ],
      ['salt_returns', isOld(this.writtenAt), [atMs / 1000]],
      ['salt_events', isOld('alter_time'), [atMs / 1000]],
    ];
    const timeoutMs = this.connections.timeoutMs * CLEANING_FACTOR;
    for (const [table, condition, values] of rules) {
      const some = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${DELETED_AT_ONCE}))`;
      const sql = isArchived
        ? `WITH gone AS (${some} RETURNING *) INSERT INTO ${table}_archive SELECT * FROM gone`
        : some;
      const portion = async (session: PostgresSession): Promise<number> => {
        if (isArchived) await session.run(`CREATE TABLE IF NOT EXISTS ${table}_archive (LIKE ${table})`);
        return session.run(sql, values, timeoutMs);
      };
      const options = { locks: [CLEANING_LOCK], timeoutMs };
      while ((await this.connections.transaction(portion, options)) === DELETED_AT_ONCE);
    }
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  /** What the tables are made of, asked once. @throws StoreUnavailableError when a table is missing */
  protected async known(table: string): Promise<PostgresFacts> {
    const asked = (this.#facts ??= this.connections.use((session) => this.#readFacts(session)));
    try {
      const facts = await asked;
      if (facts.tables.has(table)) return facts;
    } catch (error) {
      this.#facts = undefined;
      throw error;
    }
    this.#facts = undefined;
    throw new StoreUnavailableError(
      `The PostgreSQL database ${this.connections.database} has no table ${table}; create it with: ` +
        `salt-run returner.create_schema ${this.connections.naming.name}`,
    );
  }

  async #readFacts(session: PostgresSession): Promise<PostgresFacts> {
    const rows = await session.rows(
      'SELECT table_name AS t, column_name AS c, udt_name AS type, character_maximum_length AS width FROM ' +
        'information_schema.columns WHERE table_schema = ANY(current_schemas(false)::text[]) AND table_name = ANY($1)',
      [[...this.schema.keys()]],
    );
    const [encoding] = await session.rows("SELECT current_setting('server_encoding') AS name");
    return {
      tables: new Set(rows.map(({ t }) => t ?? '')),
      columns: new Map(
        rows.map(({ t, c, type, width }) => [
          `${t}.${c}`,
          { type: type ?? 'text', width: width === null || width === undefined ? undefined : Number(width) },
        ]),
      ),
      isUnicode: encoding?.['name'] === 'UTF8',
    };
  }

  /** @returns the positions of those that have a row */
  async #eventsThatAreThere(
    session: PostgresSession,
    facts: PostgresFacts,
    events: readonly SavedEvent[],
    texts: readonly string[],
    mayBeThere: readonly boolean[],
    masterId: string,
  ): Promise<Set<number>> {
    const suspects = events.map((_, at) => at).filter((at) => mayBeThere[at]);
    if (suspects.length === 0) return new Set();
    const sinceMs = EventMemory.earliestMs(
      suspects.map((at) => events[at] as SavedEvent),
      this.clock.nowMs(),
    );
    const { type } = columnOf(facts, 'salt_events', 'data');
    const rows = await session.rows(
      'SELECT g.n FROM unnest($1::int[], $2::text[], $3::text[]) AS g (n, tag, data) WHERE EXISTS (SELECT 1 FROM salt_events e ' +
        'WHERE e.tag = g.tag AND e.master_id = $4 AND e.alter_time >= to_timestamp($5) ' +
        `AND md5(e.data::text) = md5(g.data::${type}::text))`,
      [
        suspects,
        suspects.map((at) => events[at]?.tag ?? ''),
        suspects.map((at) => texts[at] ?? ''),
        masterId,
        sinceMs / 1000,
      ],
    );
    return new Set(rows.map(({ n }) => Number(n)));
  }
}

/** What is known of a column. */
export function columnOf({ columns }: PostgresFacts, table: string, name: string): PostgresColumn {
  return columns.get(`${table}.${name}`) ?? UNKNOWN_COLUMN;
}

/** A value as JSON that a column takes. */
export function jsonFor(facts: PostgresFacts, table: string, name: string, value: Value): string {
  const isStrict = columnOf(facts, table, name).type.startsWith('json');
  return fitJson(storeJson(value, { strict: isStrict }), rangeOf(facts));
}

/** A field of a return as a column takes it. */
export function textFor(facts: PostgresFacts, name: string, ret: Dict): string {
  return textField(ret, name, rangeOf(facts));
}

/** The characters that the database can hold. */
export function rangeOf({ isUnicode }: PostgresFacts): 'all' | 'ascii' {
  return isUnicode ? 'all' : 'ascii';
}

/** A mapping out of a column's JSON. */
export const readJson = dictOf;

/** Writes rows that have the same columns, as many at once as a statement may hold. */
async function insert(
  session: PostgresSession,
  facts: PostgresFacts,
  table: string,
  rows: readonly PostgresValues[],
  suffix = '',
): Promise<void> {
  const names = [...(rows[0]?.keys() ?? [])];
  const types = names.map((name) => columnOf(facts, table, name).type);
  const arrays = names.map((_, at) => `$${at + 1}::text[]`).join(', ');
  const values = types
    .map((type, at) => (type === 'text' || type === 'varchar' ? `v${at}` : `v${at}::${type}`))
    .join(', ');
  const sql =
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) SELECT ${values} ` +
    `FROM unnest(${arrays}) AS given (${names.map((_, at) => `v${at}`).join(', ')})${suffix}`;
  for (const some of portions(rows, sizeOf, STATEMENT_BYTES))
    await session.run(
      sql,
      names.map((name) => some.map((row) => row.get(name) ?? null)),
    );
}

function sizeOf(row: PostgresValues): number {
  let size = 0;
  for (const text of row.values()) size += text === null ? 4 : text.length;
  return size;
}
