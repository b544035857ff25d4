/**
 * Lines about faults that last: the first of a kind at once, then one a minute, with how many there were, until it is
 * over.
 */
import type { Clock } from './clock.ts';

const PAUSE_MS = 60_000;
/** Kinds that are told apart; those beyond share one. */
const KINDS_MAX = 64;

interface Told {
  atMs: number;
  lastMs: number;
  count: number;
}

/** Tells of faults. */
export interface RareLines {
  /** Calls `write` with the text when its kind is due, with a count from the second on. */
  (kind: string, text: string, error?: unknown): void;
  /**
   * Ends a fault that has not come for a minute: where small files are still written and large ones are not, it is not
   * over.
   * @returns how often there was one; 0 for none, and while it is not over
   */
  over(kind: string): number;
}

/** @param write writes a line */
export function rareLines(
  clock: Pick<Clock, 'monotonicMs'>,
  write: (text: string, error?: unknown) => void,
): RareLines {
  const kinds = new Map<string, Told>();
  const tell = (kind: string, text: string, error?: unknown): void => {
    const name = kinds.has(kind) || kinds.size < KINDS_MAX ? kind : '';
    const told = kinds.get(name) ?? { atMs: -Infinity, lastMs: -Infinity, count: 0 };
    kinds.set(name, told);
    told.count++;
    const nowMs = clock.monotonicMs();
    told.lastMs = nowMs;
    if (nowMs - told.atMs < PAUSE_MS) return;
    told.atMs = nowMs;
    write(told.count === 1 ? text : `${text} (${told.count} times so far)`, error);
  };
  const over = (kind: string): number => {
    const told = kinds.get(kind);
    if (told === undefined || clock.monotonicMs() - told.lastMs < PAUSE_MS) return 0;
    kinds.delete(kind);
    return told.count;
  };
  return Object.assign(tell, { over });
}
