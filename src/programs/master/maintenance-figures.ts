/** What Maintenance knows of the master's files: keys, sessions, the job cache. */
import { readdirSync } from 'node:fs';
import type { Clock } from '../../host/clock.ts';
import { sample, type Sample } from '../../runtime/metrics/sample.ts';
import { Timings } from '../../runtime/metrics/tally.ts';
import { KEY_STATES, type KeyStore } from '../../storage/keys/store.ts';
import type { SqliteJobStore } from '../../storage/jobs/sqlite-store.ts';

/** How old counts of files may be: a folder of a hundred thousand takes a while. */
const COUNTS_AGE_MS = 5_000;

/** What is counted. */
export interface MaintenanceFiguresDeps {
  readonly store: Pick<SqliteJobStore, 'counters' | 'bytes'>;
  readonly keys: Pick<KeyStore, 'list'>;
  /** The folder of session keys. */
  readonly sessionsFolder: string;
  readonly clock: Clock;
}

/** Counts for Maintenance. */
export class MaintenanceFigures {
  readonly #deps: MaintenanceFiguresDeps;
  readonly #commits = new Timings('brine_job_cache_commit_seconds');
  #writes = 0;
  #late = 0;
  #counted: readonly Sample[] = [];
  #countedAtMs = -Infinity;

  constructor(deps: MaintenanceFiguresDeps) {
    this.#deps = deps;
  }

  /** Counts a commit of the job cache. @param writes how many it had */
  committed(writes: number, ms: number): void {
    this.#writes += writes;
    this.#commits.add(ms / 1000);
  }

  /** Counts a return of a minion that had been given up. */
  late(): void {
    this.#late++;
  }

  samples(): Sample[] {
    const { store, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#countedAtMs > COUNTS_AGE_MS) {
      this.#counted = this.#count();
      this.#countedAtMs = nowMs;
    }
    return [
      ...this.#counted,
      ...this.#commits.samples(),
      sample('brine_job_cache_writes_total', this.#writes),
      sample('brine_job_cache_late_returns_total', this.#late),
      sample('brine_job_cache_stray_total', store.counters.strayDays),
    ];
  }

  #count(): Sample[] {
    const { store, keys, sessionsFolder } = this.#deps;
    return [
      ...KEY_STATES.map((state) => sample('brine_keys', keys.list(state).length, state)),
      sample('brine_sessions', filesIn(sessionsFolder)),
      sample('brine_job_cache_bytes', store.bytes()),
    ];
  }
}

function filesIn(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0; // none has been made yet
  }
}
