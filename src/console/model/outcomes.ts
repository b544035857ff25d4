/** What became of minions: kinds, order and words. */
import type { Counts, MinionOutcome } from './contract.ts';

/** Kinds of outcomes, as they are coloured and counted. */
export type OutcomeGroup = 'ok' | 'failed' | 'running' | 'silent';

/** What became of one minion, with the code that it has returned and what it says of itself; null for none. */
export type Became = Pick<MinionOutcome, 'outcome' | 'retcode' | 'success'>;

const KINDS: ReadonlyMap<string, OutcomeGroup> = new Map([
  ['returned', 'ok'],
  ['failed', 'failed'],
  ['published', 'running'],
  ['still running', 'running'],
]);

/**
 * The kind of an outcome; whatever is not known is silent. A return that came late has no word for how it went: its
 * code and what it says of itself do, as they do where the API counts.
 */
export function kindOf({ outcome, retcode, success }: Became): OutcomeGroup {
  if (outcome === 'returned late') return retcode === 0 && success !== false ? 'ok' : 'failed';
  return KINDS.get(outcome) ?? 'silent';
}

/** What an outcome is called beside its minion: one that is no success says so in words. */
export function outcomeWords(became: Became): string {
  return became.outcome === 'returned late' && kindOf(became) === 'failed' ? 'failed, late' : became.outcome;
}

/** How many there are of each kind. */
export function countsOf(kinds: Iterable<OutcomeGroup>): Counts {
  const counts = { expected: 0, returned: 0, failed: 0, running: 0, silent: 0 };
  for (const kind of kinds) {
    counts.expected++;
    counts[FIELDS[kind]]++;
  }
  return counts;
}

/** Where a kind is counted. */
export const FIELDS = { ok: 'returned', failed: 'failed', running: 'running', silent: 'silent' } as const;

/** A figure of {@link Counts} that minions of one kind make up. */
export type Field = (typeof FIELDS)[OutcomeGroup];

/** Kinds in the order in which an operator wants to see them. */
export const KIND_ORDER: readonly OutcomeGroup[] = ['failed', 'silent', 'running', 'ok'];

/** What a kind is called. */
export const KIND_NAMES: Readonly<Record<OutcomeGroup, string>> = {
  ok: 'succeeded',
  failed: 'failed',
  running: 'running',
  silent: 'silent',
};

/** How many there are of a kind. */
export function countOf(counts: Counts, kind: OutcomeGroup): number {
  return counts[FIELDS[kind]];
}

/** One sentence about a job for whoever hears the page instead of seeing it. */
export function describeCounts(counts: Counts): string {
  const parts = KIND_ORDER.filter((kind) => countOf(counts, kind) > 0).map(
    (kind) => `${countOf(counts, kind)} ${KIND_NAMES[kind]}`,
  );
  return `${counts.expected} ${counts.expected === 1 ? 'minion' : 'minions'}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}
