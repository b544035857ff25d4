/**
 * Guessing made slow. Every log-in that fails takes the same time, whatever the reason (salt/auth/__init__.py `time_auth`, 3006.16: a
 * second, a quarter more or less). Beyond Salt: log-ins under one name wait for each other, so that guesses cannot be made side by
 * side, each further failure takes longer, and an address that has failed often waits as names do. Addresses of this machine are not
 * counted: everybody who comes through a program on it, such as an API, would share one.
 */
import { BoundedMap } from '../../../host/bounded-map.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Random } from '../../../host/random.ts';
import { addressOf } from './audit.ts';
import { LaneFullError, Lanes } from './lanes.ts';

/** What a failure takes at least, give or take a quarter. */
const BASE_MS = 1000;
/** The command line waits for its reply; what takes longer would look like a master that is away. */
const DELAY_MAX_MS = 4000;
/** Failures before they take longer. */
const FREE_FAILURES = 3;
/** Failures of an address before it waits in a lane of its own. */
const ADDRESS_FAILURES = 10;
/** Failures are forgotten after this long without another one. */
const FORGET_MS = 10 * 60_000;
/** Names and addresses whose failures are counted; the longest silent are forgotten. */
const COUNTED_MAX = 10_000;
const WAITING_MAX = 100;
const LANES_MAX = 2000;
/** Log-ins at a time in one worker, and from one address. */
const UNDER_WAY_MAX = 500;
const ADDRESS_UNDER_WAY_MAX = 50;

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** Counts failures and makes them slow. Each worker has one; the request server hands all log-ins to the same worker as long as it is well. */
export class Throttle {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #failures = new BoundedMap<string, Failures>(COUNTED_MAX);
  readonly #lanes = new Lanes(WAITING_MAX, LANES_MAX);
  readonly #underWay = new Map<string, number>();
  #allUnderWay = 0;
  #slowestMs = BASE_MS;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Lets a log-in be checked, in its turn.
   * @param name what is guessed at: a user of an authentication system
   * @param check undefined when it fails
   * @throws LaneFullError when too many are waiting already
   */
  async attempt<T>(name: string, from: string, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const address = addressOf(from);
    const keys = {
      name: `name ${name}`,
      address: isOfThisMachine(address) ? undefined : `address ${address}`,
    };
    const inTurn = (): Promise<T | undefined> => this.#lanes.run(keys.name, () => this.#timed(keys, check));
    return this.#admitted(keys.address, () =>
      keys.address !== undefined && this.#count(keys.address) > ADDRESS_FAILURES
        ? this.#lanes.run(keys.address, inTurn)
        : inTurn(),
    );
  }

  /** Bounds what is under way: each takes memory, and a place among the requests that the master works on. */
  async #admitted<T>(address: string | undefined, run: () => Promise<T>): Promise<T> {
    const here = address === undefined ? 0 : (this.#underWay.get(address) ?? 0);
    if (this.#allUnderWay >= UNDER_WAY_MAX || here >= ADDRESS_UNDER_WAY_MAX)
      throw new LaneFullError('Too many log-ins are under way.');
    this.#allUnderWay++;
    if (address !== undefined) this.#underWay.set(address, here + 1);
    try {
      return await run();
    } finally {
      this.#allUnderWay--;
      const left = address === undefined ? 0 : (this.#underWay.get(address) ?? 1) - 1;
      if (address !== undefined && left > 0) this.#underWay.set(address, left);
      else if (address !== undefined) this.#underWay.delete(address);
    }
  }

  async #timed<T>(
    keys: { readonly name: string; readonly address: string | undefined },
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const startMs = this.#clock.monotonicMs();
    const found = await check();
    if (found !== undefined) {
      this.#failures.delete(keys.name);
      return found;
    }
    const tookMs = this.#clock.monotonicMs() - startMs;
    this.#slowestMs = Math.min(DELAY_MAX_MS, Math.max(this.#slowestMs, tookMs));
    const failures = Math.max(this.#add(keys.name), this.#add(keys.address) - ADDRESS_FAILURES);
    const growth = 2 ** Math.max(0, Math.min(failures - FREE_FAILURES, 4));
    const wholeMs = Math.min(DELAY_MAX_MS, this.#slowestMs * (0.75 + this.#random.fraction() / 2) * growth);
    await this.#clock.sleep(Math.max(0, wholeMs - tookMs));
    return undefined;
  }

  #count(key: string): number {
    const found = this.#failures.get(key);
    if (found === undefined) return 0;
    if (this.#clock.monotonicMs() - found.lastMs <= FORGET_MS) return found.count;
    this.#failures.delete(key);
    return 0;
  }

  #add(key: string | undefined): number {
    if (key === undefined) return 0;
    const count = this.#count(key) + 1;
    this.#failures.set(key, { count, lastMs: this.#clock.monotonicMs() });
    return count;
  }
}

function isOfThisMachine(address: string): boolean {
  return /^(\[?::1\]?|(::ffff:)?127\.\d+\.\d+\.\d+|local)$/.test(address);
}
