/**
 * Guessing made slow. Every log-in that fails takes the same time, whatever the reason (salt/auth/__init__.py
 * `time_auth`, 3006.16: a second, a quarter more or less). Beyond Salt: log-ins under one name wait for each other, so
 * that guesses cannot be made side by side, each further failure takes longer, and an address that has failed often
 * waits as names do. Addresses of this machine are not counted: everybody who comes through a program on it, such as an
 * API, would share one.
 *
 * A stranger who guesses at a name must not keep out whoever has it: those of this machine, and those who have logged
 * in from their address before, wait apart from him, and all others have their turns address by address.
 */
import { BoundedMap } from '../../../host/bounded-map.ts';
import type { Clock } from '../../../host/clock.ts';
import { LaneFullError, Lanes } from '../../../host/lanes.ts';
import type { Random } from '../../../host/random.ts';
import { addressGroup, isLoopback } from '../../../network/transport/address-group.ts';
import { addressOf } from './audit.ts';

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
/**
 * Log-ins at a time in one worker: of this machine and of those who are known, of all others, and of one address of
 * these.
 */
const KNOWN_UNDER_WAY_MAX = 500;
const UNDER_WAY_MAX = 500;
const ADDRESS_UNDER_WAY_MAX = 50;
/** From where which names have logged in; the longest silent are forgotten. */
const KNOWN_MAX = 10_000;

/** Who sends a log-in. */
export interface Asker {
  /** His address and port. */
  readonly from: string;
  /** For whom a program of this machine says that it asks; from elsewhere that says nothing. */
  readonly client?: string;
}

/** By what a log-in is counted, and beside whom it waits. */
interface Keys {
  /** Whose turns it waits for, and whose failures make it slow. */
  readonly lane: string;
  /** Undefined for this machine. */
  readonly address: string | undefined;
  /** Of this machine, or of an address from which this name has logged in. */
  readonly isKnown: boolean;
  readonly pair: string;
}

/** Under which those are counted who wait apart from strangers. */
const KNOWN = 'known';

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/**
 * Counts failures and makes them slow. Each worker has one; the request server hands all log-ins to the same worker as
 * long as it is well.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #isOwn: (address: string) => boolean;
  readonly #known = new BoundedMap<string, true>(KNOWN_MAX);
  readonly #failures = new BoundedMap<string, Failures>(COUNTED_MAX);
  readonly #lanes = new Lanes(WAITING_MAX, LANES_MAX);
  readonly #underWay = new Map<string, number>();
  #strangersUnderWay = 0;
  #slowestMs = BASE_MS;

  /** @param isOwn whether an address is one of this machine's: programs reach the master at the one it listens on */
  constructor(clock: Clock, random: Random, isOwn: (address: string) => boolean = () => false) {
    this.#clock = clock;
    this.#random = random;
    this.#isOwn = isOwn;
  }

  /**
   * Lets a log-in be checked, in its turn.
   * @param name what is guessed at: a user of an authentication system
   * @param check undefined when it fails
   * @throws LaneFullError when too many are waiting already
   */
  async attempt<T>(name: string, asker: Asker, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const keys = this.#keysOf(name, asker);
    const { lane, address, isKnown } = keys;
    const inTurn = (): Promise<T | undefined> =>
      this.#lanes.run(lane, () => this.#timed(keys, check), { source: address });
    return this.#admitted(isKnown || address === undefined ? KNOWN : address, () =>
      address !== undefined && !isKnown && this.#count(address) > ADDRESS_FAILURES
        ? this.#lanes.run(address, inTurn)
        : inTurn(),
    );
  }

  #keysOf(login: string, { from, client = '' }: Asker): Keys {
    const sender = addressOf(from);
    const address = client !== '' && this.#isHere(sender) ? client : sender;
    const group = addressGroup(address);
    const name = `name ${login}`;
    const pair = `${name} from ${group}`;
    if (this.#isHere(address)) return { lane: `${name} from here`, address: undefined, isKnown: true, pair };
    const isKnown = this.#known.get(pair) === true;
    return { lane: isKnown ? pair : name, address: `address ${group}`, isKnown, pair };
  }

  #isHere(address: string): boolean {
    return address === 'local' || isLoopback(address) || this.#isOwn(address);
  }

  /** Bounds what is under way: each takes memory, and a place among the requests that the master works on. */
  async #admitted<T>(key: string, run: () => Promise<T>): Promise<T> {
    const his = this.#underWay.get(key) ?? 0;
    const isFull =
      key === KNOWN
        ? his >= KNOWN_UNDER_WAY_MAX
        : his >= ADDRESS_UNDER_WAY_MAX || this.#strangersUnderWay >= UNDER_WAY_MAX;
    if (isFull) throw new LaneFullError('Too many log-ins are under way.');
    const count = (by: number): void => {
      const now = (this.#underWay.get(key) ?? 0) + by;
      if (now > 0) this.#underWay.set(key, now);
      else this.#underWay.delete(key);
      if (key !== KNOWN) this.#strangersUnderWay += by;
    };
    count(1);
    try {
      return await run();
    } finally {
      count(-1);
    }
  }

  async #timed<T>(keys: Keys, check: () => Promise<T | undefined>): Promise<T | undefined> {
    const startMs = this.#clock.monotonicMs();
    const found = await check();
    if (found !== undefined) {
      this.#failures.delete(keys.lane);
      if (keys.address !== undefined) this.#known.set(keys.pair, true);
      return found;
    }
    const tookMs = this.#clock.monotonicMs() - startMs;
    this.#slowestMs = Math.min(DELAY_MAX_MS, Math.max(this.#slowestMs, tookMs));
    const failures = Math.max(this.#add(keys.lane), this.#add(keys.address) - ADDRESS_FAILURES);
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
