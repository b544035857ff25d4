/** The job cache: what was published, whom it was meant for, what came back. The interface; see `sqlite-store.ts`. */
import type { Dict, Value } from '../values/value.ts';
import type { LedgerStore } from './ledger.ts';

/** One minion's return, as it is kept. */
export interface StoredReturn {
  readonly jid: string;
  readonly id: string;
  readonly fun: string;
  readonly return: Value;
  readonly retcode: number;
  readonly success: boolean;
  readonly out?: string;
  /** When the master took it, milliseconds since 1970; unknown for what earlier versions kept. */
  readonly atMs?: number;
  /** The other fields of the return as it came; given and kept only where returns are handed on to a database. */
  readonly more?: Dict;
}

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

/** Keeps jobs and returns. What a promise has resolved for survives the sudden death of any process. */
export interface JobStore extends LedgerStore {
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
  /** @returns the load with `Minions` added, or undefined for an unknown jid */
  job(jid: string): Promise<Dict | undefined>;
  returns(jid: string): Promise<StoredReturn[]>;
  jobs(filter: JobFilter): Promise<JobSummary[]>;
  /** Forgets what is older. Costs the same however much there is. */
  removeOlderThan(atMs: number): Promise<void>;
  /**
   * Forgets the oldest days until no more than this is left. The newest day always stays.
   * @returns what was found, and whether the limits are kept
   */
  removeBeyond(limits: JobLimits): Promise<JobLimitsKept>;
  close(): Promise<void>;
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
