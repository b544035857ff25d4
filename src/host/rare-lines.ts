/**
 * Lines about faults that last: the first of a kind at once, then one a minute, with how many there were, until it is
 * over.
 */
import { LOG_LEVELS, type Logger, type LogLevel } from './log.ts';
import type { Clock } from './clock.ts';

const PAUSE_MS = 60_000;
/** Kinds that are told apart; those beyond share one until others have not come for a minute. */
const KINDS_MAX = 64;
/** The same for lines of a log, where each text is a kind. */
const TEXTS_MAX = 1_000;
/** As much of a text as tells it apart. */
const TEXT_MAX = 500;

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
  /** The same for whatever there has been: what comes after a minute of peace is counted anew. */
  allOver(): void;
}

/** @param write writes a line */
export function rareLines(
  clock: Pick<Clock, 'monotonicMs'>,
  write: (text: string, error?: unknown) => void,
): RareLines {
  const kinds = new Map<string, Told>();
  const tell = (kind: string, text: string, error?: unknown): void => {
    const count = countDue(kinds, kind, clock.monotonicMs(), KINDS_MAX);
    if (count > 0) write(counted(text, count), error);
  };
  const over = (kind: string): number => {
    const told = kinds.get(kind);
    if (told === undefined || clock.monotonicMs() - told.lastMs < PAUSE_MS) return 0;
    kinds.delete(kind);
    return told.count;
  };
  const allOver = (): void => [...kinds.keys()].forEach(over);
  return Object.assign(tell, { over, allOver });
}

/** @returns how often there was one of this kind when a line is due, 0 when it is not */
function countDue(kinds: Map<string, Told>, kind: string, nowMs: number, kindsMax: number): number {
  if (!kinds.has(kind) && kinds.size >= kindsMax)
    for (const [name, { lastMs }] of kinds) if (nowMs - lastMs >= PAUSE_MS) kinds.delete(name);
  const name = kinds.has(kind) || kinds.size < kindsMax ? kind : '';
  const told = kinds.get(name) ?? { atMs: -Infinity, lastMs: -Infinity, count: 0 };
  kinds.set(name, told);
  told.count++;
  told.lastMs = nowMs;
  if (nowMs - told.atMs < PAUSE_MS) return 0;
  told.atMs = nowMs;
  return told.count;
}

function counted(text: string, count: number): string {
  return count === 1 ? text : `${text} (${count} times so far)`;
}

/** A log of what is done over and over, in which one cause makes a line a minute. */
export interface RareLog extends Logger {
  /**
   * The same log for work on behalf of somebody (the id of a minion, a job, the tag of an event): lines that differ in
   * that name only are of one cause.
   */
  about(name: string): Logger;
}

/**
 * A log for what each request, event or interval does again: a warning or an error that was written within the last
 * minute is counted, and a line of level debug. Others pass.
 */
export function rareLog(log: Logger, clock: Pick<Clock, 'monotonicMs'>): RareLog {
  const kinds = new Map<string, Told>();
  const write =
    (to: Logger, kindOf: (text: string) => string) =>
    (level: LogLevel, text: string, error?: unknown): void => {
      if (LOG_LEVELS[level] < LOG_LEVELS.warning) return to.log(level, text, error);
      const kind = `${level} ${kindOf(text).slice(0, TEXT_MAX)}`;
      const count = countDue(kinds, kind, clock.monotonicMs(), TEXTS_MAX);
      to.log(count > 0 ? level : 'debug', counted(text, count || 1), error);
    };
  const over = (to: Logger, kindOf: (text: string) => string): Logger => {
    const line = write(to, kindOf);
    return {
      ...to,
      log: line,
      warning: (text, error) => line('warning', text, error),
      error: (text, error) => line('error', text, error),
      critical: (text, error) => line('critical', text, error),
      child: (name) => over(to.child(name), kindOf),
    };
  };
  return {
    ...over(log, (text) => text),
    about: (name) => over(log, (text) => (name === '' ? text : text.replaceAll(name, '\0'))),
  };
}
