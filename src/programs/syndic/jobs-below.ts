/**
 * The job cache of the master below, read beside it: the load of a job that the master above does not know, a return
 * that was too large for the event bus, and what came back while this syndic was not listening. Opened when it is
 * needed, and let go again.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Clock, Timer } from '../../host/clock.ts';
import type { StoredReturn } from '../../storage/jobs/stored-return.ts';
import type { KeptRow } from '../../storage/jobs/list-jobs.ts';
import { LOAD_FILE, saltsJobFolder } from '../../storage/jobs/salts-layout.ts';
import type { SqliteJobStore } from '../../storage/jobs/sqlite-store.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { decode } from '../../formats/wire/msgpack.ts';

/** An open job cache is let go when nobody has asked for so long. */
const IDLE_MS = 10_000;

/** Reads the job cache of the master below, which is opened when it is first needed. */
export class JobsBelow {
  readonly #opts: MasterOptions;
  readonly #clock: Clock;
  readonly #directory: string;
  #store: Promise<SqliteJobStore> | undefined;
  #idle: Timer | undefined;

  constructor(opts: MasterOptions, clock: Clock) {
    this.#opts = opts;
    this.#clock = clock;
    this.#directory = join(opts.get('cachedir'), 'job_cache');
  }

  /** Whether the master below keeps its jobs in our embedded job cache. */
  get isReadable(): boolean {
    return existsSync(this.#directory);
  }

  /** What was published, with the expected minions in `Minions`; undefined when nobody knows. */
  async load(jid: string): Promise<Dict | undefined> {
    const load = this.isReadable ? await (await this.#open()).job(jid) : undefined;
    return load ?? this.#saltsLoad(jid);
  }

  /** One return; undefined while it is not kept yet. */
  async returned(jid: string, id: string): Promise<StoredReturn | undefined> {
    if (!this.isReadable) return undefined;
    return (await this.#open()).returned(jid, id);
  }

  /** Returns in the order in which they were kept. @param after the last row of each day that is done with */
  async keptAfter(after: ReadonlyMap<string, number>, limit: number): Promise<KeptRow[]> {
    return this.isReadable ? (await this.#open()).keptAfter(after, limit) : [];
  }

  /** The last row of each day. */
  async lastRows(): Promise<Map<string, number>> {
    return this.isReadable ? (await this.#open()).lastRows() : new Map();
  }

  async close(): Promise<void> {
    this.#idle?.cancel();
    const store = this.#store;
    this.#store = undefined;
    await (await store?.catch(() => undefined))?.close();
  }

  /** Salt's own layout (salt/returners/local_cache.py `get_load`, 3006.16). */
  #saltsLoad(jid: string): Dict | undefined {
    const folder = saltsJobFolder(this.#opts.get('cachedir'), this.#opts.get('hash_type'), jid);
    try {
      const load = decode(readFileSync(join(folder, LOAD_FILE)), 'local');
      return isDict(load) ? load : undefined;
    } catch {
      return undefined; // a job of which the master below keeps no load
    }
  }

  #open(): Promise<SqliteJobStore> {
    this.#idle?.cancel();
    this.#idle = this.#clock.after(IDLE_MS, () => void this.close(), { background: true });
    this.#store ??= import('../../storage/jobs/sqlite-store.ts').then(
      ({ SqliteJobStore: Store }) => new Store({ directory: this.#directory, readOnly: true }),
    );
    return this.#store;
  }
}
