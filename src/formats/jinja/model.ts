/**
 * Values inside templates: the model of values (python/values/value.ts) and what Python has besides: tuples, sets,
 * ranges, views, iterators and functions.
 */
import { PyTuple as ValueTuple, tupleOf } from '../../python/values/tuple.ts';
import { PythonError } from '../../python/exceptions.ts';
import {
  OrderedDict,
  pyTypeName,
  type PyDatetime,
  type PyFloat,
  type Value,
  PyObject,
} from '../../python/values/value.ts';

/** A mapping inside a template. */
export type TDict = Map<TValue, TValue>;

/** Anything an expression can be. */
export type TValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | PyFloat
  | PyDatetime
  | PyObject
  | TValue[]
  | TDict
  | TObject;

/** What calls give: a value, or the promise of one, which the generated code waits for. */
export type Later = TValue | Promise<TValue>;

/** Keyword arguments of a call. */
export type Kwargs = ReadonlyMap<string, TValue>;

/** A Python tuple: a list for whoever does not care. */
export const PyTuple = ValueTuple<TValue>;
export type PyTuple = ValueTuple<TValue>;

/** Makes a tuple of some items. */
export const tuple = (items: Iterable<TValue>): PyTuple => tupleOf(items);

/** A tuple whose items have names. */
export class NamedTuple extends PyTuple {
  fields: readonly string[] = [];
}

/** What a call can use of the rendering it happens in. */
export interface CallScope {
  /** The values by name that the template sees. */
  readonly env: unknown;
}

/** Base of all that is neither scalar, list nor mapping. */
export abstract class TObject {
  /** `type(x).__name__`. */
  abstract readonly typeName: string;
  /** How Jinja calls its class in errors: with its module, where it is no builtin. */
  get typeTitle(): string {
    return this.typeName;
  }
  /** Python's `repr()`. */
  repr(): string {
    return `<${this.typeTitle} object>`;
  }
  /** Python's `str()`. */
  str(): string {
    return this.repr();
  }
  truthy(): boolean {
    return true;
  }
  /** An attribute, or undefined when there is none. */
  getAttr(_name: string): Later | undefined {
    return undefined;
  }
  /** An item, or undefined when there is none. */
  getItem(_key: TValue): Later | undefined {
    return undefined;
  }
  /** Sets an attribute by `{% set a.b = … %}`. */
  get isNamespace(): boolean {
    return false;
  }
  /** Python's `in`, where the type has its own. */
  contains(_item: TValue): boolean | Promise<boolean> | undefined {
    return undefined;
  }
  /** The items, when it can be iterated over. */
  iterate(): Iterable<TValue> | undefined {
    return undefined;
  }
  /** `len()`, when it has one. */
  get length(): number | undefined {
    return undefined;
  }
  equals(other: TValue): boolean {
    return this === other;
  }
  /**
   * It stands for any value, of which nothing is known: what is done with it and another value, or looked up by it,
   * comes to it again.
   */
  get isAnything(): boolean {
    return false;
  }
}

/** What makes something callable. */
export interface Callable {
  call(args: readonly TValue[], kwargs: Kwargs | undefined, scope: CallScope): Later;
}

/** The body of a native function. */
export type NativeBody = (args: readonly TValue[], kwargs: Kwargs | undefined, scope: CallScope) => Later;

/** A function. */
export class TFunction extends TObject implements Callable {
  readonly typeName: string = 'function';
  readonly name: string;
  readonly #body: NativeBody;
  constructor(name: string, body: NativeBody) {
    super();
    this.name = name;
    this.#body = body;
  }
  override repr(): string {
    return `<function ${this.name}>`;
  }
  call(args: readonly TValue[], kwargs: Kwargs | undefined, scope: CallScope): Later {
    return this.#body(args, kwargs, scope);
  }
}

/** True for what can be called. */
export function isCallable(value: TValue | undefined): value is TObject & Callable {
  return value instanceof TObject && 'call' in value && typeof value.call === 'function';
}

/** A Python range. */
export class PyRange extends TObject {
  readonly typeName = 'range';
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
  }
  override get length(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step));
  }
  at(index: number): number | undefined {
    const i = index < 0 ? index + this.length : index;
    return i >= 0 && i < this.length ? this.start + i * this.step : undefined;
  }
  override truthy(): boolean {
    return this.length > 0;
  }
  override getItem(key: TValue): TValue | undefined {
    return typeof key === 'number' ? this.at(key) : undefined;
  }
  override repr(): string {
    const tail = this.step === 1 ? '' : `, ${this.step}`;
    return `range(${this.start}, ${this.stop}${tail})`;
  }
  override *iterate(): Iterable<TValue> {
    for (let i = 0, n = this.length; i < n; i++) yield this.start + i * this.step;
  }
  override contains(item: TValue): boolean {
    if (typeof item !== 'number') return false;
    const offset = (item - this.start) / this.step;
    return Number.isInteger(offset) && offset >= 0 && offset < this.length;
  }
  override equals(other: TValue): boolean {
    if (!(other instanceof PyRange) || other.length !== this.length) return false;
    return this.length === 0 || (other.start === this.start && other.at(-1) === this.at(-1));
  }
}

/** Items beyond which a generator is refused: some make more than the memory holds. */
const ITEMS_MAX = 1_000_000;

/** An iterator that gives its items once (generators, `map`, `zip`…). */
export class PyIterator extends TObject {
  readonly typeName: string;
  readonly #title: string;
  readonly #items: Iterator<TValue>;
  #count = 0;
  /** What has been given since {@link mark}, of which {@link rewind} gives again what is behind `at`. */
  #given: { readonly items: TValue[]; at: number } | undefined;
  #isBroken = false;
  constructor(items: Iterable<TValue>, typeName = 'generator', title?: string) {
    super();
    this.typeName = typeName;
    this.#title = title ?? `${typeName} object`;
    this.#items = items[Symbol.iterator]();
  }
  override get typeTitle(): string {
    return this.typeName;
  }
  override repr(): string {
    return `<${this.#title} at 0x7f0000000000>`;
  }
  /** @throws OverflowError for more items than anybody reads: some filters make them without end */
  next(): IteratorResult<TValue, unknown> {
    const given = this.#given;
    if (given !== undefined && given.at < given.items.length)
      return { done: false, value: given.items[given.at++] as TValue };
    if (++this.#count > ITEMS_MAX) throw new PythonError('OverflowError', 'the result is too large');
    // after what makes the items has broken off there would seem to be no more of them
    if (this.#isBroken)
      throw new PythonError('RuntimeError', `the items of a ${this.typeName} cannot be made again`);
    this.#isBroken = true;
    const step = this.#items.next();
    this.#isBroken = false;
    if (given !== undefined && step.done !== true) given.at = given.items.push(step.value);
    return step;
  }
  /** Remembers from here on what it gives, for {@link rewind}. */
  mark(): void {
    this.#given = { items: [], at: 0 };
  }
  /** Gives again what it has given since it was marked. */
  rewind(): void {
    if (this.#given !== undefined) this.#given.at = 0;
  }
  override iterate(): Iterable<TValue> {
    // not closed by a `break`, as Python's are not
    return { [Symbol.iterator]: () => ({ next: () => this.next() as IteratorResult<TValue> }) };
  }
}

/** An iterator whose items are made of those of a value, and can be made again from the beginning. */
export class LazyIterator extends PyIterator {
  readonly source: TValue;
  readonly #make: () => Iterable<TValue>;
  #made: Iterator<TValue> | undefined;
  #done = 0;
  #marked = 0;
  #isMaking = false;
  constructor(source: TValue, make: () => Iterable<TValue>, title: string) {
    super([], 'generator', title);
    this.source = source;
    this.#make = make;
  }
  override next(): IteratorResult<TValue, unknown> {
    if (++this.#done > ITEMS_MAX) throw new PythonError('OverflowError', 'the result is too large');
    // after it has broken off there would seem to be no more items
    if (this.#isMaking)
      throw new PythonError('RuntimeError', `the items of a ${this.typeName} are made no further`);
    this.#isMaking = true;
    const step = (this.#made ??= this.#make()[Symbol.iterator]()).next();
    this.#isMaking = false;
    return step;
  }
  override mark(): void {
    this.#marked = this.#done;
    if (this.source instanceof PyIterator) this.source.mark();
  }
  override rewind(): void {
    this.#made = undefined;
    this.#isMaking = false;
    if (this.source instanceof PyIterator) this.source.rewind();
    else for (this.#done = 0; this.#done < this.#marked;) this.next();
  }
}

/** Python's name of a value's type. */
export function typeName(value: TValue): string {
  if (value instanceof TObject) return value.typeName;
  if (value instanceof PyTuple) return 'tuple';
  return pyTypeName(value as Value);
}

/** The name of a value's type as Jinja's errors give it: `dict object`, `None`. */
export function typeTitle(value: TValue, named?: WeakMap<object, string>): string {
  if (value === null) return 'None';
  if (typeof value === 'object') {
    const name = named?.get(value);
    if (name !== undefined) return `${name} object`;
    if (value instanceof TObject) return `${value.typeTitle} object`;
    if (value instanceof PyObject) return `${value.title} object`;
  }
  const module = value instanceof OrderedDict ? 'collections.' : '';
  return `${module}${typeName(value)} object`;
}

/** Stands for a variable that has no value yet. */
export const MISSING = Symbol('missing');
export type Missing = typeof MISSING;
