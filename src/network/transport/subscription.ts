/** A subscription that is made anew whenever its connection is lost, after a random wait below a limit that doubles. */
import type { Timer } from '../../host/clock.ts';
import type { Address } from './address.ts';
import type { PublishClient, PublishClientEvents, PublishClientOptions } from './transport.ts';

/** A connection to a publisher. */
export interface SubscriptionLink {
  destroy(): void;
}

/** What a connection tells. */
export interface SubscriptionLinkEvents {
  /** Publications may come from now on. */
  ready(): void;
  message(parts: Buffer[]): void;
  /** Called exactly once. */
  closed(error: Error | undefined): void;
}

/** Makes a connection. */
export type OpenSubscriptionLink = (
  address: Address,
  events: SubscriptionLinkEvents,
) => SubscriptionLink | Promise<SubscriptionLink>;

/** Keeps a subscription alive over lost connections. */
export class Subscription implements PublishClient {
  readonly #options: PublishClientOptions;
  readonly #openLink: OpenSubscriptionLink;
  readonly #events: PublishClientEvents;
  #link: SubscriptionLink | undefined;
  #retry: Timer | undefined;
  #attempts = 0;
  #closed = false;

  constructor(options: PublishClientOptions, events: PublishClientEvents, openLink: OpenSubscriptionLink) {
    this.#options = options;
    this.#events = events;
    this.#openLink = openLink;
  }

  start(): void {
    void this.#connect();
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#link?.destroy();
  }

  async #connect(): Promise<void> {
    try {
      const address = await this.#options.address();
      if (this.#closed) return;
      const link = await this.#openLink(address, {
        ready: () => {
          this.#attempts = 0;
          this.#events.connected();
        },
        message: (parts) => this.#events.message(parts),
        closed: (error) => this.#onClosed(error),
      });
      this.#link = link;
      if (this.#closed) link.destroy();
    } catch (error) {
      this.#onClosed(error as Error);
    }
  }

  #onClosed(error: Error | undefined): void {
    this.#link = undefined;
    if (this.#closed) return;
    this.#events.disconnected(error);
    this.#retry = this.#options.clock.after(this.#nextWaitMs(), () => void this.#connect());
  }

  #nextWaitMs(): number {
    const { defaultMs, maxMs, randomize } = this.#options.reconnect;
    const limit = Math.min(Math.max(defaultMs, maxMs), defaultMs * 2 ** Math.min(this.#attempts++, 16));
    return randomize ? this.#options.random.fraction() * limit : limit;
  }
}
