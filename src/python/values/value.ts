/**
 * The one model of values: what crosses msgpack, YAML, JSON, templates and the terminal.
 *
 * Python's distinctions that Salt's users see are kept:
 * - an integer is a JavaScript integer `number` or, beyond 2^53, a `bigint`;
 * - a float is a non-integer `number` or, when its value is integral (`8.0`), a {@link PyFloat};
 * - a mapping is a `Map`, so that order and key types (1, null, true) survive;
 * - bytes that are not text stay a `Uint8Array`;
 * - what code in Python has and is no data stays there, and a {@link PyObject} stands for it.
 */
import { PyTuple } from './tuple.ts';

export type Value =
  null | boolean | number | bigint | string | Uint8Array | PyFloat | PyDatetime | PyObject | Value[] | Dict;

/** A Python mapping: insertion order kept, keys of any scalar type. */
export type Dict = Map<Value, Value>;

/**
 * Python's `collections.OrderedDict`: a mapping that is dumped in its own order where others are sorted, and that shows
 * its type in `str()` and errors. Salt's yaml renderer makes such mappings, so SLS and the pillar of a minion without a
 * master consist of them; what has crossed the wire does not.
 */
export class OrderedDict extends Map<Value, Value> {}

/** A float whose value is integral (`8.0`, `-0.0`), which a JavaScript number could not tell from an integer. */
export class PyFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  valueOf(): number {
    return this.value;
  }
}

/** A date and time with microseconds, as msgpack extension type 78 carries it. */
export class PyDatetime {
  /** `YYYYMMDDTHH:MM:SS.ffffff` */
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  /** Python's `str(datetime)`: `2024-01-02 03:04:05.678901`. */
  toString(): string {
    const t = this.text;
    const head = `${t.slice(0, 4)}-${t.slice(4, 6)}-${t.slice(6, 8)} ${t.slice(9, 17)}`;
    const micros = t.slice(18);
    return /^0*$/.test(micros) ? head : `${head}.${micros}`;
  }
}

/** What may be asked about an object. */
export type ObjectQuestion = 'attribute' | 'item' | 'contains' | 'call' | 'operator' | 'facts';

/** Asks the process that has an object. */
export interface ObjectKeeper {
  /**
   * Looks at an attribute or an item (each the other where there is no such one, as Jinja does), asks whether something
   * is in it, calls it, applies an operator (its name is the first of `args`, the operands follow it), or has the
   * object told again.
   * @returns undefined where there is none
   * @throws what Python raises, and CommandExecutionError when the process has ended
   */
  ask(
    object: PyObject,
    question: ObjectQuestion,
    args: readonly Value[],
    kwargs: Dict,
  ): Promise<Value | undefined>;
}

/** What its process tells of an object. */
export interface ObjectFacts {
  /** The process and, within it, the object. */
  readonly place: readonly [process: number, object: number];
  /** The name of its type, and that with its module. */
  readonly type: string;
  readonly title: string;
  readonly str: string;
  readonly repr: string;
  readonly isTrue: boolean;
  /** What is in it, where that is not much; undefined where it cannot be walked. */
  readonly items?: readonly Value[] | undefined;
  /** Why it cannot be walked here, although it can be there. */
  readonly tooMany?: boolean;
  readonly length?: number | undefined;
  readonly isNumber?: boolean;
  readonly isSequence?: boolean;
  /** It may be another after one of its methods was called. */
  readonly changes?: boolean;
  /** What it is for whoever has no use for an object; undefined where it is no data. */
  readonly data?: Value | undefined;
  readonly isCallable: boolean;
  /** Attributes that are texts, numbers or truths, as they were. */
  readonly attributes: ReadonlyMap<Value, Value>;
}

/**
 * Stands for an object of code in Python that is no data: the object itself stays in the process that has it, and can
 * be handed back to it.
 */
export class PyObject implements ObjectFacts {
  readonly place: readonly [process: number, object: number];
  readonly type: string;
  readonly title: string;
  readonly isCallable: boolean;
  readonly isNumber: boolean;
  readonly isSequence: boolean;
  readonly changes: boolean;
  #facts: ObjectFacts;
  #keeper: ObjectKeeper | undefined;
  /** The object that this one is a method of. */
  #owner: PyObject | undefined;

  constructor(facts: ObjectFacts) {
    this.place = facts.place;
    this.type = facts.type;
    this.title = facts.title;
    this.isCallable = facts.isCallable;
    this.isNumber = facts.isNumber === true;
    this.isSequence = facts.isSequence === true;
    this.changes = facts.changes === true;
    this.#facts = facts;
  }

  get str(): string {
    return this.#facts.str;
  }
  get repr(): string {
    return this.#facts.repr;
  }
  get isTrue(): boolean {
    return this.#facts.isTrue;
  }
  get items(): readonly Value[] | undefined {
    return this.#facts.items;
  }
  get tooMany(): boolean {
    return this.#facts.tooMany === true;
  }
  get length(): number | undefined {
    return this.#facts.length;
  }
  get attributes(): ReadonlyMap<Value, Value> {
    return this.#facts.attributes;
  }
  get data(): Value | undefined {
    return this.#facts.data;
  }

  /** Says who can be asked about it. */
  keptBy(keeper: ObjectKeeper): void {
    this.#keeper = keeper;
  }

  /** Whether anybody can be asked about it. */
  get isKept(): boolean {
    return this.#keeper !== undefined;
  }

  /** See {@link ObjectKeeper.ask}. */
  ask(
    question: ObjectQuestion,
    args: readonly Value[],
    kwargs: Dict = new Map(),
  ): Promise<Value | undefined> {
    if (this.#keeper === undefined)
      return Promise.reject(new Error(`nobody can be asked about the ${this.type} object`));
    const asked = this.#keeper.ask(this, question, args, kwargs);
    if (question === 'attribute' && this.changes) return asked.then((found) => this.#owned(found));
    return question === 'call' && this.#owner !== undefined ? this.#changed(this.#owner, asked) : asked;
  }

  #owned(found: Value | undefined): Value | undefined {
    if (found instanceof PyObject && found.isCallable) found.#owner = this;
    return found;
  }

  /** After a call of a method its object may be another. */
  async #changed(owner: PyObject, asked: Promise<Value | undefined>): Promise<Value | undefined> {
    const found = await asked;
    const now = await owner.ask('facts', []);
    if (now instanceof PyObject) owner.#facts = now.#facts;
    return found;
  }

  /** What `copy.deepcopy` makes of it. @throws what Python raises for objects that cannot be copied */
  deepCopy(): PyObject {
    return this;
  }

  /** The same object, or one that shows itself in the same way and not by its address. */
  equals(other: PyObject): boolean {
    if (this.place.every((part, i) => part === other.place[i])) return true;
    return this.title === other.title && this.repr === other.repr && !/ at 0x[0-9a-f]+/.test(this.repr);
  }
}

/** Makes a float value: a plain number when that is unambiguous, else a {@link PyFloat}. */
export function float(value: number): number | PyFloat {
  return Number.isInteger(value) ? new PyFloat(value) : value;
}

/** True for every spelling of a Python float. */
export function isFloat(value: Value): value is number | PyFloat {
  return value instanceof PyFloat || (typeof value === 'number' && !Number.isInteger(value));
}

/** True for every spelling of a Python int (booleans excluded). */
export function isInt(value: Value): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}

/** True for a mapping. */
export function isDict(value: Value | undefined): value is Dict {
  return value instanceof Map;
}

/** True for bytes that are not text. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

/** The JavaScript number of an int or float value, or undefined for anything else (booleans included). */
export function toNumber(value: Value | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof PyFloat) return value.value;
  return undefined;
}

/**
 * Python's truth of a value: null, false, 0, 0.0, '', empty list, mapping and bytes are false.
 */
export function truthy(value: Value | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'bigint') return value !== 0n;
  if (value instanceof PyFloat) return value.value !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (isBytes(value)) return value.length > 0;
  return value instanceof PyObject ? value.isTrue : Boolean(value);
}

/** Something {@link dict} takes as a value: a value, or a plain object literal standing for a mapping. */
export type DictInit = { readonly [key: string]: Value | DictInit | undefined };

/**
 * Builds a mapping from an object literal, nested literals included; undefined entries are left out.
 * Only for literals whose keys are names: JavaScript moves integer-like keys to the front.
 */
export function dict(init: DictInit = {}): Dict {
  const out: Dict = new Map();
  for (const [key, value] of Object.entries(init)) {
    if (value !== undefined) out.set(key, isPlainObject(value) ? dict(value) : value);
  }
  return out;
}

function isPlainObject(value: Value | DictInit): value is DictInit {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * The Python type name of a value: `int`, `float`, `str`, `bool`, `NoneType`, `list`, `dict`, `OrderedDict`, `bytes`,
 * `datetime`.
 */
export function pyTypeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (isInt(value)) return 'int';
  if (isFloat(value)) return 'float';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return value instanceof OrderedDict ? 'OrderedDict' : 'dict';
  if (value instanceof PyObject) return value.type;
  return value instanceof PyDatetime ? 'datetime' : 'bytes';
}

/** Python's `==` between two values: 1 == 1.0 == True, mappings without regard to order. */
export function valuesEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((x, i) => valuesEqual(x, b[i] as Value));
  }
  if (a instanceof Map) {
    if (!(b instanceof Map) || a.size !== b.size) return false;
    for (const [key, value] of a) {
      const other = b.get(key);
      if (other === undefined || !valuesEqual(value, other)) return false;
    }
    return true;
  }
  if (isBytes(a)) return isBytes(b) && Buffer.compare(a, b) === 0;
  if (a instanceof PyDatetime) return b instanceof PyDatetime && a.text === b.text;
  if (a instanceof PyObject) return b instanceof PyObject && a.equals(b);
  const x = typeof a === 'boolean' ? Number(a) : toNumber(a);
  const y = typeof b === 'boolean' ? Number(b) : toNumber(b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return a === b;
  return x !== undefined && x === y;
}

/**
 * A value in whose place data stands where it, or an item of it, is an object of Python's that can be such: for who has
 * no use for objects.
 */
export function asData(value: Value): Value {
  if (value instanceof PyObject) return value.data ?? value;
  if (Array.isArray(value)) return value.some(holdsData) ? value.map(asData) : value;
  if (!(value instanceof Map) || ![...value.values()].some(holdsData)) return value;
  const out = emptyLike(value);
  for (const [key, item] of value) out.set(key, asData(item));
  return out;
}

function holdsData(value: Value): boolean {
  if (value instanceof PyObject) return value.data !== undefined;
  if (Array.isArray(value)) return value.some(holdsData);
  return value instanceof Map && [...value.values()].some(holdsData);
}

/** A new mapping without entries, of the same type as another. */
export function emptyLike(map: Dict): Dict {
  return map instanceof OrderedDict ? new OrderedDict() : new Map();
}

/**
 * A deep copy: lists and mappings are new, leaves are shared (they are immutable by convention). What occurs twice in
 * the value is one thing in the copy too, as with Python's `copy.deepcopy`: YAML writes it once.
 * @param objects what happens to objects that are no data: whether each is asked for its copy, or shared
 * @throws what Python raises for objects that cannot be copied
 */
export function copyValue<T extends Value>(value: T, objects: 'copied' | 'shared' = 'copied'): T {
  return (isCollection(value) ? copyOf(value, new Map(), objects) : value) as T;
}

type Collection = Value[] | Dict;

const isCollection = (value: Value): value is Collection => Array.isArray(value) || value instanceof Map;

function copyOf(
  value: Collection,
  copies: Map<Collection, Collection>,
  objects: 'copied' | 'shared',
): Collection {
  const known = copies.get(value);
  if (known !== undefined) return known;
  const copyItem = (item: Value): Value => {
    if (isCollection(item)) return copyOf(item, copies, objects);
    return item instanceof PyObject && objects === 'copied' ? item.deepCopy() : item;
  };
  if (Array.isArray(value)) {
    const out: Value[] = value instanceof PyTuple ? new PyTuple<Value>() : [];
    copies.set(value, out);
    for (const item of value) out.push(copyItem(item));
    return out;
  }
  const out = emptyLike(value);
  copies.set(value, out);
  for (const [key, item] of value) out.set(key, copyItem(item));
  return out;
}
