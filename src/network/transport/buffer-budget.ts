/** The bytes that all peers of a server may hold together: half-received messages and replies that they do not take. */

/** A peer that holds bytes. */
export interface BufferingPeer {
  /** Bytes of a message that has not arrived whole. */
  readonly pendingBytes: number;
  /** Bytes for it that the system has not taken yet. */
  readonly queuedBytes: number;
  destroy(error?: Error): void;
}

/** Adds up the bytes that peers hold and finds the one that holds most. */
export class BufferBudget {
  readonly #bytesMax: number;
  readonly #peers: Iterable<BufferingPeer>;
  #bytesSinceCheck = 0;

  constructor(bytesMax: number, peers: Iterable<BufferingPeer>) {
    this.#bytesMax = bytesMax;
    this.#peers = peers;
  }

  /** Notes that bytes came or wait. Summing up what all hold is worth it whenever that much may have been added. */
  add(bytes: number): void {
    this.#bytesSinceCheck += bytes;
    if (this.#bytesSinceCheck < this.#bytesMax / 16) return;
    this.#bytesSinceCheck = 0;
    let total = 0;
    let largest: BufferingPeer | undefined;
    for (const peer of this.#peers) {
      const heldBytes = peer.pendingBytes + peer.queuedBytes;
      total += heldBytes;
      if (largest === undefined || heldBytes > largest.pendingBytes + largest.queuedBytes) largest = peer;
    }
    if (total > this.#bytesMax)
      largest?.destroy(new Error(`all peers together hold ${total} bytes, and this one most of them`));
  }
}
