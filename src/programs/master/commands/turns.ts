/** Work that is begun side by side, of which one part happens in the order of the beginnings. */

/** A place in the order. */
export interface Turn {
  /** Resolves when every place before this one has passed its turn on. */
  readonly come: Promise<void>;
  /** Lets the next one go on; does nothing the second time. Who never calls it holds up all that follow. */
  readonly pass: () => void;
}

/** Gives out places. */
export class OrderedTurns {
  #last: Promise<void> = Promise.resolve();

  take(): Turn {
    const come = this.#last;
    let passed: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => (passed = resolve));
    this.#last = come.then(() => mine);
    return { come, pass: () => passed() };
  }

  /** Does work that has a turn, which is passed on when the work has ended without passing it. */
  async run<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    const turn = this.take();
    try {
      return await work(turn);
    } finally {
      turn.pass();
    }
  }
}
