/** The minion's end of the publish port: stays subscribed through restarts, lost networks and half-open connections. */
import { connect } from 'node:net';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import { connectOptions, type Address } from '../address.ts';
import { ZmtpConnection } from './connection.ts';

/** How the subscriber behaves. */
export interface SubscriberOptions {
  /** Asked anew at each attempt, because names change. */
  readonly address: () => Address | Promise<Address>;
  /** Topic prefixes; one empty prefix is everything. */
  readonly topics: readonly string[];
  /** What our READY says of us, asked for at each attempt. */
  readonly properties?: () => ReadonlyMap<string, Buffer>;
  readonly messageBytesMax: number;
  readonly keepAliveMs?: number;
  readonly heartbeatMs?: number;
  /** Salt's `recon_default`, `recon_max`, `recon_randomize`. */
  readonly reconnect: { readonly defaultMs: number; readonly maxMs: number; readonly randomize: boolean };
  readonly clock: Clock;
  readonly random: Random;
}

/** What the subscriber tells its owner. */
export interface SubscriberEvents {
  connected(): void;
  /** The connection is gone (or could not be made); another attempt follows by itself. */
  disconnected(error: Error | undefined): void;
  /** Slices of the receive buffer: copy what outlives the call. */
  message(parts: Buffer[]): void;
}

/** A SUB socket. */
export class Subscriber {
  readonly #options: SubscriberOptions;
  readonly #events: SubscriberEvents;
  #connection: ZmtpConnection | undefined;
  #retry: Timer | undefined;
  #attempts = 0;
  #closed = false;

  constructor(options: SubscriberOptions, events: SubscriberEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Begins connecting, and never stops trying until closed. */
  start(): void {
    void this.#connect();
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#connection?.destroy();
  }

  async #connect(): Promise<void> {
    const { messageBytesMax, clock, heartbeatMs, keepAliveMs, properties } = this.#options;
    try {
      const address = await this.#options.address();
      if (this.#closed) return;
      this.#connection = new ZmtpConnection(
        connect(connectOptions(address, keepAliveMs)),
        {
          type: 'SUB',
          messageBytesMax,
          clock,
          ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
          ...(properties === undefined ? {} : { properties: properties() }),
        },
        {
          ready: (connection) => this.#onReady(connection),
          message: (_connection, parts) => this.#events.message(parts),
          closed: (_connection, error) => this.#onClosed(error),
        },
      );
    } catch (error) {
      this.#onClosed(error as Error);
    }
  }

  #onReady(connection: ZmtpConnection): void {
    this.#attempts = 0;
    for (const topic of this.#options.topics) connection.send([Buffer.from(`\x01${topic}`, 'latin1')]);
    this.#events.connected();
  }

  #onClosed(error: Error | undefined): void {
    this.#connection = undefined;
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
