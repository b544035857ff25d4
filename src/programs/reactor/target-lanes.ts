/** Publications side by side, as long as no minion can get two of them in another order than the events came in. */
import { pyStr } from '../../python/values/repr.ts';
import type { ReactionTarget } from './reaction.ts';

/** The minions that a target names; undefined for one that may reach any. */
export type Lanes = readonly string[] | undefined;

/** @returns the names in a list, or the one that is no pattern */
export function lanesOf({ tgt, tgtType }: Pick<ReactionTarget, 'tgt' | 'tgtType'>): Lanes {
  if (tgtType === 'list') return Array.isArray(tgt) ? tgt.map(pyStr) : pyStr(tgt).split(',');
  return tgtType === 'glob' && typeof tgt === 'string' && !/[*?[\]]/.test(tgt) ? [tgt] : undefined;
}

/** Lets a publication begin when none is under way that is for one of its minions. Those that wait begin in their order. */
export class TargetLanes {
  readonly #runningMax: number;
  readonly #busy = new Set<string>();
  #running = 0;
  #hasAny = false;
  #wake: (() => void) | undefined;

  /** @param runningMax publications at a time (`reactor_worker_threads`) */
  constructor(runningMax: number) {
    this.#runningMax = Math.max(1, runningMax);
  }

  /** Resolves when the publication may begin; one caller at a time. */
  async enter(lanes: Lanes): Promise<void> {
    while (!this.#isFree(lanes)) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#running++;
    if (lanes === undefined) this.#hasAny = true;
    else for (const lane of lanes) this.#busy.add(lane);
  }

  leave(lanes: Lanes): void {
    this.#running--;
    if (lanes === undefined) this.#hasAny = false;
    else for (const lane of lanes) this.#busy.delete(lane);
    this.#wake?.();
  }

  /** Resolves when none is under way. */
  async rest(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #isFree(lanes: Lanes): boolean {
    if (this.#running === 0) return true;
    if (this.#running >= this.#runningMax || this.#hasAny || lanes === undefined) return false;
    return lanes.every((lane) => !this.#busy.has(lane));
  }
}
