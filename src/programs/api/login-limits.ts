/**
 * Guessing over HTTP is made slow here, too, because to the master all log-ins through the API come from this machine:
 * an address, and a name from one address or from many, may fail so often within some minutes, and is refused then
 * without asking the master.
 */
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { addressGroup, isLoopback } from '../../network/transport/address-group.ts';
import { HttpFault } from './http-fault.ts';
import type { Proxies } from './proxies.ts';

const WINDOW_MS = 5 * 60_000;
/** Failures within that time: of one address, of a name from one address, of a name from anywhere. */
const LIMITS = { address: 50, pair: 10, name: 200 } as const;
/** Tokens that one name may have made within that time: each is a file of the master. */
const TOKENS_MAX = 1_000;
const COUNTED_MAX = 20_000;
/** From where which names have logged in. */
const GOOD_MAX = 10_000;

interface Count {
  readonly sinceMs: number;
  /** Failures, and what is under way and may become one. */
  count: number;
}

/** Counts log-ins that fail. */
export class LoginLimits {
  readonly #counts = new BoundedMap<string, Count>(COUNTED_MAX);
  readonly #good = new BoundedMap<string, true>(GOOD_MAX);
  readonly #clock: Clock;
  readonly #proxies: Pick<Proxies, 'has'>;
  /** Log-ins refused without asking the master. */
  refused = 0;

  /** @param proxies that say whose a request is: where one of this machine is named, its address is nobody else's */
  constructor(clock: Clock, proxies: Pick<Proxies, 'has'> = { has: () => false }) {
    this.#clock = clock;
    this.#proxies = proxies;
  }

  /**
   * Makes one attempt.
   * @param address who asks
   * @param name whom he says he is: a {@link loginKey}
   * @param isFailure tells a wrong password among what `attempt` throws
   * @throws HttpFault 429 when there were too many failures
   */
  async attempt<T>(
    address: string,
    name: string,
    attempt: () => Promise<T>,
    isFailure: (error: unknown) => boolean,
  ): Promise<T> {
    const group = addressGroup(address);
    const counts = this.#countsOf(group, name);
    for (const { count, limit } of counts) if (count.count >= limit) this.#refuse(count);
    for (const { count } of counts) count.count++;
    let failed = false;
    try {
      const done = await attempt();
      if (!this.#isShared(group)) this.#good.set(pairOf(group, name), true);
      return done;
    } catch (error) {
      failed = isFailure(error);
      throw error;
    } finally {
      if (!failed) for (const { count } of counts) count.count--;
    }
  }

  /** @throws HttpFault 429 when a name has had too many tokens made */
  requireFewTokens(name: string): void {
    const count = this.#current(`tokens ${name}`);
    if (count.count >= TOKENS_MAX) this.#refuse(count, 'log-ins of this name');
  }

  /** A token was made. */
  madeToken(name: string): void {
    this.#current(`tokens ${name}`).count++;
  }

  #countsOf(address: string, name: string): { count: Count; limit: number }[] {
    const pair = pairOf(address, name);
    const keys: [string, number][] = [];
    // whoever has logged in from there before is not kept out by what strangers do elsewhere
    if (this.#good.get(pair) === undefined) keys.push([`name ${name}`, LIMITS.name]);
    // whoever shares an address with everybody would keep out everybody else
    if (!this.#isShared(address)) keys.push([pair, LIMITS.pair], [`address ${address}`, LIMITS.address]);
    return keys.map(([key, limit]) => ({ count: this.#current(key), limit }));
  }

  #current(key: string): Count {
    const nowMs = this.#clock.monotonicMs();
    const found = this.#counts.get(key);
    if (found !== undefined && nowMs - found.sinceMs < WINDOW_MS) return found;
    const fresh = { sinceMs: nowMs, count: 0 };
    this.#counts.set(key, fresh);
    return fresh;
  }

  /** Behind a proxy on this machine that nobody has named, everybody has its address. */
  #isShared(address: string): boolean {
    return isLoopback(address) && !this.#proxies.has(address);
  }

  #refuse({ sinceMs }: Count, what = 'log-ins that failed'): never {
    this.refused++;
    const seconds = Math.max(1, Math.ceil((sinceMs + WINDOW_MS - this.#clock.monotonicMs()) / 1000));
    throw new HttpFault(429, `Too many ${what} within five minutes. Try again in ${seconds} seconds.`, [
      ['Retry-After', String(seconds)],
    ]);
  }
}

function pairOf(address: string, name: string): string {
  return `pair ${address} ${name}`;
}
