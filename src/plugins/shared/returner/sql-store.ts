/** What the returners for SQL databases have in common: how rows are found, written once, and forgotten. */
import { systemClock, type Clock } from '../../../host/clock.ts';
import { jidAt } from '../../../storage/jobs/jid.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import {
  type JidReturns,
  type ReturnStore,
  type SavedEvent,
  type SavedLoad,
  type StoreSettings,
} from './return-store.ts';
import { columnOf, jsonFor, type SqlFacts, type SqlValues } from './sql-columns.ts';
import { StoreUnavailableError } from '../../../network/databases/errors.ts';
import type { SqlSession } from '../../../network/databases/sql.ts';
import {
  cut,
  dictOf,
  EventMemory,
  jidsAndIds,
  lockSlots,
  newReturns,
  plainText,
  returnKey,
  textField,
} from './sql-fields.ts';

/** How many old rows one statement deletes. */
export const DELETED_AT_ONCE = 5000;
/** How much longer than others a statement may take that forgets or archives old rows. */
const CLEANING_FACTOR = 20;

/** What a database is called in messages. */
export interface SqlNaming {
  /** The server, as its makers call it. */
  readonly server: string;
  /** The returner's name, for the command that creates tables. */
  readonly returner: string;
}

/** A statement, and the values of its placeholders. */
export interface SqlStatement {
  readonly sql: string;
  readonly values?: readonly unknown[];
}

/** The statements of a kind of database that read. */
export interface SqlReads {
  /** `jid` and `id` of the returns that are there. */
  knownReturns(jids: readonly string[], ids: readonly string[]): SqlStatement;
  /** `id` and the return of each minion for a job. */
  returns(jid: string): SqlStatement;
  /** The same of the last return of each minion for a function. */
  lastReturns(fun: string): SqlStatement;
  /** Each `id`, sorted. */
  readonly minions: string;
  /** What the return is called in the rows of these statements. */
  readonly returnColumn: string;
}

/** A row that is to be written. */
export interface NewRow {
  /** What it is, as a sentence begins with it. */
  readonly what: string;
  readonly values: SqlValues;
}

/** Events that are about to be written. */
export interface EventBatch {
  readonly events: readonly SavedEvent[];
  /** The data of each, as JSON. */
  readonly texts: readonly string[];
  /** The positions of those that may have a row. */
  readonly suspects: readonly number[];
  /** Before this time none of the suspects was written, milliseconds since 1970. */
  readonly sinceMs: number;
  readonly masterId: string;
}

/** Conditions of old rows; the first placeholder is a time in seconds, and the second of `jobs` a jid. */
export interface OldRows {
  readonly jobs: string;
  readonly returns: string;
  readonly events: string;
}

/** Which rows of a table are forgotten. */
export interface OldRule {
  readonly table: string;
  readonly condition: string;
  readonly values: readonly unknown[];
}

/** The connections as a store uses them. */
export interface StoreConnections<S extends SqlSession> {
  readonly database: string;
  readonly timeoutMs: number;
  use<T>(run: (session: S) => Promise<T>): Promise<T>;
  createDatabase(): Promise<boolean>;
  close(): Promise<void>;
}

/** A store on an SQL database; statements, and what the tables hold, are the business of each kind. */
export abstract class SqlStore<S extends SqlSession, F extends SqlFacts, T> implements ReturnStore {
  protected readonly clock: Clock;
  readonly #events: EventMemory;
  #facts: Promise<F> | undefined;

  protected constructor({ clock = systemClock }: StoreSettings) {
    this.clock = clock;
    this.#events = new EventMemory(clock.nowMs());
  }

  protected abstract readonly connections: StoreConnections<S>;
  protected abstract readonly naming: SqlNaming;
  /** The tables, by name. */
  protected abstract readonly schema: ReadonlyMap<string, T>;
  protected abstract readonly reads: SqlReads;
  protected abstract readonly oldRows: OldRows;

  protected abstract readFacts(session: S): Promise<F>;
  /** Runs the statements that create tables. */
  protected abstract preparing(run: (session: S) => Promise<void>): Promise<void>;
  protected abstract createTable(session: S, name: string, table: T): Promise<void>;
  /** Runs statements that write, all or none where the database has such. */
  protected abstract writing(run: (session: S) => Promise<void>): Promise<void>;
  /** The same while no other writer has these locks. */
  protected abstract locked(slots: readonly number[], run: (session: S) => Promise<void>): Promise<void>;
  /**
   * Writes rows that have the same columns, as many at once as a statement may hold; a jid that is there stays as it
   * is.
   */
  protected abstract insert(session: S, facts: F, table: string, rows: readonly NewRow[]): Promise<void>;
  /** @returns the positions of the suspects that have a row */
  protected abstract eventsThatAreThere(
    session: S,
    facts: F,
    batch: EventBatch,
  ): Promise<ReadonlySet<number>>;
  /** Deletes old rows while nobody else does. @param isArchived moves them into tables beside theirs */
  protected abstract clean(rules: readonly OldRule[], isArchived: boolean, timeoutMs: number): Promise<void>;
  protected abstract returnRow(ret: Dict, facts: F): SqlValues;
  protected abstract loadRow(load: SavedLoad, facts: F): SqlValues;
  protected abstract readLoad(session: S, jid: string): Promise<Dict | undefined>;
  protected abstract readLoads(session: S): Promise<ReadonlyMap<string, Dict>>;

  protected readReturn(json: string): Dict {
    return dictOf(json);
  }

  /** A return as a list of the last ones has it. */
  protected readLastReturn(json: string): Value {
    return this.readReturn(json);
  }

  /** True when a row of a name that was cut is of this function. */
  protected isOf(ret: Value, fun: string): boolean {
    return !(ret instanceof Map) || !ret.has('fun') || plainText(ret.get('fun')) === fun;
  }

  async createSchema(): Promise<string[]> {
    const made: string[] = [];
    if (await this.connections.createDatabase()) made.push(`database ${this.connections.database}`);
    await this.preparing(async (session) => {
      const { tables } = await this.readFacts(session);
      for (const [name, table] of this.schema) {
        if (tables.has(name)) continue;
        await this.createTable(session, name, table);
        made.push(`table ${name}`);
      }
    });
    this.#facts = undefined;
    return made;
  }

  async saveReturns(rets: readonly Dict[]): Promise<void> {
    if (rets.length === 0) return;
    const facts = await this.#known('salt_returns');
    await this.locked(lockSlots(rets), async (session) => {
      const { jids, ids } = jidsAndIds(rets);
      const { sql, values } = this.reads.knownReturns(jids, ids);
      const rows = await session.rows(sql, values);
      const known = new Set(rows.map(({ jid, id }) => returnKey(jid ?? '', id ?? '')));
      const added = newReturns(rets, known).map((ret) => ({
        what: `The return of ${textField(ret, 'id')} for job ${textField(ret, 'jid')}`,
        values: this.returnRow(ret, facts),
      }));
      await this.insert(session, facts, 'salt_returns', added);
    });
  }

  async saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    if (loads.length === 0) return;
    const facts = await this.#known('jids');
    // in one order, so that two writers do not wait for each other
    const sorted = [...loads].sort((a, b) => (a.jid < b.jid ? -1 : 1));
    const rows = sorted.map((load) => ({ what: `The job ${load.jid}`, values: this.loadRow(load, facts) }));
    await this.writing((session) => this.insert(session, facts, 'jids', rows));
  }

  async saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    if (events.length === 0) return;
    const facts = await this.#known('salt_events');
    const texts = events.map(({ data }) => jsonFor(facts, 'salt_events', 'data', data));
    const mayBeThere = this.#events.note(events, texts);
    const batch = this.#batch(events, texts, mayBeThere, masterId);
    await this.writing(async (session) => {
      const known =
        batch.suspects.length === 0
          ? new Set<number>()
          : await this.eventsThatAreThere(session, facts, batch);
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
      await this.insert(session, facts, 'salt_events', rows);
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
    const sinceMs = EventMemory.earliestMs(old, this.clock.nowMs());
    return { events, texts, suspects, sinceMs, masterId };
  }

  load(jid: string): Promise<Dict | undefined> {
    return this.connections.use((session) => this.readLoad(session, jid));
  }

  returns(jid: string): Promise<JidReturns> {
    return this.connections.use(async (session) => {
      const { sql, values } = this.reads.returns(jid);
      const out = new Map<string, Dict>();
      // the first of several that other writers have left
      for (const { id, [this.reads.returnColumn]: ret } of await session.rows(sql, values))
        if (id !== null && id !== undefined && !out.has(id)) out.set(id, this.readReturn(ret ?? ''));
      return out;
    });
  }

  async lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    const facts = await this.#known('salt_returns');
    const name = cut(fun, columnOf(facts, 'salt_returns', 'fun').width);
    return this.connections.use(async (session) => {
      const { sql, values } = this.reads.lastReturns(name);
      const out = new Map<string, Value>();
      for (const { id, [this.reads.returnColumn]: text } of await session.rows(sql, values)) {
        const ret = this.readLastReturn(text ?? '');
        if (id !== null && id !== undefined && this.isOf(ret, fun)) out.set(id, ret);
      }
      return out;
    });
  }

  loads(): Promise<ReadonlyMap<string, Dict>> {
    return this.connections.use((session) => this.readLoads(session));
  }

  minions(): Promise<string[]> {
    return this.connections.use(async (session) => {
      const rows = await session.rows(this.reads.minions);
      return rows.map(({ id }) => id ?? '');
    });
  }

  /**
   * As Salt's: returns and events by when they were written, jobs by their returns; jobs that have none by their jid.
   */
  async removeOlderThan(atMs: number, isArchived = false): Promise<void> {
    await this.#known('salt_returns');
    const seconds = atMs / 1000;
    const { jobs, returns, events } = this.oldRows;
    const rules: readonly OldRule[] = [
      { table: 'jids', condition: jobs, values: [seconds, jidAt(atMs)] },
      { table: 'salt_returns', condition: returns, values: [seconds] },
      { table: 'salt_events', condition: events, values: [seconds] },
    ];
    await this.clean(rules, isArchived, this.connections.timeoutMs * CLEANING_FACTOR);
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  /** What the tables can hold, asked once. @throws StoreUnavailableError when a table is missing */
  async #known(table: string): Promise<F> {
    const asked = (this.#facts ??= this.connections.use((session) => this.readFacts(session)));
    try {
      const facts = await asked;
      if (facts.tables.has(table)) return facts;
    } catch (error) {
      this.#facts = undefined;
      throw error;
    }
    this.#facts = undefined;
    const { server, returner } = this.naming;
    throw new StoreUnavailableError(
      `The ${server} database ${this.connections.database} has no table ${table}; create it with: ` +
        `salt-run returner.create_schema ${returner}`,
    );
  }
}
