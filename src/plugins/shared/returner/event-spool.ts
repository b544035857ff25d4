/**
 * Events that wait to be written to databases, in a file, so that neither a database nor this program need be there all
 * the time.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import { makeDirectory } from '../../../host/files.ts';
import type { Logger } from '../../../host/log.ts';
import { blobBytes, openSqlite, type Blob, type SqliteDatabase } from '../../../storage/jobs/sqlite.ts';
import { tryRollback } from '../../../storage/jobs/sqlite-writing.ts';
import { decode, encode } from '../../../formats/wire/msgpack.ts';
import { isDict, type Value } from '../../../python/values/value.ts';
import type { Batch, DeliverySource } from './delivery.ts';
import type { PositionFile } from './position-file.ts';
import type { SavedEvent } from './return-store.ts';

/** How often a full spool is told of. */
const TELL_MS = 60_000;

/** How much may wait. */
export interface EventSpoolOptions {
  readonly path: string;
  /** `returner_spool_max_bytes`: events that come beyond are dropped and counted. */
  readonly bytesMax: number;
  /** What waits, for messages: `events`. */
  readonly what?: string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Row {
  readonly seq: number;
  readonly tag: string;
  readonly data: Blob;
}

/** The spool. */
export class EventSpool {
  readonly counters = { spooled: 0, dropped: 0 };
  readonly #options: EventSpoolOptions;
  readonly #db: SqliteDatabase;
  #bytes: number;
  #lastSeq: number;
  #toldAtMs = -Infinity;

  constructor(options: EventSpoolOptions) {
    this.#options = options;
    makeDirectory(dirname(options.path), 0o700);
    const db = openSpool(options);
    this.#db = db;
    const found = db.prepare('SELECT sum(length(data)) AS bytes FROM events').get() as {
      bytes: number | null;
    };
    // the number of the last one is known also when all were delivered
    const last = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get() as Row | undefined;
    this.#bytes = Number(found.bytes ?? 0);
    this.#lastSeq = Number(last?.seq ?? 0);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /**
   * Keeps events. Where there is no room, the oldest of those that a database has got are dropped for the others, which
   * are behind; where nobody has got any, the new ones are.
   * @param hadUpTo the number of the last event that some database has got
   * @throws DiskRefusesError when there is no room: none of them is kept then
   */
  append(events: readonly SavedEvent[], hadUpTo = 0): void {
    if (events.length === 0) return;
    const insert = this.#db.prepare('INSERT INTO events (seq, tag, data) VALUES (?, ?, ?)');
    this.#db.exec('BEGIN IMMEDIATE');
    const before = { lastSeq: this.#lastSeq, bytes: this.#bytes, spooled: this.counters.spooled };
    let dropped = 0;
    try {
      for (const { tag, data } of events) {
        const bytes = encode(data, 'local');
        const { bytesMax } = this.#options;
        while (bytes.length <= bytesMax && this.#bytes + bytes.length > bytesMax && this.#dropOldest(hadUpTo))
          dropped++;
        if (this.#bytes + bytes.length > bytesMax) {
          dropped++;
          continue;
        }
        insert.run(++this.#lastSeq, tag, bytes);
        this.#bytes += bytes.length;
        this.counters.spooled++;
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      tryRollback(this.#db);
      this.#lastSeq = before.lastSeq;
      this.#bytes = before.bytes;
      this.counters.spooled = before.spooled;
      throw error;
    }
    if (dropped > 0) this.#tellDropped(dropped);
  }

  entries(afterSeq: number, limit: number): { seq: number; event: SavedEvent }[] {
    const rows = this.#db
      .prepare('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
      .all(afterSeq, limit);
    return (rows as Row[]).map(({ seq, tag, data }) => {
      const value = decode(blobBytes(data), 'local');
      return { seq: Number(seq), event: { tag, data: isDict(value) ? value : new Map<Value, Value>() } };
    });
  }

  /** Forgets what every database has. */
  removeUpTo(seq: number): void {
    const sum = 'SELECT sum(length(data)) AS bytes FROM events WHERE seq <= ?';
    const { bytes } = this.#db.prepare(sum).get(seq) as { bytes: number | null };
    if (bytes === null) return;
    this.#db.prepare('DELETE FROM events WHERE seq <= ?').run(seq);
    this.#bytes -= Number(bytes);
  }

  close(): void {
    this.#db.close();
  }

  /** @returns false when there is none up to this number */
  #dropOldest(upTo: number): boolean {
    const oldest = this.#db
      .prepare('SELECT seq, length(data) AS bytes FROM events WHERE seq <= ? ORDER BY seq LIMIT 1')
      .get(upTo) as { readonly seq: number; readonly bytes: number } | undefined;
    if (oldest === undefined) return false;
    this.#db.prepare('DELETE FROM events WHERE seq = ?').run(oldest.seq);
    this.#bytes -= Number(oldest.bytes);
    return true;
  }

  #tellDropped(count: number): void {
    const { clock, log, path, bytesMax, what = 'events' } = this.#options;
    this.counters.dropped += count;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#toldAtMs < TELL_MS) return;
    this.#toldAtMs = nowMs;
    log.warning(
      `${this.counters.dropped} ${what} were dropped: ${path} holds ${bytesMax} bytes of ${what} that wait for a database ` +
        '(returner_spool_max_bytes).',
    );
  }
}

/** Opens the file; one that is damaged is put aside, so that it keeps nobody from starting. */
function openSpool({ path, log }: EventSpoolOptions): SqliteDatabase {
  try {
    return prepared(path);
  } catch (error) {
    if (!/not a database|malformed|corrupt/i.test(messageOf(error))) throw error;
    const aside = `${path}.damaged`;
    log.error(
      `${path} is damaged and was renamed to ${aside}: ${messageOf(error)}. What waited in it is lost.`,
      error,
    );
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    renameSync(path, aside);
    return prepared(path);
  }
}

function prepared(path: string): SqliteDatabase {
  const db = openSqlite(path);
  try {
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = NORMAL');
    db.exec('PRAGMA busy_timeout = 1000');
    db.exec(
      'CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL, data BLOB NOT NULL)',
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** How many events of a spool wait behind a position; looked at beside the program that owns it. */
export function spooledEvents(path: string, afterSeq: number): number {
  if (!existsSync(path)) return 0;
  const db = openSqlite(path, true);
  try {
    const { n } = db.prepare('SELECT count(*) AS n FROM events WHERE seq > ?').get(afterSeq) as { n: number };
    return Number(n);
  } finally {
    db.close();
  }
}

/** When what waits is due. */
export interface EventDue {
  /** `event_return_queue`: events written at a time. */
  readonly countMin: number;
  /** `event_return_queue_max_seconds`: how long one may wait for others, milliseconds; 0 for as long as it takes. */
  readonly ageMaxMs: number;
}

/** The events that one database has yet to get. */
export class EventSource implements DeliverySource<SavedEvent> {
  readonly #spool: EventSpool;
  readonly #positions: PositionFile;
  readonly #name: string;
  readonly #due: EventDue;
  readonly #clock: Clock;
  /** Since when something waits. */
  #sinceMs: number | undefined;
  #dueUpTo: number;

  constructor(
    spool: EventSpool,
    parts: {
      readonly name: string;
      readonly positions: PositionFile;
      readonly due: EventDue;
      readonly clock: Clock;
    },
  ) {
    this.#spool = spool;
    this.#name = parts.name;
    this.#positions = parts.positions;
    this.#due = parts.due;
    this.#clock = parts.clock;
    // a spool that was begun anew; and what an earlier run has left is due
    if (this.position > spool.lastSeq) this.#positions.set(this.#name, 0);
    this.#dueUpTo = spool.lastSeq;
  }

  /** The number of the last event that was delivered. */
  get position(): number {
    return this.#positions.get(this.#name);
  }

  waiting(): number {
    return Math.max(0, this.#spool.lastSeq - this.position);
  }

  next(limit: number): Batch<SavedEvent> | undefined {
    this.#judge();
    if (this.position >= this.#dueUpTo) return undefined;
    const entries = this.#spool.entries(this.position, limit);
    const to = entries.at(-1)?.seq ?? this.#dueUpTo;
    return {
      items: entries.map(({ event }) => event),
      done: () => {
        this.#positions.set(this.#name, to);
        this.#sinceMs = undefined;
      },
    };
  }

  #judge(): void {
    const { countMin, ageMaxMs } = this.#due;
    const { lastSeq } = this.#spool;
    const fresh = lastSeq - Math.max(this.#dueUpTo, this.position);
    if (fresh <= 0) return;
    const nowMs = this.#clock.monotonicMs();
    this.#sinceMs ??= nowMs;
    if (fresh >= countMin || (ageMaxMs > 0 && nowMs - this.#sinceMs >= ageMaxMs)) {
      this.#dueUpTo = lastSeq;
      this.#sinceMs = undefined;
    }
  }
}
