/** What became of minions: kinds, order and words. */
import type { Counts, OutcomeName } from './contract.ts';

/** Kinds of outcomes, as they are coloured and counted. */
export type OutcomeKind = 'ok' | 'failed' | 'running' | 'silent';

const KINDS: ReadonlyMap<string, OutcomeKind> = new Map([
  ['returned', 'ok'],
  ['returned late', 'ok'],
  ['failed', 'failed'],
  ['published', 'running'],
  ['still running', 'running'],
]);

/** The kind of an outcome; whatever is not known is silent. */
export function kindOf(outcome: OutcomeName): OutcomeKind {
  return KINDS.get(outcome) ?? 'silent';
}

/** Kinds in the order in which an operator wants to see them. */
export const KIND_ORDER: readonly OutcomeKind[] = ['failed', 'silent', 'running', 'ok'];

/** What a kind is called. */
export const KIND_NAMES: Readonly<Record<OutcomeKind, string>> = {
  ok: 'succeeded',
  failed: 'failed',
  running: 'running',
  silent: 'silent',
};

/** How many there are of a kind. */
export function countOf(counts: Counts, kind: OutcomeKind): number {
  if (kind === 'ok') return counts.returned;
  return kind === 'failed' ? counts.failed : kind === 'running' ? counts.running : counts.silent;
}

/** One sentence about a job for whoever hears the page instead of seeing it. */
export function describeCounts(counts: Counts): string {
  const parts = KIND_ORDER.filter((kind) => countOf(counts, kind) > 0).map(
    (kind) => `${countOf(counts, kind)} ${KIND_NAMES[kind]}`,
  );
  return `${counts.expected} ${counts.expected === 1 ? 'minion' : 'minions'}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}
