/**
 * A mapping that is filled when it is first looked at. Most functions never look at the grains, and collecting them
 * costs more than everything else that `salt-call --local` does.
 */
import type { Dict, Value } from '../../python/values/value.ts';

/** A mapping whose content is made when it is first looked at. */
export class LateDict extends Map<Value, Value> {
  #fill: (() => Dict) | undefined;

  /** @param fill gives the content; called once, at the first look */
  constructor(fill: () => Dict) {
    super();
    this.#fill = fill;
  }

  override get size(): number {
    return this.#filled().#plainSize();
  }

  override get(key: Value): Value | undefined {
    this.#filled();
    return super.get(key);
  }

  override has(key: Value): boolean {
    this.#filled();
    return super.has(key);
  }

  override set(key: Value, value: Value): this {
    this.#filled();
    return super.set(key, value);
  }

  override delete(key: Value): boolean {
    this.#filled();
    return super.delete(key);
  }

  override forEach(visit: (value: Value, key: Value, map: Map<Value, Value>) => void): void {
    this.#filled();
    super.forEach(visit);
  }

  override keys(): ReturnType<Dict['keys']> {
    this.#filled();
    return super.keys();
  }

  override values(): ReturnType<Dict['values']> {
    this.#filled();
    return super.values();
  }

  override entries(): ReturnType<Dict['entries']> {
    this.#filled();
    return super.entries();
  }

  override [Symbol.iterator](): ReturnType<Dict['entries']> {
    return this.entries();
  }

  #plainSize(): number {
    return super.size;
  }

  #filled(): this {
    const fill = this.#fill;
    if (fill === undefined) return this;
    this.#fill = undefined;
    for (const [key, value] of fill()) super.set(key, value);
    return this;
  }
}
