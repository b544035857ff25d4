/**
 * Things that happen one after the other for each name, in bounded queues. Within a name those who wait have their
 * turns source by source, so that one who sends much waits for himself and not others for him; and when a queue is
 * full, the one who has most in it gives way.
 */

/** There was no room in a queue. */
export class LaneFullError extends Error {
  override readonly name = 'LaneFullError';
}

/** Of whom a thing is. */
export interface LaneVisitor {
  /** Those of one source have no more turns together than another source has. */
  readonly source?: string | undefined;
}

interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: LaneFullError) => void;
}

/** What waits behind the one that is under way; the source that is next stands first. */
interface Lane {
  readonly waiting: Map<string, Waiter[]>;
  size: number;
}

/** A lane for each name; lanes without anybody in them take no memory. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #waitingMax: number;
  readonly #lanesMax: number;
  /** Turned away so far. */
  refused = 0;

  /** @param waitingMax who may be in one lane @param lanesMax lanes at a time */
  constructor(waitingMax: number, lanesMax: number) {
    this.#waitingMax = waitingMax;
    this.#lanesMax = lanesMax;
  }

  /** Runs `work` in its turn. @throws LaneFullError, and what `work` throws */
  async run<T>(name: string, work: () => Promise<T>, visitor: LaneVisitor = {}): Promise<T> {
    await this.#turn(name, visitor);
    try {
      return await work();
    } finally {
      this.#next(name);
    }
  }

  async #turn(name: string, { source = '' }: LaneVisitor): Promise<void> {
    const lane = this.#lanes.get(name);
    if (lane === undefined) {
      if (this.#lanes.size >= this.#lanesMax) throw this.#full(name);
      this.#lanes.set(name, { waiting: new Map(), size: 1 });
      return;
    }
    if (lane.size >= this.#waitingMax && !this.#makeRoom(name, lane, source)) throw this.#full(name);
    await new Promise<void>((resolve, reject) => {
      const queue = lane.waiting.get(source) ?? [];
      queue.push({ begin: resolve, refuse: reject });
      lane.waiting.set(source, queue);
      lane.size++;
    });
  }

  /**
   * Turns away the newest of the source that has most waiting, if that is another one with more than this would have.
   */
  #makeRoom(name: string, lane: Lane, source: string): boolean {
    const own = lane.waiting.get(source)?.length ?? 0;
    let [most, count] = ['', own + 1];
    for (const [each, { length }] of lane.waiting) if (length > count) [most, count] = [each, length];
    const waiter = lane.waiting.get(most)?.at(-1);
    if (count <= own + 1 || waiter === undefined) return false;
    remove(lane, most, waiter);
    waiter.refuse(this.#full(name));
    return true;
  }

  #next(name: string): void {
    const lane = this.#lanes.get(name);
    const first = lane?.waiting.entries().next().value;
    if (lane === undefined || first === undefined) return void this.#lanes.delete(name);
    const [source, queue] = first;
    const waiter = queue.shift();
    lane.size--;
    // the others have their turns before the next one of this source
    lane.waiting.delete(source);
    if (queue.length > 0) lane.waiting.set(source, queue);
    waiter?.begin();
  }

  #full(name: string): LaneFullError {
    this.refused++;
    return new LaneFullError(`Too many wait in the lane of ${name}.`);
  }
}

function remove(lane: Lane, source: string, waiter: Waiter): void {
  const queue = lane.waiting.get(source) ?? [];
  const at = queue.indexOf(waiter);
  if (at < 0) return;
  queue.splice(at, 1);
  if (queue.length === 0) lane.waiting.delete(source);
  lane.size--;
}
