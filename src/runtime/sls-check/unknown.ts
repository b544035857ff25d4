/**
 * Values that a check does not know: pillar that was not given, answers of functions that only run on a minion. A
 * template may look into them, loop over them and print them; every part of one is unknown, too.
 */
import {
  TFunction,
  TObject,
  tuple,
  type Callable,
  type Kwargs,
  type Later,
  type TValue,
} from '../../formats/jinja/index.ts';
import type { Dict } from '../../python/values/value.ts';

/** Brackets around the name of an unknown value, by which a rendered text is known to depend on one. */
const [OPEN, CLOSE] = ['⟨', '⟩'];

/** Whether a text has been made with an unknown value. */
export function isUncertain(text: string): boolean {
  return text.includes(OPEN);
}

/** Which unknown values a rendering has met. */
export class Unknowns {
  readonly names = new Set<string>();

  /** A value by the name that findings show. */
  value(name: string): Unknown {
    return new Unknown(name, this);
  }
}

/** One unknown value. */
class Unknown extends TObject implements Callable {
  readonly typeName = 'str';
  readonly #name: string;
  readonly #met: Unknowns;

  constructor(name: string, met: Unknowns) {
    super();
    this.#name = name;
    this.#met = met;
    met.names.add(name);
  }
  override str(): string {
    return `${OPEN}${this.#name}${CLOSE}`;
  }
  override repr(): string {
    return `'${this.str()}'`;
  }
  override getAttr(name: string): Later {
    if (name === 'items') return new TFunction(name, () => [tuple([this.#part('key'), this.#part('value')])]);
    if (name === 'keys' || name === 'values')
      return new TFunction(name, () => [this.#part(name.slice(0, -1))]);
    if (name === 'get') return new TFunction(name, ([key]) => this.#part(String(key)));
    return this.#part(name);
  }
  override getItem(key: TValue): Later {
    return this.#part(typeof key === 'string' || typeof key === 'number' ? String(key) : '…');
  }
  call(_args: readonly TValue[], _kwargs: Kwargs | undefined): Later {
    return this;
  }
  override get isAnything(): boolean {
    return true;
  }
  override contains(): boolean {
    return true;
  }
  override iterate(): Iterable<TValue> {
    return [this.#part('item')];
  }
  override get length(): number {
    return 1;
  }
  #part(name: string): Unknown {
    return this.#name.length > 200 ? this : new Unknown(`${this.#name}.${name}`, this.#met);
  }
}

/** A mapping of which only part is known: what is not in it is unknown, and not missing. */
export class PartlyKnown extends TObject {
  readonly typeName = 'dict';
  readonly #name: string;
  readonly #known: Dict;
  readonly #met: Unknowns;

  /** @param name as the template calls it: `pillar` */
  constructor(name: string, known: Dict, met: Unknowns) {
    super();
    this.#name = name;
    this.#known = known;
    this.#met = met;
  }
  override str(): string {
    return `${OPEN}${this.#name}${CLOSE}`;
  }
  override getItem(key: TValue): TValue {
    return this.#known.get(key as string) ?? this.#met.value(`${this.#name}.${String(key)}`);
  }
  override getAttr(name: string): TValue {
    if (name === 'get') return new TFunction(name, ([key = null, other]) => this.#get(key, other));
    if (name === 'items') return new TFunction(name, () => Array.from(this.#known, (pair) => tuple(pair)));
    if (name === 'keys') return new TFunction(name, () => [...this.#known.keys()]);
    if (name === 'values') return new TFunction(name, () => [...this.#known.values()]);
    return this.getItem(name);
  }
  override contains(key: TValue): boolean {
    return this.#known.has(key as string);
  }
  override iterate(): Iterable<TValue> {
    return [...this.#known.keys()];
  }
  override get length(): number {
    return this.#known.size;
  }
  #get(key: TValue, other: TValue | undefined): TValue {
    return other === undefined ? this.getItem(key) : (this.#known.get(key as string) ?? other);
  }
}
