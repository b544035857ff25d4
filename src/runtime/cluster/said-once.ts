/**
 * What members say on a subject that keeps nothing is believed once: each of their messages has a number in the run of
 * its process, and the time. One that somebody has recorded on NATS and sends again has a number that was heard, or
 * another time.
 */
import type { Clock } from '../../host/clock.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import type { Random } from '../../host/random.ts';

/** How far the clocks of two masters may be apart, with the time that a message takes on its way. */
export const APART_MS = 15_000;
/** Runs of processes whose last number is remembered: of more members than a cluster has. */
const RUNS_MAX = 1_000;
const RUN_BYTES = 8;

/** What is said when a stream has a message that no member has put there now. @param what whose newest state it was */
export function displacedText(what: string): string {
  return (
    `Somebody has written an old or a foreign message in place of the newest state of ${what} to the cluster's streams. It is not ` +
    'believed, and the newest state is put back. See who else may write to the NATS servers, and give them other credentials.'
  );
}

/** Whether a time of another master is one of the present here. */
export function isPresent(atMs: Value | undefined, clock: Clock): atMs is number {
  return typeof atMs === 'number' && Math.abs(atMs - clock.nowMs()) <= APART_MS;
}

/** Numbers what this process says. */
export class Numbered {
  readonly #run: string;
  readonly #clock: Clock;
  #number = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#run = random.bytes(RUN_BYTES).toString('hex');
  }

  /** A message with its marks. */
  marked(fields: Readonly<Record<string, Value>>): Dict {
    return dict({ ...fields, run: this.#run, number: ++this.#number, atMs: this.#clock.nowMs() });
  }
}

/** Remembers what was heard. */
export class HeardOnce {
  /** Messages that were heard before, or were not of the present. */
  readonly counters = { again: 0 };
  readonly #clock: Clock;
  readonly #last = new BoundedMap<string, number>(RUNS_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes note of a message. Those of one run come in their order.
   * @returns false for one that is not to be believed
   */
  isNew(message: Dict): boolean {
    const [run, number, atMs] = ['run', 'number', 'atMs'].map((name) => message.get(name));
    if (
      typeof run === 'string' &&
      typeof number === 'number' &&
      isPresent(atMs, this.#clock) &&
      number > (this.#last.get(run) ?? 0)
    ) {
      this.#last.set(run, number);
      return true;
    }
    this.counters.again++;
    return false;
  }
}
