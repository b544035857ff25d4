/** Names of Slack's people or channels by id, asked for when one is missing, and no more often than Slack bears. */
import type { Clock } from '../../../host/clock.ts';

/** Slack answers such lists some twenty times a minute; a stranger who writes a lot must not use that up. */
const ASK_AGAIN_MS = 60_000;

/** A list of names that is asked for anew when an id is not in it, at most once a minute. */
export class SlackNames {
  readonly #ask: () => Promise<Map<string, string>>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #names = new Map<string, string>();
  #underWay: Promise<void> | undefined;
  #askedAtMs = -Infinity;

  /** @param ask for all names; those of the last answer stay when it fails */
  constructor(ask: () => Promise<Map<string, string>>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** The name, or undefined when Slack's last answer has none. @throws what asking throws */
  async nameOf(id: string): Promise<string | undefined> {
    if (id !== '' && !this.#names.has(id)) await this.#refresh();
    return this.#names.get(id);
  }

  #refresh(): Promise<void> {
    if (this.#underWay !== undefined) return this.#underWay;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#askedAtMs < ASK_AGAIN_MS) return Promise.resolve();
    this.#askedAtMs = nowMs;
    this.#underWay = this.#ask()
      .then((names) => void (this.#names = names))
      .finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }
}
