/** One round of `saltutil.find_job`: whom it has asked, and what they say. */

/**
 * Whom one round of questions has asked, and what they say. What is decided is looked at once, however many there are.
 */
export class AskedMinions {
  readonly asked: ReadonlySet<string>;
  readonly running = new Set<string>();
  /** Those that answer, and do not run the job: their returns have been sent before, if they had it at all. */
  readonly idle = new Set<string>();
  /** Without an answer, and without a return when they were last looked at. */
  readonly #open: Set<string>;
  readonly #unreturned = new Set<string>();

  constructor(ids: Iterable<string>) {
    this.asked = new Set(ids);
    this.#open = new Set(this.asked);
  }

  /** @returns whether this is the minion's first answer */
  answered(id: string, isAtWork: boolean): boolean {
    const isFirst = !this.running.has(id) && !this.idle.has(id);
    this.#open.delete(id);
    if (isAtWork) this.running.add(id);
    else if (isFirst) {
      this.idle.add(id);
      this.#unreturned.add(id);
    }
    return isFirst;
  }

  /** True while one of them has neither answered nor returned. */
  isOpen(waitingFor: ReadonlySet<string>): boolean {
    return hasOneOf(this.#open, waitingFor);
  }

  /** True while one that does not run the job any more has not returned. */
  isReturnDue(waitingFor: ReadonlySet<string>): boolean {
    return hasOneOf(this.#unreturned, waitingFor);
  }
}

/** Whether one of `ids` is waited for; those that are not are removed, so that nobody is looked at twice. */
function hasOneOf(ids: Set<string>, waitingFor: ReadonlySet<string>): boolean {
  for (const id of ids) {
    if (waitingFor.has(id)) return true;
    ids.delete(id);
  }
  return false;
}
