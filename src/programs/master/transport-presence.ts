/** Presence over several publish ports: a minion is there as long as one of them has it. */

/** Joins the presence of several publish ports: reports the first connection of a minion and the loss of its last. */
export class TransportPresence {
  readonly #ports = new Map<string, number>();
  readonly #note: (id: string, isConnected: boolean) => void;

  /** @param note told when a minion comes to its first port, and when it leaves the last */
  constructor(note: (id: string, isConnected: boolean) => void) {
    this.#note = note;
  }

  /** Notes that a minion has come to one port, or gone from it. */
  change(id: string, isConnected: boolean): void {
    const before = this.#ports.get(id) ?? 0;
    const after = Math.max(0, before + (isConnected ? 1 : -1));
    if (after === 0) this.#ports.delete(id);
    else this.#ports.set(id, after);
    if ((before === 0) !== (after === 0)) this.#note(id, isConnected);
  }
}
