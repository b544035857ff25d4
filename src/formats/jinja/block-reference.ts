/** `super()` and `self.block()` (jinja2/runtime.py 3.1). */
import { TObject, type Callable, type Later, type TValue } from './model.ts';
import { Undefined } from './undefined.ts';
import { run } from './run.ts';
import type { Context } from './template.ts';

/** A block at some height of the inheritance. */
export class BlockReference extends TObject implements Callable {
  readonly typeName = 'BlockReference';
  readonly #context: Context;
  readonly #name: string;
  readonly #depth: number;
  constructor(context: Context, name: string, depth: number) {
    super();
    this.#context = context;
    this.#name = name;
    this.#depth = depth;
  }
  override getAttr(name: string): TValue | undefined {
    if (name !== 'super') return undefined;
    const stack = this.#context.blocks.get(this.#name) ?? [];
    if (this.#depth + 1 < stack.length) return new BlockReference(this.#context, this.#name, this.#depth + 1);
    const hint = `there is no parent block called '${this.#name}'.`;
    return new Undefined({ name: 'super', strict: this.#context.env.strict, hint });
  }
  call(): Later {
    const body = this.#context.blocks.get(this.#name)?.[this.#depth];
    return body ? run(body(this.#context), this.#context.env.budget) : '';
  }
}

/** The blocks of the template itself. */
export class SelfReference extends TObject {
  readonly typeName = 'TemplateReference';
  readonly #context: Context;
  constructor(context: Context) {
    super();
    this.#context = context;
  }
  override get typeTitle(): string {
    return 'jinja2.runtime.TemplateReference';
  }
  override getAttr(name: string): TValue | undefined {
    return this.getItem(name);
  }
  override getItem(key: TValue): TValue | undefined {
    if (typeof key !== 'string' || !this.#context.blocks.has(key)) return undefined;
    return new BlockReference(this.#context, key, 0);
  }
}
