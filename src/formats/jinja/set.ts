/** Python's set. Its order is that of insertion, where Python's is by hash. */
import { PyFloat } from '../../python/values/value.ts';
import { PyTuple, TObject, type TValue } from './model.ts';
import { assertHashable } from './hashable.ts';
import { repr } from './text-of.ts';

/** What makes two values the same member. */
function memberKey(value: TValue): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof PyFloat) return value.value;
  if (typeof value === 'bigint') return `i${value}`;
  if (value instanceof PyTuple) return `t${repr(value)}`;
  return typeof value === 'string' ? `s${value}` : value;
}

/** A set of values. */
export class PySet extends TObject {
  readonly typeName = 'set';
  readonly #items = new Map<unknown, TValue>();

  constructor(items: Iterable<TValue> = []) {
    super();
    for (const item of items) this.add(item);
  }
  add(item: TValue): void {
    assertHashable(item);
    const key = memberKey(item);
    if (!this.#items.has(key)) this.#items.set(key, item);
  }
  has(item: TValue): boolean {
    assertHashable(item);
    return this.#items.has(memberKey(item));
  }
  remove(item: TValue): boolean {
    return this.#items.delete(memberKey(item));
  }
  clear(): void {
    this.#items.clear();
  }
  hasAll(other: PySet): boolean {
    return [...other.iterate()].every((item) => this.has(item));
  }
  union(other: Iterable<TValue>): PySet {
    return new PySet([...this.iterate(), ...other]);
  }
  intersection(other: PySet): PySet {
    return new PySet([...this.iterate()].filter((item) => other.has(item)));
  }
  difference(other: PySet): PySet {
    return new PySet([...this.iterate()].filter((item) => !other.has(item)));
  }
  override get length(): number {
    return this.#items.size;
  }
  override truthy(): boolean {
    return this.length > 0;
  }
  override contains(item: TValue): boolean {
    return this.has(item);
  }
  override iterate(): Iterable<TValue> {
    return this.#items.values();
  }
  override equals(other: TValue): boolean {
    return other instanceof PySet && other.length === this.length && this.hasAll(other);
  }
  override repr(): string {
    return this.length === 0 ? 'set()' : `{${[...this.iterate()].map(repr).join(', ')}}`;
  }
}
