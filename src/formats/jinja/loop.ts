/** The `loop` variable (jinja2/runtime.py 3.1 `LoopContext`). */
import { typeError } from './errors.ts';
import { TFunction, TObject, tuple, type Callable, type Later, type TValue } from './model.ts';
import { Undefined } from './undefined.ts';
import { eq, iter } from './operators.ts';
import { runNested, type RunLimits, type TemplateRun } from './run.ts';

/** What a loop needs of the environment. */
interface LoopEnvironment extends RunLimits {
  readonly strict: boolean;
}

const NONE = Symbol('none');

/** A loop over items, which it reads one ahead only when it is asked for. */
export class LoopContext extends TObject implements Callable {
  readonly typeName = 'LoopContext';
  readonly #env: LoopEnvironment;
  readonly #source: Iterable<TValue>;
  readonly #recurse: ((items: Iterable<TValue>, depth: number) => TemplateRun<string>) | undefined;
  readonly #depth0: number;
  readonly #pairs: boolean;
  #items: readonly TValue[] | undefined;
  #iterator: Iterator<TValue> | undefined;
  #ahead: TValue | typeof NONE = NONE;
  #current: TValue | typeof NONE = NONE;
  #before: TValue | typeof NONE = NONE;
  #changed: TValue[] | undefined;
  #index0 = -1;

  constructor(
    env: LoopEnvironment,
    items: Iterable<TValue>,
    recurse: ((items: Iterable<TValue>, depth: number) => TemplateRun<string>) | undefined,
    depth0: number,
    pairs: boolean,
  ) {
    super();
    this.#env = env;
    this.#source = items;
    this.#recurse = recurse;
    this.#depth0 = depth0;
    this.#pairs = pairs;
    if (Array.isArray(items)) this.#items = items as readonly TValue[];
  }
  override get typeTitle(): string {
    return 'jinja2.runtime.LoopContext';
  }
  override repr(): string {
    return `<LoopContext ${this.#index0 + 1}/${this.#length()}>`;
  }

  [Symbol.iterator](): Iterator<TValue> {
    return { next: () => this.#next() };
  }
  override iterate(): Iterable<TValue> {
    return this;
  }

  #next(): IteratorResult<TValue, undefined> {
    const upcoming = this.#peek();
    if (upcoming === NONE) return { done: true, value: undefined };
    this.#ahead = NONE;
    this.#index0++;
    this.#before = this.#current;
    this.#current = upcoming;
    return { done: false, value: upcoming };
  }

  #peek(): TValue | typeof NONE {
    if (this.#items) {
      const value = this.#items[this.#index0 + 1];
      return value === undefined ? NONE : value;
    }
    if (this.#ahead !== NONE) return this.#ahead;
    this.#iterator ??= this.#source[Symbol.iterator]();
    const step = this.#iterator.next();
    this.#ahead = step.done ? NONE : step.value;
    return this.#ahead;
  }

  #length(): number {
    if (!this.#items) {
      // what is left is read, and the loop goes on with it
      const rest: TValue[] = [];
      for (let item = this.#peek(); item !== NONE; item = this.#peek()) {
        rest.push(item);
        this.#ahead = NONE;
      }
      const done: TValue[] = new Array<TValue>(this.#index0 + 1).fill(null);
      this.#items = [...done, ...rest];
    }
    return this.#items.length;
  }

  #shown(value: TValue | typeof NONE, hint: string): TValue {
    if (value === NONE) return new Undefined({ name: null, strict: this.#env.strict, hint });
    return this.#pairs && Array.isArray(value) ? tuple(value) : value;
  }

  override getAttr(name: string): TValue | undefined {
    switch (name) {
      case 'index':
        return this.#index0 + 1;
      case 'index0':
        return this.#index0;
      case 'first':
        return this.#index0 === 0;
      case 'last':
        return this.#peek() === NONE;
      case 'length':
        return this.#length();
      case 'revindex':
        return this.#length() - this.#index0;
      case 'revindex0':
        return this.#length() - this.#index0 - 1;
      case 'depth':
        return this.#depth0 + 1;
      case 'depth0':
        return this.#depth0;
      case 'previtem':
        return this.#shown(this.#index0 === 0 ? NONE : this.#before, 'there is no previous item');
      case 'nextitem':
        return this.#shown(this.#peek(), 'there is no next item');
      case 'cycle':
        return new TFunction('cycle', (args) => {
          if (args.length === 0) throw typeError('no items for cycling given');
          return args[this.#index0 % args.length] as TValue;
        });
      case 'changed':
        return new TFunction('changed', (args) => {
          const old = this.#changed;
          const isSame = old?.length === args.length && old.every((item, i) => eq(item, args[i] as TValue));
          this.#changed = [...args];
          return !isSame;
        });
      default:
        return undefined;
    }
  }

  override get length(): number {
    return this.#length();
  }

  /** `loop(items)` inside a recursive loop. */
  call(args: readonly TValue[]): Later {
    if (!this.#recurse)
      throw typeError("The loop must have the 'recursive' marker to be called recursively.");
    return runNested(this.#env, this.#recurse(iter(args[0] ?? null), this.#depth0 + 1));
  }
}
