/** The numbers of the results of a run (`__run_num__`), in the order in which they come. */

/** Gives each result of one run its number. */
export class RunNumbers {
  #next = 0;

  /** The number that is given next; looking at it does not use it up. */
  get next(): number {
    return this.#next;
  }

  /** Gives a number. */
  take(): number {
    return this.#next++;
  }
}
