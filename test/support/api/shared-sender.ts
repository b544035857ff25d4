/**
 * Servers that many tests send requests to: started by the first, ended after the last, whichever of them are picked.
 */
import { systemClock } from '../../../src/host/clock.ts';
import { ApiSender } from './send.ts';
import { ApiServers } from './servers.ts';

/** How long nobody uses them before they end, ms; between two tests that follow each other it is a moment. */
const IDLE_MS = 500;

/**
 * Hooks of a suite cannot do this: the runner calls those for the end when nothing is left to wait for, and a server
 * that runs is something.
 */
export class SharedSender {
  #users = 0;
  #started: Promise<ApiSender> | undefined;
  #ends: (() => Promise<void>)[] = [];

  /** @returns what `work` comes to with a sender to them */
  async use<T>(work: (sender: ApiSender) => Promise<T>): Promise<T> {
    this.#users++;
    this.#started ??= this.#start();
    try {
      return await work(await this.#started);
    } finally {
      this.#users--;
      systemClock.after(IDLE_MS, () => void this.#endIdle());
    }
  }

  async #start(): Promise<ApiSender> {
    return new ApiSender(await ApiServers.start({ after: (end) => this.#ends.push(end) }));
  }

  async #endIdle(): Promise<void> {
    if (this.#users > 0) return;
    this.#started = undefined;
    await Promise.all(this.#ends.splice(0).map((end) => end()));
  }
}
