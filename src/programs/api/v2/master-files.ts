/**
 * What is read beside the master, out of its own folders: the job cache, keys, what is known of minions. Nothing here
 * asks who wants to know.
 */
import type { MasterOptions } from '../../../config/master-options.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import { configuredJobCache } from '../../../plugins/jobs/runner/caches.ts';
import { openJobCache } from '../../../runtime/client/local-job-cache.ts';
import { readPresence } from '../../../runtime/client/presence.ts';
import { MinionDataCache } from '../../../storage/cache/minion-data.ts';
import type { JobArchive } from '../../../storage/jobs/job-store.ts';
import type { PresenceNote } from '../../../storage/jobs/ledger.ts';
import { KeyStore } from '../../../storage/keys/store.ts';

/** The job cache is opened anew now and then, so that days that the master has removed do not stay open. */
const REOPEN_MS = 60_000;

/** What reading needs. */
export interface MasterFilesDeps {
  readonly opts: MasterOptions;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The job cache, as long as it is open. */
interface OpenedJobs {
  readonly archive: JobArchive;
  readonly sinceMs: number;
  users: number;
  /** Closed when its last user has done. */
  isOld: boolean;
}

/** Reads. */
export class MasterFiles {
  readonly keys: KeyStore;
  readonly minionData: MinionDataCache;
  readonly opts: MasterOptions;
  readonly #deps: MasterFilesDeps;
  #jobs: OpenedJobs | undefined;

  constructor(deps: MasterFilesDeps) {
    this.#deps = deps;
    this.opts = deps.opts;
    this.keys = new KeyStore(deps.opts.get('pki_dir'), { clock: deps.clock });
    this.minionData = new MinionDataCache(deps.opts.get('cachedir'));
  }

  /** Reads the job cache. */
  async jobs<T>(read: (archive: JobArchive) => Promise<T>): Promise<T> {
    const opened = this.#open();
    opened.users++;
    try {
      return await read(opened.archive);
    } finally {
      opened.users--;
      if (opened.isOld && opened.users === 0) await opened.archive.close();
    }
  }

  /** What the running master knows of connections; minions that have never identified themselves are missing. */
  async presence(ids: readonly string[]): Promise<ReadonlyMap<string, PresenceNote>> {
    if (ids.length === 0) return new Map();
    return (await readPresence(this.opts, ids)) ?? new Map<string, PresenceNote>();
  }

  async close(): Promise<void> {
    await this.#jobs?.archive.close();
    this.#jobs = undefined;
  }

  #open(): OpenedJobs {
    const { clock, opts, log } = this.#deps;
    const nowMs = clock.monotonicMs();
    const known = this.#jobs;
    if (known !== undefined && nowMs - known.sinceMs < REOPEN_MS) return known;
    if (known !== undefined) {
      known.isOld = true;
      if (known.users === 0) void known.archive.close();
    }
    const settings = opts.toDict();
    const archive = configuredJobCache({ opts, settings, clock, log }, openJobCache(opts, log));
    return (this.#jobs = { archive, sinceMs: nowMs, users: 0, isOld: false });
  }
}
