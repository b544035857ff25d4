/**
 * Whether the token of somebody who listens is still good: asked of the master now and then, however many events there
 * are.
 */
import type { Clock } from '../../host/clock.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { MasterLink } from './master-link.ts';

/** A verdict counts for so long. */
const GOOD_FOR_MS = 5_000;
const TOKENS_MAX = 10_000;

interface Verdict {
  readonly atMs: number;
  /** Whose it is; undefined for one that is not good. */
  user: string | undefined;
  asking: boolean;
}

/** Remembers verdicts. */
export class TokenChecks {
  readonly #link: MasterLink;
  readonly #clock: Clock;
  readonly #verdicts = new BoundedMap<string, Verdict>(TOKENS_MAX);

  constructor(link: MasterLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  /**
   * Asks the master, unless it has been asked just now.
   * @returns whose it is; undefined for one that is not good
   * @throws MasterDownError
   */
  async ask(token: string): Promise<string | undefined> {
    const known = this.#verdicts.get(token);
    if (known !== undefined && this.#isFresh(known)) return known.user;
    const data = await this.#link.tokenData(token, this.#clock.nowMs() / 1000);
    const user = data === undefined ? undefined : pyStr(data.get('name') ?? '');
    this.#verdicts.set(token, { atMs: this.#clock.monotonicMs(), user, asking: false });
    return user;
  }

  /** What is known; the master is asked anew behind it. While it does not answer, what was known counts on. */
  isGood(token: string): boolean {
    const known = this.#verdicts.get(token);
    if (known === undefined) return true;
    if (!this.#isFresh(known) && !known.asking) {
      known.asking = true;
      this.ask(token).catch(() => (known.asking = false));
    }
    return known.user !== undefined;
  }

  #isFresh({ atMs }: Verdict): boolean {
    return this.#clock.monotonicMs() - atMs < GOOD_FOR_MS;
  }
}
