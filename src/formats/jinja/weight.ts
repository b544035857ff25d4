/**
 * How much a single call may have to read: from a certain weight on it is run where the engine can end it in its midst,
 * which costs as much as a hundred short calls. What a list or a mapping weighs is remembered until something is
 * changed: most calls get the same few values again and again.
 */
import { PyIterator } from './model.ts';
import { PySet } from './set.ts';

/** Values and characters from which on a single call may take noticeable time, if it takes quadratic time. */
const HEAVY = 20_000;
/** Short texts are copied many characters at a time. */
const CHARACTERS_SHIFT = 3;
const DEPTH_MAX = 100;
const WORTH_REMEMBERING = 32;

/** Iterators that make many items of few. */
const PRODUCTS = new Set(['product', 'combinations', 'combinations_with_replacement', 'permutations']);

/** Weighs the values that a call gets, and remembers what lists and mappings weigh. */
export class Weights {
  readonly #known = new Map<object, number>();

  /**
   * Whether a call that reads all of these may take noticeable time. A value within others counts each time that it is
   * there.
   */
  isHeavy(values: readonly unknown[]): boolean {
    let sum = 0;
    for (let at = 0; at < values.length; at++) sum += this.#of(values[at], 0);
    return sum > HEAVY;
  }

  /** Something that was weighed may have changed. */
  forget(): void {
    if (this.#known.size > 0) this.#known.clear();
  }

  #of(value: unknown, depth: number): number {
    if (typeof value === 'string')
      return value.length > HEAVY ? Infinity : 1 + (value.length >> CHARACTERS_SHIFT);
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (value instanceof PyIterator) return PRODUCTS.has(value.typeName) ? Infinity : 1;
    const items = itemsOf(value);
    if (items === undefined) return 1;
    // what holds itself has no end
    const weight = depth > DEPTH_MAX ? Infinity : this.#sum(items, depth);
    if (weight > WORTH_REMEMBERING) this.#known.set(value, weight);
    return weight;
  }

  #sum(items: Iterable<unknown>, depth: number): number {
    let sum = 1;
    for (const item of items) {
      sum += typeof item === 'number' ? 1 : this.#of(item, depth + 1);
      if (sum > HEAVY) return Infinity;
    }
    return sum;
  }
}

/** The values in a container, keys included; undefined for what is none. */
function itemsOf(value: object): Iterable<unknown> | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (value instanceof Map) return keysAndValues(value);
  return value instanceof PySet ? value.iterate() : undefined;
}

function* keysAndValues(map: ReadonlyMap<unknown, unknown>): Generator<unknown, void, void> {
  yield* map.keys();
  yield* map.values();
}
