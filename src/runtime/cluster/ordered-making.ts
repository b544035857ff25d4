/**
 * Makes the calls of the cluster's stream on the job cache of this master. They go there as they come, without waiting
 * for each other; but those that write to the same place (a job, or one minion's return of it) are made in the order of
 * the stream, also when the job cache does not take one of them at first. Of two masters that gave the same job id the
 * same one then has it everywhere.
 */
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { firstFields, messageName } from '../../network/ipc/contract.ts';

/**
 * Pauses before a call that this master's job cache did not take is made again; after the last it is given up here, and
 * counted.
 */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 64_000;

/** Who waits for the answer of a call. */
export interface Waiter {
  readonly resolve: (answer: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** What making calls needs. */
export interface OrderedMakingDeps {
  /** Makes a call on the job cache of this master. */
  readonly make: (call: Buffer) => Promise<Buffer>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Pick<Logger, 'error'>;
}

/** See the head of this file. */
export class OrderedMaking {
  /** Calls that were given up. */
  readonly counters = { lost: 0 };
  readonly #deps: OrderedMakingDeps;
  readonly #stopping = new AbortController();
  /** The last call to each place, while it is being made. As many as calls are being made. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(deps: OrderedMakingDeps) {
    this.#deps = deps;
  }

  /** @param waiter is told of the first attempt @returns when it is made, or given up */
  make(call: Buffer, waiter: Waiter | undefined): Promise<void> {
    const place = placeOf(call);
    const before = this.#last.get(place);
    const run = (): Promise<void> => this.#untilTaken(call, waiter);
    const made = before === undefined ? run() : before.then(run);
    this.#last.set(place, made);
    return made.finally(() => {
      if (this.#last.get(place) === made) this.#last.delete(place);
    });
  }

  /** Gives up what the job cache does not take; the next start makes it. */
  stop(): void {
    this.#stopping.abort();
  }

  async #untilTaken(call: Buffer, waiter: Waiter | undefined): Promise<void> {
    const { clock, log, make } = this.#deps;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      try {
        const answer = await make(call);
        return waiter?.resolve(answer);
      } catch (error) {
        // whoever waits tries again by himself; this master must have it all the same
        waiter?.reject(error as Error);
        log.error(`The job cache of this master did not take what the cluster has: ${messageOf(error)}`);
        if (this.#stopping.signal.aborted) return;
        if (pauseMs > LAST_PAUSE_MS) return void this.counters.lost++;
        await clock.sleep(pauseMs, this.#stopping.signal);
      }
    }
  }
}

/** What calls that depend on each other's order have in common: the job, and of a return its minion too. */
function placeOf(call: Buffer): string {
  const name = messageName(call);
  try {
    return firstFields(call, name === 'saveReturn' ? 2 : 1).join(' ');
  } catch {
    return name; // the job cache says what is wrong with it
  }
}
