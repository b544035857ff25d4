/** Things that happen one after the other for each name, in bounded queues. */

/** A queue was full. */
export class LaneFullError extends Error {
  override readonly name = 'LaneFullError';
}

/** A lane for each name; lanes without anybody in them take no memory. */
export class Lanes {
  readonly #lanes = new Map<string, { last: Promise<unknown>; waiting: number }>();
  readonly #waitingMax: number;
  readonly #lanesMax: number;
  /** Turned away so far. */
  refused = 0;

  /** @param waitingMax who may be in one lane @param lanesMax lanes at a time */
  constructor(waitingMax: number, lanesMax: number) {
    this.#waitingMax = waitingMax;
    this.#lanesMax = lanesMax;
  }

  /** Runs `work` when those before it in its lane are done. @throws LaneFullError, and what `work` throws */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(name) ?? { last: Promise.resolve(), waiting: 0 };
    if (lane.waiting >= this.#waitingMax || (lane.waiting === 0 && this.#lanes.size >= this.#lanesMax)) {
      this.refused++;
      throw new LaneFullError(`Too many wait in the lane of ${name}.`);
    }
    lane.waiting++;
    this.#lanes.set(name, lane);
    const mine = lane.last.then(work, work);
    lane.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      if (--lane.waiting === 0) this.#lanes.delete(name);
    }
  }
}
