/** The master's event bus, read once for all who listen through the API. */
import { masterSockets } from '../../config/master-sockets.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { EventBusReader } from '../../network/events/bus-client.ts';
import type { BusEvent } from '../../network/events/framing.ts';

const RECONNECT_MS = 100;

/** Somebody who listens. */
interface Listener {
  readonly wants: (tag: string) => boolean;
  readonly take: (event: BusEvent) => void;
  /** Told when the bus has gone away and events may be missed. */
  readonly gap: (() => void) | undefined;
}

/** What reading needs. */
export interface BusFeedDeps {
  readonly opts: MasterOptions;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Hands events to listeners. It is connected as long as there are any, and comes back by itself. */
export class BusFeed {
  readonly #deps: BusFeedDeps;
  readonly #listeners = new Set<Listener>();
  #reader: EventBusReader | undefined;
  #connecting: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(deps: BusFeedDeps) {
    this.#deps = deps;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /**
   * Begins to listen; what happens from the moment on that this resolves is heard.
   * @returns ends it
   * @throws UnreachableError when there is no bus
   */
  async listen(wants: Listener['wants'], take: Listener['take'], gap?: () => void): Promise<() => void> {
    const listener = { wants, take, gap };
    this.#listeners.add(listener);
    const stop = (): void => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#reader?.close();
      this.#reader = undefined;
    };
    try {
      if (this.#reader === undefined) await (this.#connecting ??= this.#connect());
      return stop;
    } catch (error) {
      stop();
      throw error;
    }
  }

  close(): void {
    this.#closed.abort();
    this.#listeners.clear();
    this.#reader?.close();
  }

  async #connect(): Promise<void> {
    try {
      this.#reader = await EventBusReader.connect(
        masterSockets(this.#deps.opts).eventPub,
        (tag) => this.#isWanted(tag),
        (event) => this.#hand(event),
        () => void this.#lost(),
      );
    } finally {
      this.#connecting = undefined;
    }
  }

  #isWanted(tag: string): boolean {
    for (const { wants } of this.#listeners) if (wants(tag)) return true;
    return false;
  }

  #hand(event: BusEvent): void {
    for (const { wants, take } of this.#listeners) if (wants(event.tag)) take(event);
  }

  async #lost(): Promise<void> {
    this.#reader = undefined;
    this.#deps.log.info('The event bus of the master has gone away; the API looks for it again.');
    for (const { gap } of this.#listeners) gap?.();
    while (this.#listeners.size > 0 && !this.#closed.signal.aborted) {
      try {
        await (this.#connecting ??= this.#connect());
        return;
      } catch {
        await this.#deps.clock.sleep(RECONNECT_MS, this.#closed.signal);
      }
    }
  }
}
