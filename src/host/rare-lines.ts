/** Lines about faults that last: the first of a kind at once, then one a minute, with how many there were. */
import type { Clock } from './clock.ts';

const PAUSE_MS = 60_000;
/** Kinds that are told apart; those beyond share one. */
const KINDS_MAX = 64;

interface Told {
  atMs: number;
  count: number;
}

/** @returns calls `write` with a text when its kind is due, with a count from the second on */
export function rareLines(
  clock: Pick<Clock, 'monotonicMs'>,
  write: (text: string, error?: unknown) => void,
): (kind: string, text: string, error?: unknown) => void {
  const kinds = new Map<string, Told>();
  return (kind, text, error) => {
    const name = kinds.has(kind) || kinds.size < KINDS_MAX ? kind : '';
    const told = kinds.get(name) ?? { atMs: -Infinity, count: 0 };
    kinds.set(name, told);
    told.count++;
    const nowMs = clock.monotonicMs();
    if (nowMs - told.atMs < PAUSE_MS) return;
    told.atMs = nowMs;
    write(told.count === 1 ? text : `${text} (${told.count} times so far)`, error);
  };
}
