/**
 * Handing things on to a database that may be away: in batches, in order, as long as it takes. What is to be written
 * stays where it is until it has been written, so a database that is down costs nothing but time; it is told once when
 * it goes and once when it is back.
 */
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import { StoreUnavailableError } from '../../../network/databases/errors.ts';

const BATCH_MAX = 500;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 10_000;
/** How often one thing is tried that a database refuses although it answers. */
const REFUSALS_MAX = 3;
/** How many of those behind it are tried in turn, where nothing else tells whether a place takes anything. */
const BEHIND_MAX = 50;

/** A text with a full stop, where it has no other end. */
export function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** What is to be handed on. */
export interface Batch<T> {
  readonly items: readonly T[];
  /** Notes that these need not be handed on again. */
  done(): void;
}

/** Where it comes from. */
export interface DeliverySource<T> {
  /** The oldest of what waits; undefined when nothing is due. */
  next(limit: number): Batch<T> | undefined;
  /** How much waits. */
  waiting(): number;
}

/** Whether a database answers: told once for all that is meant for it. */
export class DatabaseHealth {
  readonly #name: string;
  readonly #log: Logger;
  readonly #down = new Set<object>();
  readonly #waiting: (() => string)[] = [];

  constructor(name: string, log: Logger) {
    this.#name = name;
    this.#log = log;
  }

  /** @param text tells how much of one thing waits: `3 events` */
  add(text: () => string): void {
    this.#waiting.push(text);
  }

  down(who: object, error: unknown): void {
    if (this.#down.size === 0)
      this.#log.error(
        `${this.#name} cannot be written to: ${asSentence(messageOf(error))} What is meant for it waits here until it is back (${this.#amounts()}).`,
        error,
      );
    this.#down.add(who);
  }

  up(who: object): void {
    if (this.#down.delete(who) && this.#down.size === 0)
      this.#log.warning(`${this.#name} is back; what waits is being written to it (${this.#amounts()}).`);
  }

  #amounts(): string {
    return this.#waiting.map((text) => text()).join(', ');
  }
}

/** How one database is served. */
export interface DeliveryOptions<T> {
  /** The returner's name. */
  readonly name: string;
  /** What is delivered, for messages: `jobs and returns`. */
  readonly what: string;
  readonly source: DeliverySource<T>;
  /**
   * How many are written at a time at most; 500. One, where a write that fails in the middle would be repeated from its
   * beginning.
   */
  readonly batchMax?: number | undefined;
  readonly health: DatabaseHealth;
  /** Writes; safe to repeat. */
  readonly write: (items: readonly T[]) => Promise<void>;
  /**
   * Resolves when the database answers. A place that cannot be asked has none: it is tried with what comes behind.
   * @param item the first of those that could not be written
   */
  readonly probe: ((item: T) => Promise<void>) | undefined;
  /** One thing, for the log: without its content. */
  readonly describe: (item: T) => string;
  /** How often to look for something new. */
  readonly pollMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Delivers until it is stopped. */
export class Delivery<T> {
  readonly counters = { delivered: 0, refused: 0, failures: 0 };
  readonly #options: DeliveryOptions<T>;
  readonly #stop = new AbortController();
  #wake = new AbortController();
  #limit: number;
  #isDown = false;
  #failuresInARow = 0;
  #refusals = 0;
  readonly #running: Promise<void>;

  constructor(options: DeliveryOptions<T>) {
    this.#options = options;
    this.#limit = options.batchMax ?? BATCH_MAX;
    options.health.add(() => `${options.source.waiting()} ${options.what}`);
    this.#running = this.#run();
  }

  /** The returner's name, what it is given, how much of that waits, and whether the database is away. */
  get state(): {
    readonly name: string;
    readonly what: string;
    readonly waiting: number;
    readonly isDown: boolean;
  } {
    const { name, what, source } = this.#options;
    return { name, what, waiting: source.waiting(), isDown: this.#isDown };
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** There may be something new. */
  wake(): void {
    if (!this.#isDown) this.#wake.abort();
  }

  /** Ends after the write that is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { pollMs, log, name } = this.#options;
    while (!this.#stop.signal.aborted) {
      let pauseMs: number;
      try {
        const batch = this.#options.source.next(this.#limit);
        pauseMs = batch === undefined ? pollMs : await this.#deliver(batch);
      } catch (error) {
        log.error(`What is to be written to ${name} cannot be read here: ${messageOf(error)}`, error);
        pauseMs = this.#backOffMs();
      }
      if (pauseMs > 0) await this.#pause(pauseMs);
    }
  }

  /** @returns how long to wait before the next */
  async #deliver(batch: Batch<T>): Promise<number> {
    const { write } = this.#options;
    if (batch.items.length === 0) {
      batch.done();
      return 0;
    }
    try {
      await write(batch.items);
    } catch (error) {
      return this.#failed(batch, error);
    }
    this.#took(batch.items.length);
    this.#limit = Math.min(this.#options.batchMax ?? BATCH_MAX, this.#limit * 2);
    batch.done();
    return 0;
  }

  #took(count: number): void {
    this.#isDown = false;
    this.#options.health.up(this);
    this.#failuresInARow = 0;
    this.#refusals = 0;
    this.counters.delivered += count;
  }

  async #failed(batch: Batch<T>, error: unknown): Promise<number> {
    const { health } = this.#options;
    const [item] = batch.items;
    this.counters.failures++;
    if (item === undefined || !(await this.#answers(item, error))) {
      if (batch.items.length === 1 && (await this.#takesWhatIsBehind())) return 0;
      health.down(this, error);
      this.#isDown = true;
      // one that is only slow may take less at a time
      this.#limit = Math.max(1, Math.floor(batch.items.length / 2));
      return this.#backOffMs();
    }
    // it answers: something in the batch must be what it does not take
    if (batch.items.length > 1) {
      this.#limit = Math.max(1, Math.floor(batch.items.length / 2));
      return 0;
    }
    if (++this.#refusals < REFUSALS_MAX) return this.#backOffMs();
    this.#leaveOut(item, error);
    this.#refusals = 0;
    this.#failuresInARow = 0;
    batch.done();
    return 0;
  }

  async #answers(item: T, error: unknown): Promise<boolean> {
    const { probe } = this.#options;
    // a database that answers may still take nothing: none of what waits is to be left out for that
    if (error instanceof StoreUnavailableError || probe === undefined) return false;
    try {
      await probe(item);
      return true;
    } catch {
      return false;
    }
  }

  #leaveOut(item: T, error: unknown): void {
    const { log, name, describe } = this.#options;
    log.error(`${name} refuses ${describe(item)}; it is left out: ${messageOf(error)}`, error);
    this.counters.refused++;
  }

  /**
   * For a place that cannot be asked: takes it something that waits behind the first, another one each time, then what
   * stands before that is tried once more, and left out when it is refused even now.
   */
  async #takesWhatIsBehind(): Promise<boolean> {
    const { probe, source, write } = this.#options;
    const turn = this.#failuresInARow - REFUSALS_MAX;
    if (probe !== undefined || turn < 0) return false;
    const batch = source.next(2 + (turn % BEHIND_MAX));
    const last = batch?.items.at(-1);
    if (batch === undefined || last === undefined || batch.items.length < 2) return false;
    try {
      await write([last]);
    } catch {
      return false;
    }
    this.#took(1);
    for (const item of batch.items.slice(0, -1)) {
      try {
        await write([item]);
        this.#took(1);
      } catch (error) {
        this.#leaveOut(item, error);
      }
    }
    batch.done();
    return true;
  }

  /** Longer each time, and random, so that several masters do not come back at once. */
  #backOffMs(): number {
    const limitMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(16, this.#failuresInARow++));
    return Math.max(20, this.#options.random.fraction() * limitMs);
  }

  async #pause(delayMs: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#wake = new AbortController();
    await this.#options.clock.sleep(delayMs, this.#wake.signal);
  }
}
