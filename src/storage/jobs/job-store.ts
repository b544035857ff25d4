/**
 * The job cache: what was published, whom it was meant for, what came back. The interfaces: who reads, who writes, who
 * forgets; `sqlite-store.ts` does all of it.
 */
import type { Dict } from '../../python/values/value.ts';
import type { LedgerEntry } from './ledger.ts';
import type { ReturnCode, StoredReturn } from './stored-return.ts';

/** One job as lists show it. */
export interface JobSummary {
  readonly jid: string;
  readonly load: Dict;
}

/** What narrows a list of jobs. */
export interface JobFilter {
  /** Newest first, at most so many. */
  readonly limit?: number;
  readonly fun?: string;
  /** Looks at the function's name, before anything else of the job is read. */
  readonly wantsFun?: (fun: string) => boolean;
  /** The first and the last jid, both included; jids without a suffix order as times. */
  readonly fromJid?: string;
  readonly toJid?: string;
  /** Looks at the load; what it refuses does not count. */
  readonly accepts?: (job: JobSummary) => boolean;
  /** Leave out for whom a job was meant, which is most of what there is to read. */
  readonly withoutMinions?: boolean;
}

/** Tells of jobs by their ids. */
export interface JobReader {
  /** @returns the load with `Minions` added, or undefined for an unknown jid */
  job(jid: string): Promise<Dict | undefined>;
  returns(jid: string): Promise<readonly StoredReturn[]>;
  ledger(jid: string): Promise<readonly LedgerEntry[]>;
}

/** A job cache that was opened for reading. */
export interface JobArchive extends JobReader {
  jobs(filter: JobFilter): Promise<JobSummary[]>;
  /** How the minions of a job returned, without what they returned. */
  codes(jid: string): Promise<readonly ReturnCode[]>;
  /**
   * Of these jobs, those with a minion that has said it runs the job and has not returned; where that is not known,
   * all.
   */
  unsettled(jids: readonly string[]): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** Keeps jobs and returns. What a promise has resolved for survives the sudden death of any process. */
export interface JobWriter {
  /**
   * Registers a job.
   * @param load the publish request without credentials
   * @param minions whom it is meant for
   * @returns false when the jid is taken already (nothing is changed then)
   */
  saveJob(jid: string, load: Dict, minions: readonly string[]): Promise<boolean>;
  /** Adds minions to a job's expected ones, as a syndic reports them. */
  addMinions(jid: string, minions: readonly string[], syndicId: string): Promise<void>;
  /** @returns false when this minion's return for this job is there already (the first one stays) */
  saveReturn(ret: StoredReturn): Promise<boolean>;
  /**
   * Adds to the ledger of a job that the job cache has; a time that is there already stays, a verdict is replaced but
   * keeps its first time.
   */
  note(jid: string, entries: readonly LedgerEntry[]): Promise<void>;
  close(): Promise<void>;
}

/** Forgets jobs: only the process that owns the files does. */
export interface JobJanitor {
  /** Forgets what is older. Costs the same however much there is. */
  removeOlderThan(atMs: number): Promise<void>;
  /**
   * Forgets the oldest days until no more than this is left. The newest day always stays.
   * @returns what was found, and whether the limits are kept
   */
  removeBeyond(limits: JobLimits): Promise<JobLimitsKept>;
}

/** How much a job cache may hold; 0 is no limit. */
export interface JobLimits {
  readonly jobsMax: number;
  readonly bytesMax: number;
}

/** How much of a job cache was counted before the limit was reached. */
export interface JobLimitsKept {
  /** False when the newest day alone is beyond a limit. */
  readonly areKept: boolean;
  readonly jobs: number;
  readonly bytes: number;
}
