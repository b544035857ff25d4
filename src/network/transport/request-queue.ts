/**
 * The client end of the request channel over any connection that carries several requests at once: requests wait until
 * it stands, replies find their request in whatever order they come, a lost connection is made anew with a random wait.
 */
import { UnreachableError } from '../../errors/errors.ts';
import type { Timer } from '../../host/clock.ts';
import { addressText, type Address } from './address.ts';
import type { RequestClient, RequestClientOptions } from './transport.ts';

/** A connection that carries requests by number. */
export interface RequestLink {
  send(id: number, body: Buffer): void;
  /** Told that a request which was sent got no reply in time. */
  timedOut?(id: number): void;
  destroy(): void;
}

/** What a connection tells. */
export interface RequestLinkEvents {
  ready(): void;
  reply(id: number, body: Buffer): void;
  /** Called exactly once. */
  closed(error: Error | undefined): void;
}

/** Makes a connection. @param isAwaiting whether replies are awaited */
export type OpenRequestLink = (
  address: Address,
  events: RequestLinkEvents,
  isAwaiting: () => boolean,
) => RequestLink | Promise<RequestLink>;

interface Pending {
  readonly body: Buffer;
  readonly resolve: (reply: Buffer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: Timer;
  sent: boolean;
}

/** Queues requests, matches replies to them and makes lost connections anew. */
export class RequestQueue implements RequestClient {
  readonly #options: RequestClientOptions;
  readonly #openLink: OpenRequestLink;
  readonly #pending = new Map<number, Pending>();
  #link: RequestLink | undefined;
  #ready = false;
  #connecting = false;
  #failures = 0;
  #nextId = 1;
  #closed = false;
  #lastError: Error | undefined;
  #retry: Timer | undefined;
  #target = 'the master';

  constructor(options: RequestClientOptions, openLink: OpenRequestLink) {
    this.#options = options;
    this.#openLink = openLink;
  }

  get isConnected(): boolean {
    return this.#ready;
  }

  open(): void {
    void this.#connect();
  }

  request(body: Buffer, timeoutMs: number): Promise<Buffer> {
    if (this.#closed) return Promise.reject(new UnreachableError('The request channel is closed.'));
    if (this.#pending.size >= this.#options.pendingMax) {
      return Promise.reject(
        new UnreachableError(`${this.#pending.size} requests are waiting already; this one was not sent.`),
      );
    }
    return new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId = (this.#nextId + 1) >>> 0;
      const timer = this.#options.clock.after(timeoutMs, () => this.#timedOut(id, timeoutMs));
      this.#pending.set(id, { body, resolve, reject, timer, sent: false });
      if (this.#ready) this.#send(id);
      else void this.#connect();
    });
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#link?.destroy();
    this.#failAll(() => true, new UnreachableError('The request channel was closed.'));
  }

  #timedOut(id: number, timeoutMs: number): void {
    const pending = this.#take(id);
    const reason = this.#lastError && !this.#ready ? ` (${this.#lastError.message})` : '';
    const seconds = Math.round(timeoutMs / 100) / 10;
    pending?.reject(new UnreachableError(`No reply from ${this.#target} within ${seconds} s${reason}.`));
    if (pending?.sent) this.#link?.timedOut?.(id);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.timer.cancel();
    return pending;
  }

  #send(id: number): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.sent = true;
    this.#link?.send(id, pending.body);
  }

  async #connect(): Promise<void> {
    if (this.#connecting || this.#closed || this.#retry !== undefined) return;
    this.#connecting = true;
    try {
      const address = await this.#options.address();
      this.#target = addressText(address);
      if (this.#closed) return;
      const link = await this.#openLink(
        address,
        {
          ready: () => this.#onReady(),
          reply: (id, body) => this.#take(id)?.resolve(body),
          closed: (error) => this.#onClosed(error),
        },
        () => this.#pending.size > 0,
      );
      this.#link = link;
      if (this.#closed) link.destroy();
    } catch (error) {
      this.#onClosed(error as Error);
    }
  }

  #onReady(): void {
    this.#ready = true;
    this.#failures = 0;
    for (const [id, pending] of this.#pending) if (!pending.sent) this.#send(id);
  }

  #onClosed(error: Error | undefined): void {
    this.#lastError = error ?? new Error('the connection was closed');
    this.#ready = false;
    this.#connecting = false;
    this.#link = undefined;
    const why = error === undefined ? '' : ` (${error.message})`;
    const lost = new UnreachableError(
      `The connection to ${this.#target} was lost before the reply came${why}.`,
      { cause: error },
    );
    this.#failAll((pending) => pending.sent, lost);
    if (this.#closed || this.#pending.size === 0) return;
    const { min, max } = this.#options.reconnectMs;
    const limit = Math.min(max, min * 2 ** Math.min(this.#failures++, 16));
    this.#retry = this.#options.clock.after(this.#options.random.fraction() * limit, () => {
      this.#retry = undefined;
      void this.#connect();
    });
  }

  #failAll(which: (pending: Pending) => boolean, error: Error): void {
    for (const [id, pending] of this.#pending) {
      if (which(pending)) this.#take(id)?.reject(error);
    }
  }
}
