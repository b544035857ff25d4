/** Objects with attributes that templates make: `namespace()`, `cycler()`, `joiner()` (jinja2/utils.py 3.1). */
import { typeError } from './errors.ts';
import { TFunction, TObject, type Callable, type Kwargs, type Later, type TValue } from './model.ts';
import { updateDictFrom } from './methods-collections.ts';
import { repr } from './text-of.ts';

/** A `namespace()`, whose attributes `{% set ns.x = … %}` sets. */
export class Namespace extends TObject {
  readonly typeName = 'Namespace';
  readonly #attrs: Map<TValue, TValue> = new Map();

  constructor(args: readonly TValue[], kwargs: Kwargs) {
    super();
    if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`);
    updateDictFrom(this.#attrs, args[0] ?? new Map(), kwargs);
  }
  override get typeTitle(): string {
    return 'jinja2.utils.Namespace';
  }
  override getAttr(name: string): TValue | undefined {
    return this.#attrs.get(name);
  }
  set(name: string, value: TValue): void {
    this.#attrs.set(name, value);
  }
  override repr(): string {
    return `<Namespace ${repr(this.#attrs)}>`;
  }
}

/** A `cycler(…)`. */
export class Cycler extends TObject {
  readonly typeName = 'Cycler';
  readonly #items: readonly TValue[];
  #at = 0;

  constructor(items: readonly TValue[]) {
    super();
    if (items.length === 0) throw typeError('at least one item has to be provided');
    this.#items = items;
  }
  override get typeTitle(): string {
    return 'jinja2.utils.Cycler';
  }
  override getAttr(name: string): TValue | undefined {
    const current = this.#items[this.#at] as TValue;
    if (name === 'current') return current;
    if (name === 'pos') return this.#at;
    if (name === 'items') return [...this.#items];
    if (name === 'next')
      return new TFunction('next', () => {
        const value = this.#items[this.#at] as TValue;
        this.#at = (this.#at + 1) % this.#items.length;
        return value;
      });
    if (name === 'reset')
      return new TFunction('reset', () => {
        this.#at = 0;
        return null;
      });
    return undefined;
  }
}

/** A `joiner(sep)`: nothing at the first call, the separator afterwards. */
export class Joiner extends TObject implements Callable {
  readonly typeName = 'Joiner';
  readonly #separator: TValue;
  #used = false;
  constructor(separator: TValue) {
    super();
    this.#separator = separator;
  }
  call(): Later {
    if (this.#used) return this.#separator;
    this.#used = true;
    return '';
  }
}
