/**
 * The serial of publications in a cluster. Each publisher counts for itself, and a minion drops what does not come with
 * a higher serial than it had before, wherever it was connected then. So each master publishes above all serials that
 * it has heard of: of its own publications on all masters, and of those that the others tell with every sign of life.
 */
export class ClusterSerial {
  #highest = 0;

  /** The highest that was heard of. */
  get highest(): number {
    return this.#highest;
  }

  /** A master, this one or another, has given one. */
  heard(serial: number | undefined): void {
    if (serial !== undefined && serial > this.#highest) this.#highest = serial;
  }
}
