/**
 * The serial of publications in a cluster. Each publisher counts for itself, and a minion drops what does not come with a higher serial
 * than it had before, wherever it was connected then. So each master is kept above all serials that it hears of: of its own
 * publications on the other masters, and of those that the others tell with every sign of life.
 */
import type { Logger } from '../../host/log.ts';
import { messageOf } from '../../errors/errors.ts';

/** See the head of this file. */
export class ClusterSerial {
  readonly #raise: (above: number) => Promise<void>;
  readonly #log: Logger;
  #highest = 0;
  #raised = 0;

  /** @param raise keeps the publisher of this master above a serial */
  constructor(raise: (above: number) => Promise<void>, log: Logger) {
    this.#raise = raise;
    this.#log = log;
  }

  /** The highest that was heard of. */
  get highest(): number {
    return this.#highest;
  }

  /** This master's publisher has given one. */
  given(serial: number | undefined): void {
    if (serial === undefined) return;
    this.#highest = Math.max(this.#highest, serial);
    this.#raised = Math.max(this.#raised, serial);
  }

  /** Another master has given one. @returns when this master's publisher is above it */
  async heard(serial: number | undefined): Promise<void> {
    if (serial === undefined || serial <= this.#raised) return;
    this.#highest = Math.max(this.#highest, serial);
    try {
      await this.#raise(serial);
      this.#raised = Math.max(this.#raised, serial);
    } catch (error) {
      // it is told again with the next sign of life
      this.#log.debug(`The publisher does not take the serial of the cluster: ${messageOf(error)}`);
    }
  }
}
