/**
 * What a returner's database does, whichever it is: one interface, so that Salt's returner functions, batches,
 * time-outs and what happens while the database is down are written once (salt/returners/, 3006.16;
 * docs/internals/job-cache-files.md).
 */
import type { Clock } from '../../../host/clock.ts';
import type { DatabaseSettings } from '../../../network/databases/settings.ts';
import type { Dict, Value } from '../../../python/values/value.ts';

/** How long databases keep what they may forget when `keep_jobs_seconds` says nothing. */
export const KEEP_JOBS_SECONDS = 86_400;

/** A job as it is registered. */
export interface SavedLoad {
  readonly jid: string;
  readonly load: Dict;
  readonly minions?: readonly string[];
}

/** An event as `event_return` keeps it. */
export interface SavedEvent {
  readonly tag: string;
  readonly data: Dict;
}

/** A minion's answer, as `get_jid` gives it: `return`, and `out`, `success`, `retcode` where the database has them. */
export type JidReturns = ReadonlyMap<string, Dict>;

/**
 * A database that keeps jobs, returns and events in Salt's own tables. Every method may throw; whoever calls then keeps
 * what is to be written and tries again, so each write must be safe to repeat: a jid, or a return of the same jid and
 * minion, that is there already is no error and makes no second row.
 */
export interface ReturnStore {
  /** Creates the tables that are missing. @returns what was made, one line each; nothing when all was there */
  createSchema(): Promise<string[]>;
  /** Writes returns in one go. @param rets as the master gets them: `jid`, `id`, `fun`, `return`, `success`, … */
  saveReturns(rets: readonly Dict[]): Promise<void>;
  /** Writes jobs in one go; a jid that is there keeps its first load. */
  saveLoads(loads: readonly SavedLoad[]): Promise<void>;
  /** Writes events in one go. @param masterId the master that stores them */
  saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void>;
  /** @returns undefined for a jid that is not there */
  load(jid: string): Promise<Dict | undefined>;
  returns(jid: string): Promise<JidReturns>;
  /** The last return of each minion for a function. */
  lastReturns(fun: string): Promise<ReadonlyMap<string, Value>>;
  /** Every job, by jid, as its load. */
  loads(): Promise<ReadonlyMap<string, Dict>>;
  minions(): Promise<string[]>;
  /**
   * Forgets jobs, returns and events of before that time (milliseconds since 1970).
   * @param isArchived moves them into tables beside theirs (`archive_jobs`), where the database has such
   */
  removeOlderThan(atMs: number, isArchived?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** What a store is opened with. */
export interface StoreSettings extends DatabaseSettings {
  /**
   * After how many seconds databases that forget by themselves may forget a job (`keep_jobs_seconds`); default {@link
   * KEEP_JOBS_SECONDS}.
   */
  readonly keepJobsSeconds?: number;
  /** For stores that write the time themselves; default: the system's. */
  readonly clock?: Clock;
}

/** A kind of database: the name that `--return` takes, its options and how a store is opened. */
export interface StoreKind {
  /** As `--return`, `master_job_cache`, `ext_job_cache` and `event_return` name it. */
  readonly name: string;
  /** The name of Salt's file. */
  readonly file: string;
  /** Names of options below `<prefix>.`, and what holds when nothing sets them; undefined leaves one out. */
  readonly optionPrefix: string;
  readonly defaults: ReadonlyMap<string, Value | undefined>;
  /** Opens connections lazily: the driver is imported and the database is reached on the first statement. */
  open(settings: StoreSettings): ReturnStore;
}

/** A kind of database before its file is imported. */
export interface StoreKindEntry extends Pick<StoreKind, 'name' | 'file'> {
  load(): Promise<StoreKind>;
}
