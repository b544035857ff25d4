/** What the benchmark asks of its load process, and what that answers. */

/** Where the load goes, and who sends it. */
export interface LoadTarget {
  readonly host: string;
  readonly port: number;
  /** Folder of the key pairs that the simulated minions share. */
  readonly keysDir: string;
  readonly prefix: string;
  /** Simulated minions. */
  readonly count: number;
}

/** One storm: so many under way at a time, for so long. */
export interface Storm {
  readonly durationMs: number;
  readonly inFlight: number;
}

/** An order for the load process; one at a time. */
export type LoadOrder =
  | ({ readonly type: 'join'; readonly payloadBytes?: number } & LoadTarget)
  /** How often minions that had joined have come again. */
  | { readonly type: 'reconnects' }
  /** All that have joined ask for their pillar at the same time. */
  | { readonly type: 'pillars'; readonly grains: Readonly<Record<string, string>> }
  /** The first so many list all files of the master and fetch each, all at the same time. */
  | { readonly type: 'fetch'; readonly minions: number }
  /** Answers requests with themselves, without a look at them: what the network layer alone can do. */
  | { readonly type: 'echo-server' }
  /** So many connections send a request each, at the same time. */
  | {
      readonly type: 'echo';
      readonly port: number;
      readonly connections: number;
      readonly requestBytes: number;
    }
  | { readonly type: 'leave' }
  /** `again`: as minions do that know their master, with a token that it must open. */
  | ({ readonly type: 'auth'; readonly again: boolean } & LoadTarget & Storm)
  /** By the minions that have joined. */
  | ({ readonly type: 'returns'; readonly baseMs: number } & Storm);

/** What a storm gave. */
export interface StormResult {
  readonly done: number;
  readonly failed: number;
  readonly elapsedMs: number;
  readonly latencyMedianMs: number;
  readonly latencyP99Ms: number;
  /** The first errors, for the report. */
  readonly errors: readonly string[];
}

/** Returns are numbered in the order in which they were sent; see `returnNumber` in `returns-storm.ts`. */
export interface ReturnsResult extends StormResult {
  readonly sent: number;
  /** Numbers of those that nobody acknowledged. */
  readonly unacknowledged: readonly number[];
}

/** An answer: what the order gave, or why it failed. */
export type LoadAnswer =
  | {
      readonly ok: true;
      readonly joinMs?: number;
      readonly reconnects?: number;
      readonly port?: number;
      readonly fetched?: { readonly files: number; readonly bytes: number; readonly elapsedMs: number };
      /** How long each of many requests that were sent at once took. */
      readonly timesMs?: readonly number[];
      readonly storm?: StormResult;
      readonly returns?: ReturnsResult;
    }
  | { readonly ok: false; readonly error: string };
