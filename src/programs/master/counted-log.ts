/** Warnings about what others do: counted, and not all written, so that a flood of them costs no disk. */
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Logger, LogLevel } from '../../host/log.ts';

const FIRST = 10;
const THEN_EVERY = 1000;
/** Names whose lines are counted apart; more share what the longest silent ones had. */
const NAMES_MAX = 10_000;

/** Kinds that are counted apart; whoever brings about more has them counted as one. */
const KINDS_MAX = 32;

/**
 * @returns writes the first ten warnings of a kind, then one in a thousand, each with the count: a flood of one kind
 *   does not hide the first of another
 */
export function countedWarnings(log: Logger): (text: string, kind?: string) => void {
  const counts = new Map<string, number>();
  return (text, kind = '') => {
    const counted = counts.has(kind) || counts.size < KINDS_MAX ? kind : '';
    const count = (counts.get(counted) ?? 0) + 1;
    counts.set(counted, count);
    if (count <= FIRST || count % THEN_EVERY === 0) log.warning(`${text} (${count} so far).`);
  };
}

/**
 * The same for lines that are about somebody: a flood about one minion does not hide what is said of another.
 * @returns writes a line about `name`: the first ten, then one in a thousand, each but the first with the count
 */
export function countedLines(log: Logger, level: LogLevel): (name: string, text: string) => void {
  const counts = new BoundedMap<string, number>(NAMES_MAX);
  return (name, text) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count === 1) log.log(level, text);
    else if (count <= FIRST || count % THEN_EVERY === 0) log.log(level, `${text} (${count} times so far)`);
  };
}
