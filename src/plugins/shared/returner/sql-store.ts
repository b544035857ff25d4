/** What the returners for SQL databases have in common: how rows are found, written once, and forgotten. */
import { systemClock, type Clock } from '../../../host/clock.ts';
import { StoreUnavailableError } from '../../../network/databases/errors.ts';
import type { SqlConnections, SqlRow, SqlSession } from '../../../network/databases/sql.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { jidAt } from '../../../storage/jobs/jid.ts';
import type { JidReturns, ReturnStore, SavedEvent, SavedLoad } from './return-store.ts';
import { columnOf, jsonFor, type SqlFacts } from './sql-columns.ts';
import type { EventBatch, NewRow, OldRule, SqlDialect, SqlStatement, SqlTables } from './sql-dialect.ts';
import {
  cut,
  EventMemory,
  jidsAndIds,
  lockSlots,
  newReturns,
  plainText,
  returnKey,
  textField,
} from './sql-fields.ts';

/** How much longer than others a statement may take that forgets or archives old rows. */
const CLEANING_FACTOR = 20;

/** What a store is composed of. */
export interface SqlStoreDeps<S extends SqlSession, F extends SqlFacts> {
  readonly connections: SqlConnections<S>;
  readonly dialect: SqlDialect<S, F>;
  readonly tables: SqlTables<F>;
  /** The returner's name, for the command that creates tables. */
  readonly returner: string;
  readonly clock?: Clock | undefined;
}

/** A store on an SQL database. */
export class SqlStore<S extends SqlSession, F extends SqlFacts> implements ReturnStore {
  readonly #deps: SqlStoreDeps<S, F>;
  readonly #clock: Clock;
  readonly #events: EventMemory;
  #facts: Promise<F> | undefined;

  constructor(deps: SqlStoreDeps<S, F>) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.#events = new EventMemory(this.#clock.nowMs());
  }

  async createSchema(): Promise<string[]> {
    const { connections, dialect, tables } = this.#deps;
    const made: string[] = [];
    if (await connections.createDatabase()) made.push(`database ${connections.database}`);
    await dialect.write(connections, 'tables', async (session) => {
      const { tables: known } = await this.#readFacts(session);
      for (const [name, statements] of tables.schema) {
        if (known.has(name)) continue;
        for (const sql of statements) await session.run(sql);
        made.push(`table ${name}`);
      }
    });
    this.#facts = undefined;
    return made;
  }

  async saveReturns(rets: readonly Dict[]): Promise<void> {
    if (rets.length === 0) return;
    const facts = await this.#known('salt_returns');
    const { connections, dialect, tables } = this.#deps;
    await dialect.write(connections, lockSlots(rets), async (session) => {
      const { jids, ids } = jidsAndIds(rets);
      const { sql, values } = tables.reads.knownReturns(jids, ids);
      const rows = await session.rows(sql, values);
      const known = new Set(rows.map(({ jid, id }) => returnKey(jid ?? '', id ?? '')));
      const added = newReturns(rets, known).map((ret) => ({
        what: `The return of ${textField(ret, 'id')} for job ${textField(ret, 'jid')}`,
        values: tables.returnRow(ret, facts),
      }));
      await dialect.insert(session, facts, 'salt_returns', added);
    });
  }

  async saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    if (loads.length === 0) return;
    const facts = await this.#known('jids');
    // in one order, so that two writers do not wait for each other
    const sorted = [...loads].sort((a, b) => (a.jid < b.jid ? -1 : 1));
    const { connections, dialect, tables } = this.#deps;
    const rows = sorted.map((load) => ({ what: `The job ${load.jid}`, values: tables.loadRow(load, facts) }));
    await dialect.write(connections, [], (session) => dialect.insert(session, facts, 'jids', rows));
  }

  async saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    if (events.length === 0) return;
    const facts = await this.#known('salt_events');
    const texts = events.map(({ data }) => jsonFor(facts, 'salt_events', 'data', data));
    const mayBeThere = this.#events.note(events, texts);
    const batch = this.#batch(events, texts, mayBeThere, masterId);
    const { connections, dialect } = this.#deps;
    await dialect.write(connections, [], async (session) => {
      const known =
        batch.suspects.length === 0
          ? new Set<number>()
          : await dialect.eventsThatAreThere(session, facts, batch);
      const rows: NewRow[] = [];
      const seen = new Set<string>();
      for (const [at, { tag }] of events.entries()) {
        const data = texts[at] ?? '';
        const key = `${tag} ${data}`;
        if (known.has(at) || (mayBeThere[at] && seen.has(key))) continue;
        seen.add(key);
        const { range, width } = columnOf(facts, 'salt_events', 'tag');
        const values = new Map([
          ['tag', cut(plainText(tag, range), width)],
          ['data', data],
          ['master_id', masterId],
        ]);
        rows.push({ what: `The event ${tag}`, values });
      }
      await dialect.insert(session, facts, 'salt_events', rows);
    });
  }

  #batch(
    events: readonly SavedEvent[],
    texts: readonly string[],
    mayBeThere: readonly boolean[],
    masterId: string,
  ): EventBatch {
    const suspects = events.map((_, at) => at).filter((at) => mayBeThere[at]);
    const old = events.filter((_, at) => mayBeThere[at]);
    const sinceMs = EventMemory.earliestMs(old, this.#clock.nowMs());
    return { events, texts, suspects, sinceMs, masterId };
  }

  load(jid: string): Promise<Dict | undefined> {
    const { reads, readLoad } = this.#deps.tables;
    return this.#read(reads.load(jid), ([row]) => (row === undefined ? undefined : readLoad(row)));
  }

  returns(jid: string): Promise<JidReturns> {
    const { reads, readReturn } = this.#deps.tables;
    return this.#read(reads.returns(jid), (rows) => {
      const out = new Map<string, Dict>();
      // the first of several that other writers have left
      for (const { id, [reads.returnColumn]: ret } of rows)
        if (id !== null && id !== undefined && !out.has(id)) out.set(id, readReturn(ret ?? ''));
      return out;
    });
  }

  async lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    const facts = await this.#known('salt_returns');
    const { reads, readLastReturn } = this.#deps.tables;
    const name = cut(fun, columnOf(facts, 'salt_returns', 'fun').width);
    return this.#read(reads.lastReturns(name), (rows) => {
      const out = new Map<string, Value>();
      for (const { id, [reads.returnColumn]: text } of rows) {
        const ret = readLastReturn(text ?? '', fun);
        if (id !== null && id !== undefined && ret !== undefined) out.set(id, ret);
      }
      return out;
    });
  }

  loads(): Promise<ReadonlyMap<string, Dict>> {
    const { reads, readLoad } = this.#deps.tables;
    return this.#read(reads.loads, (rows) => new Map(rows.map((row) => [row['jid'] ?? '', readLoad(row)])));
  }

  minions(): Promise<string[]> {
    const { reads } = this.#deps.tables;
    return this.#read({ sql: reads.minions }, (rows) => rows.map(({ id }) => id ?? ''));
  }

  /**
   * As Salt's: returns and events by when they were written, jobs by their returns; jobs that have none by their jid.
   */
  async removeOlderThan(atMs: number, isArchived = false): Promise<void> {
    await this.#known('salt_returns');
    const seconds = atMs / 1000;
    const { connections, dialect, tables } = this.#deps;
    const { jobs, returns, events } = tables.oldRows;
    const rules: readonly OldRule[] = [
      { table: 'jids', condition: jobs, values: [seconds, jidAt(atMs)] },
      { table: 'salt_returns', condition: returns, values: [seconds] },
      { table: 'salt_events', condition: events, values: [seconds] },
    ];
    const timeoutMs = connections.timeoutMs * CLEANING_FACTOR;
    await dialect.clean(connections, { rules, isArchived, timeoutMs });
  }

  close(): Promise<void> {
    return this.#deps.connections.close();
  }

  #read<T>({ sql, values }: SqlStatement, read: (rows: readonly SqlRow[]) => T): Promise<T> {
    return this.#deps.connections.use(async (session) => read(await session.rows(sql, values)));
  }

  #readFacts(session: S): Promise<F> {
    const { dialect, tables } = this.#deps;
    return dialect.readFacts(session, [...tables.schema.keys()]);
  }

  /** What the tables can hold, asked once. @throws StoreUnavailableError when a table is missing */
  async #known(table: string): Promise<F> {
    const { connections, dialect, returner } = this.#deps;
    const asked = (this.#facts ??= connections.use((session) => this.#readFacts(session)));
    try {
      const facts = await asked;
      if (facts.tables.has(table)) return facts;
    } catch (error) {
      this.#facts = undefined;
      throw error;
    }
    this.#facts = undefined;
    throw new StoreUnavailableError(
      `The ${dialect.server} database ${connections.database} has no table ${table}; create it with: ` +
        `salt-run returner.create_schema ${returner}`,
    );
  }
}
