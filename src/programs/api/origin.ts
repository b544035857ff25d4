/**
 * Pages of other origins. Salt echoes every origin, and lets its pages use the cookie of whoever looks at them. Here a
 * request of a foreign page has no session by cookie, unless `cors_origin` names the origin; a page that sends a token
 * of its own is served as by Salt.
 */
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import type { Exchange } from './exchange.ts';

const METHODS: readonly string[] = ['GET', 'POST'];

/** Decides about origins. */
export class Origins {
  /** `cors_origin`; undefined when it is not set. */
  readonly #allowed: ReadonlySet<string> | undefined;

  constructor(corsOrigin: Value) {
    const list = Array.isArray(corsOrigin) ? corsOrigin : corsOrigin === null ? [] : [corsOrigin];
    this.#allowed = list.length === 0 ? undefined : new Set(list.map((origin) => pyStr(origin)));
  }

  /**
   * Whether a cookie counts: the request comes from no page, from one of ours, or from one of an origin that is named.
   */
  mayUseCookie(exchange: Exchange): boolean {
    const origin = exchange.header('origin');
    if (origin === undefined) {
      const site = exchange.header('sec-fetch-site');
      return site === undefined || site === 'same-origin' || site === 'none';
    }
    if (this.#allowed?.has(origin) === true) return true;
    return hostOf(origin) === exchange.header('host');
  }

  /** Whether an answer may begin or end a session in the browser that asks: no page of another origin is to do that. */
  mayKeepSession(exchange: Exchange): boolean {
    return exchange.isProvenBrowser || this.mayUseCookie(exchange);
  }

  /** Adds the headers by which a browser lets a foreign page see the answer. */
  describe(exchange: Exchange): void {
    const origin = exchange.header('origin');
    if (this.#allowed !== undefined && origin !== undefined && !this.#lets(origin)) return;
    exchange.set('Access-Control-Allow-Origin', origin ?? '*');
    exchange.set('Access-Control-Expose-Headers', 'GET, POST');
    exchange.set('Access-Control-Allow-Credentials', 'true');
    if (exchange.method === 'OPTIONS') this.#describeMethods(exchange);
  }

  #describeMethods(exchange: Exchange): void {
    const method = exchange.header('access-control-request-method');
    if (method === undefined || !METHODS.includes(method)) return;
    exchange.set('Access-Control-Allow-Methods', METHODS.join(', '));
    exchange.set('Access-Control-Allow-Headers', 'Content-Type, X-Auth-Token, X-Requested-With');
    exchange.set('Access-Control-Max-Age', '1400');
  }

  #lets(origin: string): boolean {
    return this.#allowed?.has('*') === true || this.#allowed?.has(origin) === true;
  }
}

function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
}
