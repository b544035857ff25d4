/**
 * The events that the reactor has taken on, until each of their reactions is done. They lie in a file, so that a
 * reactor that is killed goes on where it was: nothing is forgotten, and nothing is done twice.
 */
import { dirname } from 'node:path';
import { DiskRefusesError } from '../../errors/errors.ts';
import type { DiskSync } from '../../host/disk-sync.ts';
import type { Clock } from '../../host/clock.ts';
import { makeDirectory } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines } from '../../host/rare-lines.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import {
  blobBytes,
  openSqlite,
  type Blob,
  type SqliteDatabase,
  type SqliteStatement,
} from '../../storage/jobs/sqlite.ts';
import { tryRollback } from '../../storage/jobs/sqlite-writing.ts';
import { WalSync } from '../../storage/jobs/wal-sync.ts';

/** How far a reaction is. A `local` one is never `started`: it has a job id, which says whether it was published. */
export type StepState = 'planned' | 'started' | 'done';

/** What is to be done for an event: the reactions in their order, each in a form that the journal can keep. */
export interface Plan {
  readonly steps: readonly Dict[];
  readonly states: StepState[];
}

/** An event that is not finished. */
export interface JournalEntry {
  readonly id: number;
  readonly tag: string;
  readonly data: Dict;
  /** Undefined until its files were rendered. */
  readonly plan?: Plan;
}

/** Where in the stream of events the journal is. */
export interface StreamPlace {
  readonly stream: string;
  readonly last: number;
}

/** The time between attempts to commit what there is no room for. */
const PAUSE_MS = 1_000;

/** What a reactor does while its journal has no room: it says so once a minute, and nothing else. */
export function journalPatience(clock: Clock, log: Logger): JournalPatience {
  const tell = rareLines(clock, (text) => log.error(text));
  return {
    taken: () => {
      if (tell.over('') > 0)
        log.warning('The reactor keeps events again, and reacts to those that have waited.');
    },
    refused: (error) =>
      tell('', `The reactor keeps no events, and reacts to them when it can again: ${error.message}`),
    pause: () => clock.sleep(PAUSE_MS),
  };
}

const LETTERS: Readonly<Record<StepState, string>> = { planned: 'p', started: 's', done: 'd' };
const STATES = new Map(Object.entries(LETTERS).map(([state, letter]) => [letter, state as StepState]));

interface Row {
  readonly id: number;
  readonly tag: string;
  readonly data: Blob;
  readonly plan: Blob | null;
  readonly states: string | null;
}

/**
 * What a journal does while its disk takes nothing: whoever waits for a commit goes on waiting, and nothing is acted on
 * that is not kept.
 */
export interface JournalPatience {
  /** Tells of it; called at each attempt. */
  readonly refused: (error: DiskRefusesError) => void;
  /** Told of each commit that succeeds. */
  readonly taken: () => void;
  /** The time between attempts. */
  readonly pause: () => Promise<void>;
}

/**
 * The journal. One process writes it. What is written within one turn of the event loop is committed together, and
 * brought to the disk together. A commit that the disk does not take is tried again; one that fails otherwise, or a
 * disk that loses what it took, ends the process, whose successor goes on from what the journal has.
 */
export class Journal {
  readonly #db: SqliteDatabase;
  readonly #wal: WalSync | undefined;
  readonly #patience: JournalPatience | undefined;
  #writes: (() => void)[] = [];
  #committed: Promise<void> | undefined;
  #abandoned: (() => void) | undefined;
  #isClosed = false;
  readonly #insert: SqliteStatement;
  readonly #place: SqliteStatement;
  readonly #plan: SqliteStatement;
  readonly #states: SqliteStatement;
  readonly #remove: SqliteStatement;

  /**
   * @param path the file; it and its folder are made, for their owner alone
   * @param disk what is waited for, so that a failure of power loses nothing; without it that is not waited for
   * @param patience without it a commit for which there is no room ends the process, too
   */
  constructor(path: string, disk?: DiskSync, patience?: JournalPatience) {
    this.#patience = patience;
    makeDirectory(dirname(path), 0o700);
    this.#db = openSqlite(path);
    this.#db.exec('PRAGMA busy_timeout = 5000');
    this.#db.exec('PRAGMA journal_mode = WAL');
    this.#db.exec('PRAGMA synchronous = NORMAL');
    this.#db.exec(
      'CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL, data BLOB NOT NULL, plan BLOB, states TEXT)',
    );
    this.#db.exec(
      'CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY CHECK (one = 1), stream TEXT NOT NULL, last INTEGER NOT NULL)',
    );
    this.#wal = disk === undefined ? undefined : new WalSync(path, this.#db, disk);
    this.#insert = this.#db.prepare('INSERT INTO events (tag, data) VALUES (?, ?) RETURNING id');
    this.#place = this.#db.prepare(
      'INSERT INTO place (one, stream, last) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET stream = excluded.stream, last = excluded.last',
    );
    this.#plan = this.#db.prepare('UPDATE events SET plan = ?, states = ? WHERE id = ?');
    this.#states = this.#db.prepare('UPDATE events SET states = ? WHERE id = ?');
    this.#remove = this.#db.prepare('DELETE FROM events WHERE id = ?');
  }

  /** How far the events were read; undefined for a new journal. */
  place(): StreamPlace | undefined {
    return this.#db.prepare('SELECT stream, last FROM place').get() as StreamPlace | undefined;
  }

  /**
   * Takes on events, and remembers how far the stream was read, together.
   * @returns the entries with their ids; they are on the disk when {@link secured} resolves
   * @throws DiskRefusesError when there is no room: nothing was taken on then
   */
  take(events: readonly { readonly tag: string; readonly data: Dict }[], place: StreamPlace): JournalEntry[] {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const entries = events.map(({ tag, data }) => {
        const { id } = this.#insert.get(tag, encode(data, 'local')) as { id: number };
        return { id, tag, data };
      });
      this.#place.run(place.stream, place.last);
      this.#db.exec('COMMIT');
      this.#patience?.taken();
      return entries;
    } catch (error) {
      tryRollback(this.#db);
      throw error;
    }
  }

  /** Every event that is not finished, oldest first. */
  unfinished(): JournalEntry[] {
    const rows = this.#db
      .prepare('SELECT id, tag, data, plan, states FROM events ORDER BY id')
      .all() as Row[];
    return rows.map(readRow);
  }

  /** Writes that are not committed yet. */
  get backlog(): number {
    return this.#writes.length;
  }

  /** Keeps what is to be done for an event. @returns when it is on the disk */
  keepPlan(id: number, { steps, states }: Plan): Promise<void> {
    const bytes = encode([...steps], 'local');
    const letters = lettersOf(states);
    return this.#later(() => this.#plan.run(bytes, letters, id));
  }

  /** @returns when it is on the disk */
  keepStates(id: number, states: readonly StepState[]): Promise<void> {
    const letters = lettersOf(states);
    return this.#later(() => this.#states.run(letters, id));
  }

  /** @returns when it is on the disk */
  finish(id: number): Promise<void> {
    return this.#later(() => this.#remove.run(id));
  }

  /** Resolves when everything written so far is on the disk. */
  async settled(): Promise<void> {
    await this.#committed;
  }

  /** Resolves when everything committed so far is on the disk. */
  async secured(): Promise<void> {
    await this.#wal?.done().catch(endProcess);
  }

  /**
   * Ends the patience, before {@link close}.
   * @returns resolves when the disk refuses a commit from now on: who waits for it waits for ever, as what is not kept
   *   must not be acted on
   */
  abandon(): Promise<void> {
    return new Promise((resolve) => (this.#abandoned = resolve));
  }

  close(): void {
    this.#isClosed = true;
    this.#isCommitted();
    this.#wal?.close();
    this.#db.close();
  }

  #later(write: () => void): Promise<void> {
    this.#writes.push(write);
    return (this.#committed ??= new Promise((resolve) => {
      setImmediate(() => {
        void this.#commitPatiently().then(resolve);
      });
    }));
  }

  async #commitPatiently(): Promise<void> {
    while (!this.#isCommitted()) {
      this.#abandoned?.();
      await this.#patience?.pause();
      if (this.#isClosed) return NEVER;
    }
    await this.secured();
  }

  /** @returns false when there is no room for it now */
  #isCommitted(): boolean {
    try {
      this.#commit();
      return true;
    } catch (error) {
      if (this.#patience === undefined || !(error instanceof DiskRefusesError)) throw error;
      this.#patience.refused(error);
      return false;
    }
  }

  #commit(): void {
    if (this.#writes.length > 0) {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        for (const write of this.#writes) write();
        this.#db.exec('COMMIT');
        this.#patience?.taken();
      } catch (error) {
        tryRollback(this.#db);
        throw error;
      }
    }
    this.#writes = [];
    this.#committed = undefined;
  }
}

const NEVER = new Promise<never>(() => undefined);

/** What a journal cannot keep must not be acted on. */
function endProcess(error: unknown): Promise<never> {
  setImmediate(() => {
    throw error;
  });
  return NEVER;
}

function lettersOf(states: readonly StepState[]): string {
  return states.map((state) => LETTERS[state]).join('');
}

function readRow({ id, tag, data, plan, states }: Row): JournalEntry {
  const entry = { id, tag, data: mapping(decode(blobBytes(data), 'local')) };
  if (plan === null || states === null) return entry;
  const steps = decode(blobBytes(plan), 'local');
  return {
    ...entry,
    plan: {
      steps: (Array.isArray(steps) ? steps : []).map(mapping),
      states: [...states].map((letter) => STATES.get(letter) ?? 'planned'),
    },
  };
}

function mapping(value: Value): Dict {
  return isDict(value) ? value : new Map();
}
