/**
 * How many connections one address may have at a port. Many minions may share an address, behind a router that
 * translates them, so that the limit leaves them nearly all there is: it keeps a rest for everybody else.
 */
import type { Socket } from 'node:net';

/** Counts the connections of each address and refuses those beyond the limit. */
export class AddressLimit {
  readonly #max: number;
  readonly #connections = new Map<string, number>();

  /** @param max connections of one address */
  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a connection until it closes. @returns false when it is one too many, and is not counted */
  enter(socket: Socket): boolean {
    const address = socket.remoteAddress;
    if (address === undefined) return true;
    const count = this.#connections.get(address) ?? 0;
    if (count >= this.#max) return false;
    this.#connections.set(address, count + 1);
    socket.once('close', () => this.#leave(address));
    return true;
  }

  #leave(address: string): void {
    const left = (this.#connections.get(address) ?? 1) - 1;
    if (left > 0) this.#connections.set(address, left);
    else this.#connections.delete(address);
  }
}
