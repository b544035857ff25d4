/** Jinja's undefined (jinja2/runtime.py 3.1 `StrictUndefined`). */
import { repr } from './text-of.ts';
import { SecurityError, UndefinedError } from './errors.ts';
import { TObject, type TValue } from './model.ts';

const SANDBOX = 'unsafe';

/** Jinja's undefined: a value that is not there, and the sentence about it. */
export class Undefined extends TObject {
  readonly undefinedName: TValue;
  readonly #hint: string | undefined;
  readonly #owner: string | undefined;
  readonly #kind: 'undefined' | typeof SANDBOX;
  /** False with `allow_undefined`: it prints as nothing and iterates over nothing. */
  readonly strict: boolean;

  /**
   * @param owner the name of the type that lacks the attribute or item
   * @param hint the whole sentence, when it is not the usual one
   */
  constructor(parts: {
    readonly name: TValue;
    readonly strict: boolean;
    readonly owner?: string;
    readonly hint?: string;
    readonly unsafe?: boolean;
  }) {
    super();
    this.undefinedName = parts.name;
    this.strict = parts.strict;
    this.#owner = parts.owner;
    this.#hint = parts.hint;
    this.#kind = parts.unsafe === true ? SANDBOX : 'undefined';
  }

  get typeName(): string {
    return this.strict ? 'StrictUndefined' : 'Undefined';
  }

  override get typeTitle(): string {
    return `jinja2.runtime.${this.typeName}`;
  }

  /** The sentence: `'x' is undefined`. */
  get sentence(): string {
    if (this.#hint !== undefined) return this.#hint;
    const name = this.undefinedName;
    if (this.#owner === undefined) return `${quoted(String(name))} is undefined`;
    if (typeof name === 'string') return `${quoted(this.#owner)} has no attribute ${quoted(name)}`;
    return `${this.#owner} has no element ${repr(name)}`;
  }

  /** @throws UndefinedError or SecurityError, always */
  fail(): never {
    throw this.#kind === SANDBOX ? new SecurityError(this.sentence) : new UndefinedError(this.sentence);
  }

  override str(): string {
    return this.strict ? this.fail() : '';
  }
  override repr(): string {
    return 'Undefined';
  }
  override truthy(): boolean {
    return this.strict ? this.fail() : false;
  }
  override getAttr(): never {
    return this.fail();
  }
  override getItem(): never {
    return this.fail();
  }
  override contains(): boolean {
    return this.strict ? this.fail() : false;
  }
  override iterate(): Iterable<TValue> {
    return this.strict ? this.fail() : [];
  }
  override get length(): number {
    return this.strict ? this.fail() : 0;
  }
  override equals(other: TValue): boolean {
    return this.strict ? this.fail() : other instanceof Undefined;
  }
}

function quoted(text: string): string {
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll("'", "\\'")}'`;
}
