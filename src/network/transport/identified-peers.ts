/**
 * Which identified peers are connected: one that has several connections comes with the first and goes with the last.
 */

/** Counts the connections of each identified peer and reports the first and the last. */
export class IdentifiedPeers {
  readonly #connections = new Map<string, number>();
  readonly #presence: ((id: string, isConnected: boolean) => void) | undefined;

  constructor(presence: ((id: string, isConnected: boolean) => void) | undefined) {
    this.#presence = presence;
  }

  come(id: string): void {
    const connections = this.#connections.get(id) ?? 0;
    this.#connections.set(id, connections + 1);
    if (connections === 0) this.#presence?.(id, true);
  }

  go(id: string): void {
    const left = (this.#connections.get(id) ?? 1) - 1;
    if (left > 0) this.#connections.set(id, left);
    else {
      this.#connections.delete(id);
      this.#presence?.(id, false);
    }
  }
}
