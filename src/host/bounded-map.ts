/** A map that forgets what was used longest ago, so that a cache cannot grow without end. */

/** A `Map` with a limit. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #sizeMax: number;
  /** Entries forgotten to make room. */
  evicted = 0;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** What is there, which is not used with this. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#sizeMax) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
    this.evicted++;
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  keys(): Iterable<K> {
    return this.#entries.keys();
  }

  clear(): void {
    this.#entries.clear();
  }
}
