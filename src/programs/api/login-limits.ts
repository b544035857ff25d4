/**
 * Guessing over HTTP is made slow here, too, because to the master all log-ins through the API come from this machine: an address, and a
 * name from one address or from many, may fail so often within some minutes, and is refused then without asking the master.
 */
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { HttpFault } from './http-fault.ts';

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
  /** Log-ins refused without asking the master. */
  refused = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
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
    const counts = this.#countsOf(groupOf(address), name);
    for (const { count, limit } of counts) if (count.count >= limit) this.#refuse(count);
    for (const { count } of counts) count.count++;
    let failed = false;
    try {
      const done = await attempt();
      if (!isLoopback(address)) this.#good.set(pairOf(address, name), true);
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
    // behind a proxy on this machine everybody has its address, and would keep out everybody else
    if (!isLoopback(address)) keys.push([pair, LIMITS.pair], [`address ${address}`, LIMITS.address]);
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

/** Whoever has one IPv6 address has the network around it. */
function groupOf(address: string): string {
  if (!address.includes(':') || address.includes('.') || isLoopback(address)) return address;
  return address.split(':').slice(0, 4).join(':');
}

/** True for this machine's own addresses. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
