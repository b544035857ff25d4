/**
 * The ledger of a job: what is known of each minion, and the one named outcome that follows from it. Kept beside the
 * returns in the job cache. Who waits for a job judges the silent and leaves his verdicts here; a job that nobody waits
 * for is judged when somebody asks, from what the master wrote down: who was away at publication, who has acknowledged,
 * whose connection was lost.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import type { Dict } from '../../python/values/value.ts';
import type { ReturnCode } from './stored-return.ts';

/** What became of one minion of a job. */
export type OutcomeKind =
  | 'returned'
  | 'failed'
  /** Returned after whoever waited had given it up. */
  | 'returned late'
  /** Published so recently that nothing can be said yet. */
  | 'published'
  | 'still running'
  | 'never received'
  | 'connection lost'
  | 'key not accepted'
  | 'not known'
  /** Its key is accepted, but it has not authenticated since: it cannot have received anything. */
  | 'not here yet'
  /** The master beside a syndic did not take the job; the name is the syndic's. */
  | 'refused'
  /** Published, and no sign since, of a minion that gives none (a real Salt minion, or one that was never here). */
  | 'no response';

/** What somebody who waited, or the master at publication, has found. */
export interface Verdict {
  readonly kind: OutcomeKind;
  /** When, milliseconds since 1970. */
  readonly atMs: number;
  /** Since when the connection is lost (UTC), or the state of a key. */
  readonly detail?: string;
}

/** One minion's line besides its return. */
export interface LedgerEntry {
  readonly id: string;
  /** When the minion acknowledged the job, milliseconds since 1970. */
  readonly receivedMs?: number;
  /** Since when (UTC) the minion was away at the moment of publication. */
  readonly absentSince?: string;
  readonly verdict?: Verdict;
}

/** What is known of a minion's connection. */
export interface PresenceNote {
  readonly isConnected: boolean;
  /** When it was last lost (UTC); also of minions that have come back. */
  readonly lostSince?: string;
}

/** One minion's outcome, with its times in milliseconds since 1970. */
export interface JobOutcome {
  readonly id: string;
  readonly kind: OutcomeKind;
  readonly publishedMs?: number;
  readonly receivedMs?: number;
  readonly returnedMs?: number;
  readonly retcode?: number;
  /** Whether what has returned says that it succeeded: a function may fail with the code 0. */
  readonly success?: boolean;
  /** When it was given up by whoever waited. */
  readonly givenUpMs?: number;
  /** As in {@link Verdict}. */
  readonly detail?: string;
}

/** What a job is judged by. */
export interface Evidence {
  /** When it was published; undefined for a jid that is no time. */
  readonly publishedMs: number | undefined;
  /** Whom it was meant for. */
  readonly minions: readonly string[];
  readonly returns: readonly ReturnCode[];
  readonly entries: readonly LedgerEntry[];
  /** Minions that are or were connected; those that do not identify themselves are missing. */
  readonly presence: ReadonlyMap<string, PresenceNote>;
  readonly nowMs: number;
  /** How long after its publication nothing is said of a minion that gives no sign (`timeout`). */
  readonly patienceMs: number;
}

/** One named outcome for every minion of a job: the expected ones, then the others of which something is known. */
export function judgeJob(evidence: Evidence): JobOutcome[] {
  const returns = new Map(evidence.returns.map((ret) => [ret.id, ret]));
  const entries = new Map(evidence.entries.map((entry) => [entry.id, entry]));
  const ids = new Set([...evidence.minions, ...returns.keys(), ...entries.keys()]);
  return [...ids].map((id) => judge(evidence, id, returns.get(id), entries.get(id)));
}

function judge(
  evidence: Evidence,
  id: string,
  ret: ReturnCode | undefined,
  entry: LedgerEntry | undefined,
): JobOutcome {
  const { kind, detail } =
    ret === undefined
      ? judgeSilent(evidence, id, entry)
      : { kind: judgeReturn(ret, entry), detail: undefined };
  const times = {
    publishedMs: evidence.publishedMs,
    receivedMs: entry?.receivedMs,
    returnedMs: ret?.atMs,
    retcode: ret?.retcode,
    success: ret?.success,
    givenUpMs: entry?.verdict?.atMs,
    detail,
  };
  const known = Object.entries(times).filter(([, value]) => value !== undefined);
  return { id, kind, ...(Object.fromEntries(known) as Partial<JobOutcome>) };
}

function judgeReturn(ret: ReturnCode, entry: LedgerEntry | undefined): OutcomeKind {
  if (entry?.verdict !== undefined) return 'returned late';
  return hasSucceeded(ret) ? 'returned' : 'failed';
}

/** Whether a return is one of a success: neither its code nor what it says of itself is against it. */
export function hasSucceeded({ retcode, success }: Pick<JobOutcome, 'retcode' | 'success'>): boolean {
  return retcode === 0 && success !== false;
}

type Finding = Pick<JobOutcome, 'kind' | 'detail'>;

function judgeSilent(evidence: Evidence, id: string, entry: LedgerEntry | undefined): Finding {
  const { verdict, receivedMs, absentSince } = entry ?? {};
  if (verdict !== undefined && isFinal(verdict.kind)) return verdict;
  const { publishedMs, presence, nowMs, patienceMs } = evidence;
  const note = presence.get(id);
  const beganMs = receivedMs ?? publishedMs ?? 0;
  if (absentSince !== undefined && receivedMs === undefined)
    return { kind: 'never received', detail: absentSince };
  if (note?.lostSince !== undefined && stampMs(note.lostSince) >= beganMs)
    return { kind: 'connection lost', detail: note.lostSince };
  if (receivedMs !== undefined) return { kind: 'still running' };
  if (verdict !== undefined) return verdict;
  if (nowMs - (publishedMs ?? 0) < patienceMs) return { kind: 'published' };
  return { kind: note?.isConnected === true ? 'never received' : 'no response' };
}

/** Verdicts that only a return can change. */
function isFinal(kind: OutcomeKind): boolean {
  return ['key not accepted', 'not known', 'not here yet', 'connection lost', 'refused'].includes(kind);
}

/** The time of a stamp as events carry it: UTC without a zone. */
function stampMs(stamp: string): number {
  return Date.parse(`${stamp.slice(0, 23)}Z`);
}

/** A time as events and the ledger show it: UTC, microseconds. @param atMs milliseconds since 1970 */
export function stampOf(atMs: number): string {
  const micros = Math.round(atMs * 1000);
  const seconds = new Date(Math.floor(micros / 1_000_000) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(micros % 1_000_000).padStart(6, '0')}`;
}

/** What the detail of an outcome is; for the others it is the time since when. */
const DETAIL_NAMES: ReadonlyMap<OutcomeKind, string> = new Map([
  ['key not accepted', 'key'],
  ['refused', 'reason'],
]);

/** The codes of outcomes that are no success (docs/reference/errors.md). */
const OUTCOME_CODES = {
  failed: 'minion-failed',
  'still running': 'minion-still-running',
  'never received': 'minion-never-received',
  'connection lost': 'minion-connection-lost',
  'key not accepted': 'minion-key-not-accepted',
  'not known': 'minion-not-known',
  'not here yet': 'minion-not-here-yet',
  refused: 'minion-job-refused',
  'no response': 'minion-no-response',
} as const satisfies Partial<Readonly<Record<OutcomeKind, ErrorCode>>>;

/** The code of an outcome; undefined for one that is a success, or none yet. */
export function outcomeCode(kind: OutcomeKind): ErrorCode | undefined {
  return Object.hasOwn(OUTCOME_CODES, kind) ? OUTCOME_CODES[kind as keyof typeof OUTCOME_CODES] : undefined;
}

/** An outcome as JSON, events and `salt-run jobs.outcomes` show it. */
export function outcomeDict(outcome: JobOutcome): Dict {
  const { kind, detail, retcode, success, publishedMs, receivedMs, returnedMs, givenUpMs } = outcome;
  const out: Dict = new Map([['outcome', kind]]);
  const code = outcomeCode(kind);
  if (code !== undefined) out.set('code', code);
  if (detail !== undefined) out.set(DETAIL_NAMES.get(kind) ?? 'since', detail);
  if (retcode !== undefined) out.set('retcode', retcode);
  if (success !== undefined) out.set('success', success);
  for (const [name, atMs] of Object.entries({
    published: publishedMs,
    received: receivedMs,
    given_up: givenUpMs,
    returned: returnedMs,
  }))
    if (atMs !== undefined) out.set(name, stampOf(atMs));
  return out;
}
