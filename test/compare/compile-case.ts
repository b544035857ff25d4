/** One compilation of `states.ts`, and what it gave. */
import type { Value } from '../../src/python/values/value.ts';

/** What is compiled. */
export interface StateCase {
  readonly formula: string;
  readonly sls: string;
  /** The SLS of the pillar, or null for none. */
  readonly pillar: string | null;
}

/** Stands for the name of an SLS where the top file is compiled. */
export const TOP = '(top)';

/**
 * The ways of compiling: `state.show_low_sls`, and as a highstate; of the top file `state.show_lowstate` and
 * `state.show_highstate`.
 */
export const WAYS = ['low', 'full'] as const;

/** Low chunks, a list of errors, or the text of an exception; and how much processor time both ways took together. */
export interface Compilation extends Readonly<Record<(typeof WAYS)[number], Value>> {
  readonly ms: number;
}

/** Stands in what was compiled for the folder of the minion. */
export const FOLDER = '<folder>';

/** The top file of the pillar for a case. */
export function pillarTop({ pillar }: StateCase): string {
  return pillar === null ? '{}\n' : `base:\n  '*': [${pillar}]\n`;
}

/** Both sides' minion, where it is more than the folder's own files. */
export interface MinionOfCases {
  /** Further lines of its configuration; they take the place of those with the same key. */
  readonly lines: readonly string[];
  /** With the extensions in the file roots synced before. */
  readonly synced: boolean;
}

/** The folder's own files and no extensions. */
export const PLAIN_MINION: MinionOfCases = { lines: [], synced: false };

/** At most so many of a list, spread evenly. */
export function spread<Item>(all: readonly Item[], most: number): Item[] {
  const step = Math.max(1, all.length / most);
  return all.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}
