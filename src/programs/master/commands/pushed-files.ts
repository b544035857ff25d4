/**
 * How many files and folders minions have pushed (`cp.push`). The size of each is bounded by `file_recv_max_size`;
 * without a bound on their number one minion could take all that the master's file system can name.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BoundedMap } from '../../../host/bounded-map.ts';
import type { Clock } from '../../../host/clock.ts';

/** Minions whose figure is remembered; of others it is counted anew. */
const MINIONS_MAX = 1_000;
/** A figure is counted anew after so many entries: each worker of the master has one, and sees its own files only. */
const RECOUNT_AFTER = 100;
/** A full folder is counted anew at most this often, so that whoever knocks at it costs little. */
const FULL_RECOUNT_MS = 10_000;

interface Figure {
  entries: number;
  /** Entries made here since it was counted. */
  added: number;
  readonly countedMs: number;
}

/** Counts, for one worker. */
export class PushedFiles {
  readonly #figures = new BoundedMap<string, Figure>(MINIONS_MAX);
  readonly #clock: Pick<Clock, 'monotonicMs'>;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /**
   * Asks for room before a file is written.
   * @param root the folder of its minion
   * @param path the file, below it
   * @param entriesMax how many files and folders may be in it, 0 for no limit
   * @returns false when there is none; a file that is there already needs none
   */
  take(root: string, path: string, entriesMax: number): boolean {
    const missing = missingEntries(root, path);
    if (missing === 0 || entriesMax === 0) return true;
    const figure = this.#figure(root, entriesMax, missing);
    if (figure.entries + missing > entriesMax) return false;
    figure.entries += missing;
    figure.added += missing;
    return true;
  }

  #figure(root: string, entriesMax: number, missing: number): Figure {
    const known = this.#figures.get(root);
    const nowMs = this.#clock.monotonicMs();
    if (known !== undefined && known.added < RECOUNT_AFTER) {
      const isFull = known.entries + missing > entriesMax;
      if (!isFull || nowMs - known.countedMs < FULL_RECOUNT_MS) return known;
    }
    const figure = { entries: countEntries(root, entriesMax), added: 0, countedMs: nowMs };
    this.#figures.set(root, figure);
    return figure;
  }
}

/** The parts of a path below its root that are not there yet. */
function missingEntries(root: string, path: string): number {
  let missing = 0;
  for (let at = path; at !== root && at !== dirname(at); at = dirname(at)) {
    if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) break;
    missing++;
  }
  return missing;
}

/** What is below a folder, links not followed; the count ends when it is above `entriesMax`. */
function countEntries(root: string, entriesMax: number): number {
  let entries = 0;
  for (const folders = [root]; folders.length > 0 && entries <= entriesMax;) {
    const folder = folders.pop();
    if (folder === undefined) break;
    for (const entry of listed(folder)) {
      entries++;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
    }
  }
  return entries;
}

function listed(folder: string): { readonly name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // not there yet, or removed meanwhile
  }
}
