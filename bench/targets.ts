/** What the project has set out to reach. */

/** A figure to reach: a number, or how it stands to what is measured beside it. */
export interface Target {
  readonly at?: number;
  /** So many times as good as a real Salt in the same run. */
  readonly timesSalt?: number;
  /** This share of the limit at least, for what is better when it is higher. */
  readonly ofLimit?: number;
}

/** By `rowKey`. */
export const TARGETS: ReadonlyMap<string, Target> = new Map<string, Target>([
  ['cli-round-trip time', { at: 0.045 }],
  ['call-local time', { at: 0.06 }],
  ['ping-all time', { at: 0.16 }],
  ['ping-all lost', { at: 0 }],
  ['ping-all duplicates', { at: 0 }],
  ['auth again, with token', { ofLimit: 0.85 }],
  ['auth first, no token', { ofLimit: 0.85 }],
  ['return-storm rate', { at: 15_000 }],
  ['return-storm lost', { at: 0 }],
  ['return-storm duplicates', { at: 0 }],
  ['memory master idle', { at: 90 }],
  ['memory master after load', { at: 120 }],
  ['memory minion idle', { at: 22 }],
  ['memory minion while it applies 500 states', { at: 60 }],
  ['memory minion after them', { at: 25 }],
  ['big-fleet ping time', { at: 1.2 }],
  ['big-fleet slowest ping', { at: 1.8 }],
  ['big-fleet memory of salt', { at: 200 }],
  ['big-fleet memory of the master for each minion', { at: 15 }],
  ['big-fleet lost', { at: 0 }],
  ['big-fleet lost under load', { at: 0 }],
  ['big-returns rate', { at: 200 }],
  ['big-returns lost', { at: 0 }],
  ['restart all back', { at: 20 }],
  ['events seven readers have all', { at: 3 }],
  ['events lost', { at: 0 }],
  ['events memory beyond', { at: 64 }],
  ['file-managed first', { timesSalt: 12 }],
  ['file-managed again', { timesSalt: 15 }],
  ['chained time', { timesSalt: 12 }],
  ['highstate time', { timesSalt: 10 }],
  ['pillar one minion', { timesSalt: 10 }],
  ['pillar slowest of 1,000', { at: 5 }],
  ['file-server master CPU', { timesSalt: 5 }],
  ['cluster returns: share of a single master', { at: 1 / 3 }],
  ['cluster salt: more than a single master', { at: 15 }],
  ['cluster salt: more for a minion of another master', { at: 10 }],
  ['cluster lost', { at: 0 }],
  ['cluster duplicates', { at: 0 }],
  ['reactor event to command', { at: 60 }],
  ['reactor flow: lost', { at: 0 }],
  ['reactor flow: twice', { at: 0 }],
  ['reactor flow: out of order', { at: 0 }],
  ['reactor burst: lost', { at: 0 }],
  ['reactor burst: twice', { at: 0 }],
  ['reactor burst: out of order', { at: 0 }],
  ['reactor orchestration step', { at: 50 }],
  ['api memory idle', { at: 60 }],
  ['api memory with 500 readers', { at: 200 }],
  ['api memory with 500 readers, after the events', { at: 200 }],
  ['api events lost', { at: 0 }],
]);
