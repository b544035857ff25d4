/**
 * What one connection, and one address, may hold: whoever asks for much and takes nothing of it is cut off, and one
 * address does not take all connections there are. Readers of events have a limit of their own (event-streams.ts),
 * which binds much sooner.
 */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { PacedConnection } from '../../network/http/paced-connection.ts';
import { addressGroup, isLoopback } from '../../network/transport/address-group.ts';
import type { Proxies } from './proxies.ts';

/**
 * Connections at a time, and those of one address; behind a proxy on this machine everybody has its address, which has
 * no limit.
 */
export const CONNECTIONS_MAX = 10_000;
const OF_ADDRESS_MAX = 2_000;
/** Within this time a client takes at least so many bytes of what waits for him. */
const LOOK_MS = 30_000;
const TAKEN_BYTES_MIN = 4_096;

/** Where a connection stood when it was last looked at. */
interface Progress {
  takenBytes: number;
  wasWaiting: boolean;
}

/** Watches all connections of a server. */
export class Connections {
  readonly counters = { cutOff: 0, refused: 0 };
  readonly #proxies: Pick<Proxies, 'has'>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #open = new Map<PacedConnection, Progress>();
  readonly #byAddress = new Map<string, number>();
  #looking: { cancel(): void } | undefined;

  /** @param proxies that bring the connections of many */
  constructor(proxies: Pick<Proxies, 'has'>, clock: Clock, log: Logger) {
    this.#proxies = proxies;
    this.#clock = clock;
    this.#log = log;
  }

  get size(): number {
    return this.#open.size;
  }

  /** A connection has been made. It is ended at once when its address has too many. @returns whether it may stay */
  add(connection: PacedConnection): boolean {
    const address = addressGroup(connection.remoteAddress);
    const count = (this.#byAddress.get(address) ?? 0) + 1;
    if (count > OF_ADDRESS_MAX && !isLoopback(address) && !this.#proxies.has(connection.remoteAddress)) {
      this.counters.refused++;
      this.#log.warning(
        `${address} has ${OF_ADDRESS_MAX} connections and gets no more (${this.counters.refused} refused so far).`,
      );
      connection.destroy();
      return false;
    }
    this.#byAddress.set(address, count);
    this.#open.set(connection, { takenBytes: 0, wasWaiting: false });
    connection.on('close', () => this.#remove(connection, address));
    this.#looking ??= this.#clock.every(LOOK_MS, () => this.#look());
    return true;
  }

  close(): void {
    this.#looking?.cancel();
    this.#looking = undefined;
  }

  #remove(connection: PacedConnection, address: string): void {
    this.#open.delete(connection);
    const left = (this.#byAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
    if (this.#open.size === 0) this.close();
  }

  #look(): void {
    for (const [connection, progress] of this.#open) {
      const { writableLength: waitingBytes, takenBytes } = connection;
      const isWaiting = waitingBytes > 0;
      const isStalled =
        isWaiting && progress.wasWaiting && takenBytes - progress.takenBytes < TAKEN_BYTES_MIN;
      progress.takenBytes = takenBytes;
      progress.wasWaiting = isWaiting;
      if (isStalled) this.#cutOff(connection, waitingBytes);
    }
  }

  #cutOff(connection: PacedConnection, waitingBytes: number): void {
    this.counters.cutOff++;
    this.#log.warning(
      `The connection of ${connection.remoteAddress} was cut off: it does not take the ${waitingBytes} bytes that wait for it (${this.counters.cutOff} cut off so far).`,
    );
    connection.destroy();
  }
}
