/**
 * Whether a reader of a stream still brings what the stream has. A server with a full disk keeps its readers (seen with
 * 2.9): they send their heartbeats and no message any more, so neither the library nor the other servers notice
 * anything.
 */

/** What is looked at. */
export interface LagView {
  /** The place that the reader has to bring next. */
  next(): number;
  /** True while a message is being taken: then the reader waits for us. */
  isTaking(): boolean;
  /** The last place of the stream. Servers of a cluster count the places of messages that they have refused, too. */
  lastPlace(): Promise<number>;
  /** The place of the stream's last message, 0 for none. */
  lastMessage(): Promise<number>;
}

/** Looks now and then. */
export class LagWatch {
  readonly #view: LagView;
  /** The place that a message was seen to wait at. */
  #waitingAt: number | undefined;
  /** Up to here there is nothing more to be had. */
  #emptyTo = 0;

  constructor(view: LagView) {
    this.#view = view;
  }

  /**
   * Looks once.
   * @returns `stuck` when a message that the last look saw has not come either: the reader is to be given up; `behind`
   *   when one waits that may be under way; `well` otherwise, and while nobody answers
   */
  async look(): Promise<'well' | 'behind' | 'stuck'> {
    const next = this.#view.next();
    const isBehind = !this.#view.isTaking() && (await this.#hasMore(next).catch(() => false));
    if (!isBehind || this.#view.next() !== next || this.#view.isTaking()) {
      this.#waitingAt = undefined;
      return 'well';
    }
    const isStuck = this.#waitingAt === next;
    this.#waitingAt = isStuck ? undefined : next;
    return isStuck ? 'stuck' : 'behind';
  }

  async #hasMore(next: number): Promise<boolean> {
    const last = await this.#view.lastPlace();
    if (last < next || last <= this.#emptyTo) return false;
    // costs a message, so it is asked only where the count alone does not say it
    if ((await this.#view.lastMessage()) >= next) return true;
    this.#emptyTo = last;
    return false;
  }
}
