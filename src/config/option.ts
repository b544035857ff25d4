/** How options are described, and the typed object that the programs read them from. */
import { isDict, type Dict, type Value } from '../python/values/value.ts';
import type { Unserved } from './unserved.ts';

/** The TypeScript type behind each kind of option. */
export interface OptionTypes {
  str: string;
  /** text, or null when not set */
  'str?': string | null;
  int: number;
  num: number;
  bool: boolean;
  list: Value[];
  dict: Dict;
  /** several shapes; the reader of the option tells them apart */
  any: Value;
}

/** The kinds of option. */
export type OptionKind = keyof OptionTypes;

/** One option: its kind, default and meaning. The table is the source of parsing, checks and documentation. */
export interface OptionSpec<K extends OptionKind = OptionKind> {
  readonly kind: K;
  readonly default: OptionTypes[K];
  readonly doc: string;
  /** Set for what Brine does not serve; every other option is read somewhere, which a test proves. */
  readonly unserved?: Unserved;
}

/** Options by the name Salt's configuration files use. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** The value type of one option of a table. */
export type OptionValue<T extends OptionTable, K extends keyof T> = OptionTypes[T[K]['kind']];

/** Shorthand for tables: `ret_port: option('int', 4506, 'request port')`. */
export function option<K extends OptionKind>(
  kind: K,
  value: OptionTypes[K],
  doc: string,
  unserved?: Unserved,
): OptionSpec<K> {
  return { kind, default: value, doc, ...(unserved === undefined ? {} : { unserved }) };
}

/** True when `value` is of the option's kind (an int also serves as num). */
export function fitsKind(kind: OptionKind, value: Value): boolean {
  switch (kind) {
    case 'str':
      return typeof value === 'string';
    case 'str?':
      return typeof value === 'string' || value === null;
    case 'int':
      return typeof value === 'number' && Number.isInteger(value);
    case 'num':
      return typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value);
    case 'dict':
      return isDict(value);
    case 'any':
      return true;
  }
}

/**
 * The options of one program after reading, checking and normalising. Known options are typed by their table; what a
 * file says beyond the table is kept for `config.get` and for modules.
 */
export class Options<T extends OptionTable = OptionTable> {
  readonly table: T;
  readonly #values: Dict;

  /** @param values every known option with a value that fits its kind, and any unknown ones */
  constructor(table: T, values: Dict) {
    this.table = table;
    this.#values = values;
  }

  /** The value of a known option. */
  get<K extends keyof T & string>(key: K): OptionValue<T, K> {
    const value = this.#values.get(key);
    const spec = this.table[key] as OptionSpec;
    return (value !== undefined && fitsKind(spec.kind, value) ? value : spec.default) as OptionValue<T, K>;
  }

  /** The value of any option, known or not; undefined when neither set nor known. */
  raw(key: string): Value | undefined {
    return this.#values.get(key) ?? (Object.hasOwn(this.table, key) ? this.table[key]?.default : undefined);
  }

  /** A copy in which some options are replaced. */
  with(changes: Dict): Options<T> {
    return new Options(this.table, new Map([...this.#values, ...changes]));
  }

  /** All options as a mapping, in the order in which they were set. The copy is shallow. */
  toDict(): Dict {
    return new Map(this.#values);
  }
}
