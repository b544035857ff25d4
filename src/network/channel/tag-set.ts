/** A set of numbers that only grows, in one flat table: eight bytes a slot, where a `Set` takes forty. */

const SLOTS_MIN = 1024;
/** Filled beyond this the table is doubled. */
const LOAD_MAX = 0.7;

/** A set of numbers that only grows. Zero marks a free slot: it is never a member. */
export class TagSet {
  #slots: Float64Array;
  #size = 0;

  /** @param sizeHint how many are expected, so that the table need not grow */
  constructor(sizeHint = 0) {
    let slots = SLOTS_MIN;
    while (slots * LOAD_MAX < sizeHint) slots *= 2;
    this.#slots = new Float64Array(slots);
  }

  get size(): number {
    return this.#size;
  }

  has(tag: number): boolean {
    return this.#slots[slotOf(this.#slots, tag)] === tag;
  }

  add(tag: number): void {
    if (this.#size >= this.#slots.length * LOAD_MAX) this.#grow();
    const slot = slotOf(this.#slots, tag);
    if (this.#slots[slot] === tag) return;
    this.#slots[slot] = tag;
    this.#size++;
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const tag of this.#slots) if (tag !== 0) larger[slotOf(larger, tag)] = tag;
    this.#slots = larger;
  }
}

/** Where a tag is, or would be put. Tags are evenly spread already. */
function slotOf(slots: Float64Array, tag: number): number {
  const mask = slots.length - 1;
  let slot = tag & mask;
  while (slots[slot] !== 0 && slots[slot] !== tag) slot = (slot + 1) & mask;
  return slot;
}
