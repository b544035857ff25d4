/** What version 2 of the API sends and takes (docs/guides/api.md). Times are ISO 8601 in UTC. */

/** Who has logged in, and what he may do. */
export interface Me {
  readonly user: string;
  readonly groups: readonly string[];
  readonly eauth: string;
  readonly kind: 'session' | 'api-token' | 'token';
  readonly expires: string | null;
  /** May do everything. */
  readonly full: boolean;
  readonly rules: readonly { readonly rule: unknown; readonly source: string }[];
  /** For each operation of the API whether it is worth offering. */
  readonly can: Readonly<Record<string, boolean>>;
}

/** How one can log in. */
export interface LoginOptions {
  readonly eauths: readonly string[];
  readonly oidc: { readonly name: string; readonly href: string } | null;
}

/** What a log-in takes. */
export interface Credentials {
  readonly eauth: string;
  readonly username: string;
  readonly password: string;
}

/** Part of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
  readonly total?: number;
}

/** What became of one minion of a job. */
export type OutcomeName =
  | 'published'
  | 'still running'
  | 'returned'
  | 'failed'
  | 'returned late'
  | 'never received'
  | 'connection lost'
  | 'key not accepted'
  | 'not known'
  | 'not here yet'
  | 'no response'
  | 'refused';

/** How many minions of a job have come how far; they add up to `expected`. */
export interface Counts {
  readonly expected: number;
  readonly returned: number;
  readonly failed: number;
  readonly running: number;
  readonly silent: number;
}

/** A job as lists have it. */
export interface Job {
  readonly jid: string;
  readonly fun: string;
  readonly funs: readonly string[];
  readonly arg: readonly unknown[];
  readonly kwarg: Readonly<Record<string, unknown>>;
  readonly tgt: unknown;
  readonly tgt_type: string;
  readonly user: string;
  readonly start_time: string;
  readonly test: boolean;
  readonly metadata: unknown;
  readonly state: 'running' | 'done';
  readonly counts: Counts;
}

/** One minion of a job. */
export interface MinionOutcome {
  readonly minion: string;
  readonly outcome: OutcomeName;
  readonly retcode: number | null;
  readonly reason: string | null;
  readonly since: string | null;
  readonly published: string | null;
  readonly received: string | null;
  readonly returned: string | null;
  readonly seconds: number | null;
}

/** A job with all its minions. */
export interface JobDetail extends Job {
  readonly minions: readonly MinionOutcome[];
}

/** What one minion has returned. */
export interface Return {
  readonly minion: string;
  readonly jid: string;
  readonly fun: string;
  readonly return: unknown;
  readonly retcode: number;
  readonly success: boolean;
  readonly out: string | null;
  readonly stamp: string | null;
}

/** A job to be started. */
export interface NewJob {
  readonly tgt: unknown;
  readonly tgt_type?: string;
  readonly fun: string;
  readonly arg?: readonly unknown[];
  readonly kwarg?: Readonly<Record<string, unknown>>;
  readonly test?: boolean;
  readonly timeout?: number;
  readonly batch?: string;
  readonly failhard?: boolean;
  readonly canary?: { readonly size: string };
  readonly metadata?: unknown;
}

/** A job that was started; `run` is of batches and canaries. */
export interface Started {
  readonly jid: string | null;
  readonly minions: readonly string[];
  readonly missing: readonly string[];
  readonly run: string | null;
}

/** A batch or a canary. */
export interface Run {
  readonly run: string;
  readonly state: 'running' | 'done' | 'stopped';
  readonly jids: readonly string[];
  readonly minions: readonly string[];
  readonly waiting: readonly string[];
  readonly counts: Counts;
  readonly stopped_because: string | null;
}

/** Whom a target reaches. */
export interface Preview {
  readonly count: number;
  readonly connected: number;
  readonly minions: readonly { readonly id: string; readonly connected: boolean }[];
  readonly missing: readonly string[];
  readonly unsure: boolean;
  readonly allowed: boolean;
  readonly reason: string | null;
}

export type KeyState = 'accepted' | 'pending' | 'rejected' | 'denied';

/** A minion as lists have it. */
export interface Minion {
  readonly id: string;
  readonly key: KeyState;
  readonly connected: boolean;
  readonly last_seen: string | null;
  readonly version: string | null;
  readonly os: string | null;
  readonly osrelease: string | null;
  readonly os_family: string | null;
  readonly kernel: string | null;
  readonly ip: string | null;
}

/** One minion. */
export interface MinionDetail extends Minion {
  readonly fingerprint: string | null;
  readonly grains_at: string | null;
  readonly since: string | null;
}

/** Data of one minion. */
export interface MinionData {
  readonly data: unknown;
  readonly at?: string | null;
  readonly masked?: readonly string[];
}

/** A key of a minion. */
export interface Key {
  readonly id: string;
  readonly state: KeyState;
  readonly fingerprint: string;
}

/** An event of the bus. */
export interface BusEvent {
  readonly tag: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly stamp: string | null;
}

/** A function as lists have it. */
export interface FunctionSummary {
  readonly name: string;
  readonly summary: string;
  readonly changes: boolean | null;
  readonly allowed: boolean;
}

/** A parameter of a function. */
export interface Param {
  readonly name: string;
  readonly type: string;
  readonly doc: string;
  readonly default?: unknown;
  readonly required: boolean;
  readonly keyword_only: boolean;
}

/** A function with its documentation. */
export interface FunctionDetail extends FunctionSummary {
  readonly doc: string;
  readonly examples: readonly string[];
  readonly params: readonly Param[];
  readonly varargs: boolean;
  readonly kwargs: boolean;
}

/** A file of states. */
export interface StateFile {
  readonly path: string;
  readonly kind: 'sls' | 'file';
  readonly sls: string | null;
}

/** What a test run has found that would change. */
export interface Drift {
  readonly jid: string;
  readonly minion: string;
  readonly time: string;
  readonly fun: string;
  readonly changes: number;
  readonly failed: number;
  readonly total: number;
  readonly states: readonly string[];
}

/** A run of an orchestration. */
export interface Orchestration {
  readonly jid: string;
  readonly fun: string;
  readonly mods: string;
  readonly state: 'running' | 'done' | 'failed' | 'paused';
  readonly started: string;
  readonly ended: string | null;
  readonly steps: number;
  readonly failed: number;
}

/** A step of an orchestration. */
export interface OrchestrationStep {
  readonly id: string;
  readonly name: string;
  readonly fun: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
  readonly comment: string | null;
  readonly started: string | null;
  readonly seconds: number | null;
  readonly jid: string | null;
}

/** A run of an orchestration with its steps. */
export interface OrchestrationDetail extends Omit<Orchestration, 'steps'> {
  readonly steps: readonly OrchestrationStep[];
}

/** A role of the configuration. */
export interface Role {
  readonly role: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly tokens: readonly string[];
  readonly rules: readonly unknown[];
}

/** An API token, without its secret. */
export interface Token {
  readonly name: string;
  readonly created: string;
  readonly expires: string | null;
  readonly created_by: string;
  readonly roles: readonly string[];
  readonly rules: readonly unknown[];
  readonly is_over: boolean;
}

/** What is wrong with the fleet. */
export interface Finding {
  readonly code: string;
  readonly severity: 'warning' | 'critical';
  readonly what: string;
  readonly who: string | null;
  readonly why: string;
  readonly next: string;
}

/** The verdict of `manage.doctor`. */
export interface Doctor {
  readonly state: 'well' | 'warning' | 'ill';
  readonly findings: readonly Finding[];
  readonly at: string;
}
