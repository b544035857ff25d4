/** State runs of many minions, grouped by state, as they come in. */
import { byFirstName, FirstNames } from './first-names.ts';
import { RESULT_ORDER, type RowResult, type StateRow } from './state-run.ts';

/** Minions of a kind that are named; how many there are is counted. */
const NAMED_MAX = 30;
/** Kinds of results that are kept of one state; the minions of further ones are counted only. */
const KINDS_MAX = 500;
const CHANGES_CHARS = 4000;

/** Minions on which a state has come to the same. */
export interface StateKind {
  readonly key: string;
  /** What the first of them has returned. */
  readonly row: StateRow;
  /** The first of them by name. */
  readonly minions: readonly string[];
  readonly count: number;
}

/** One state over all minions that ran it. */
export interface StateGroup {
  readonly key: string;
  readonly fun: string;
  readonly id: string;
  /** What the state was given where one id has several of them, as `names` makes; empty otherwise. */
  readonly name: string;
  readonly sls: string;
  readonly order: number;
  readonly counts: Readonly<Record<RowResult, number>>;
  readonly kinds: readonly StateKind[];
}

interface Draft {
  readonly first: StateRow;
  readonly key: string;
  readonly nth: number;
  readonly counts: Record<RowResult, number>;
  readonly kinds: Map<string, { row: StateRow; minions: FirstNames; count: number }>;
  /** What was last handed out; undefined when something was added since. */
  shown: StateGroup | undefined;
}

/**
 * Results of all groups together: one for each state on each minion, so that each is the sum of what stands beside the
 * states.
 */
export function resultsIn(groups: readonly StateGroup[]): Record<RowResult, number> {
  const results = { ok: 0, changed: 0, failed: 0, 'would change': 0 };
  for (const { counts } of groups) for (const result of RESULT_ORDER) results[result] += counts[result];
  return results;
}

/**
 * Collects them. What it hands out is never changed afterwards: whoever draws it sees by looking at it alone whether
 * there is something new.
 */
export class StateRuns {
  readonly #drafts = new Map<string, Draft>();
  readonly #seen = new Set<string>();
  /** States of which one minion had several under the same id. */
  readonly #several = new Set<string>();
  #shown: readonly StateGroup[] = [];
  #isChanged = false;

  /** Minions whose results are among them. */
  get minionCount(): number {
    return this.#seen.size;
  }

  /** Adds the rows of one minion, once. */
  add(minion: string, rows: readonly StateRow[]): void {
    if (this.#seen.has(minion)) return;
    this.#seen.add(minion);
    const nths = new Map<string, number>();
    for (const row of rows) {
      const state = `${row.sls}\n${row.id}\n${row.fun}`;
      const nth = nths.get(state) ?? 0;
      nths.set(state, nth + 1);
      if (nth === 1) this.#isSeveral(state);
      this.#addRow(`${state}\n${nth}`, nth, minion, row);
    }
    this.#isChanged = true;
  }

  /** All groups, those first in which something went wrong, then by their order in the run. */
  groups(): readonly StateGroup[] {
    if (this.#isChanged)
      this.#shown = sortedGroups([...this.#drafts.values()].map((each) => this.#show(each)));
    this.#isChanged = false;
    return this.#shown;
  }

  #isSeveral(state: string): void {
    this.#several.add(state);
    const first = this.#drafts.get(`${state}\n0`);
    if (first !== undefined) first.shown = undefined;
  }

  #addRow(key: string, nth: number, minion: string, row: StateRow): void {
    let draft = this.#drafts.get(key);
    if (draft === undefined) {
      const counts = { ok: 0, changed: 0, failed: 0, 'would change': 0 };
      draft = { first: row, key, nth, counts, kinds: new Map(), shown: undefined };
      this.#drafts.set(key, draft);
    }
    draft.shown = undefined;
    draft.counts[row.result]++;
    const kindKey = `${row.result}\n${row.comment}\n${changesKey(row.changes)}`;
    const kind = draft.kinds.get(kindKey);
    if (kind !== undefined) {
      kind.count++;
      kind.minions.add(minion);
    } else if (draft.kinds.size < KINDS_MAX) {
      const minions = new FirstNames(NAMED_MAX);
      minions.add(minion);
      draft.kinds.set(kindKey, { row, minions, count: 1 });
    }
  }

  #show(draft: Draft): StateGroup {
    if (draft.shown !== undefined) return draft.shown;
    const { first, key, counts, kinds } = draft;
    const isSeveral = this.#several.has(`${first.sls}\n${first.id}\n${first.fun}`);
    draft.shown = {
      key,
      fun: first.fun,
      id: first.id,
      name: isSeveral ? first.name : '',
      sls: first.sls,
      order: first.order,
      counts: { ...counts },
      kinds: sortedKinds(
        [...kinds].map(([kindKey, { row, minions, count }]) => ({
          key: kindKey,
          row,
          minions: minions.list(),
          count,
        })),
      ),
    };
    return draft.shown;
  }
}

function sortedGroups(groups: StateGroup[]): StateGroup[] {
  const rank = ({ counts }: StateGroup): number => RESULT_ORDER.findIndex((result) => counts[result] > 0);
  return groups.sort((a, b) => rank(a) - rank(b) || a.order - b.order);
}

/** Those first in which something went wrong, then those of many minions. */
function sortedKinds(kinds: StateKind[]): StateKind[] {
  const rank = ({ row }: StateKind): number => RESULT_ORDER.indexOf(row.result);
  return kinds.sort((a, b) => rank(a) - rank(b) || b.count - a.count || byFirstName(a, b));
}

/** Changes that are the same but for the number of a process are the same. */
function changesKey(changes: unknown): string {
  const text = JSON.stringify(changes, (name, value: unknown) => (name === 'pid' ? undefined : value)) ?? '';
  return text.slice(0, CHANGES_CHARS);
}
