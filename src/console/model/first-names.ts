/** The first of many names, in their order: the same ones in whichever order they came. */

/** Keeps them. */
export class FirstNames {
  readonly #names: string[] = [];
  readonly #max: number;

  /** @param max how many are kept; of more, those that stand behind in the order go */
  constructor(max: number) {
    this.#max = max;
  }

  /** Takes one that was not there before. */
  add(name: string): void {
    let [from, to] = [0, this.#names.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#names[middle] ?? '') < name) from = middle + 1;
      else to = middle;
    }
    if (from >= this.#max) return;
    this.#names.splice(from, 0, name);
    if (this.#names.length > this.#max) this.#names.pop();
  }

  /** A list that later names do not change. */
  list(): readonly string[] {
    return [...this.#names];
  }
}

/** Orders what has as many by the first name of each. */
export function byFirstName(
  a: { readonly minions: readonly string[] },
  b: { readonly minions: readonly string[] },
): number {
  const [first = '', second = ''] = [a.minions[0], b.minions[0]];
  return first < second ? -1 : first > second ? 1 : 0;
}
