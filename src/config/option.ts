/** How options are described, and the typed object that the programs read them from. */
import { isDict, type Dict, type Value } from '../python/values/value.ts';
import type { Unserved } from './unserved.ts';

/** The TypeScript type behind each kind of option. */
export interface OptionTypes {
  str: string;
  /** text, or null when not set */
  'str?': string | null;
  int: number;
  /** a whole number, or null when not set */
  'int?': number | null;
  num: number;
  bool: boolean;
  /** a truth value, or null when not set */
  'bool?': boolean | null;
  list: Value[];
  dict: Dict;
  /** several shapes; the reader of the option tells them apart */
  any: Value;
}

/** The kinds of option. */
export type OptionKind = keyof OptionTypes;

/** The names that may stand in the value of an option with a list or a mapping. */
export interface NamesInside {
  /** What a name is, in the singular. */
  readonly noun: string;
  /** Those of the option's reader, which a test compares. */
  readonly names: readonly string[];
  /** What another name comes to. */
  readonly otherwise: string;
  /** True where names are taken in any case. */
  readonly isAnyCase?: boolean;
}

/** Which program puts a path below `root_dir`: whichever loads the option, or only the one whose path it is. */
export type PathOwner = 'every program' | 'salt-api' | 'salt-syndic';

/** What else is known of an option, beyond its kind. */
export interface OptionFacts {
  /** Set for what Brine does not serve; every other option is read somewhere, which a test proves. */
  readonly unserved?: Unserved;
  /** Python types that it takes, in the order in which Salt names them (VALID_OPTS); without it those of its kind. */
  readonly types?: readonly string[];
  /** True for a value of another shape, which is brought into the option's own later on. */
  readonly also?: (value: Value) => boolean;
  /** The only values that there are; null is one besides. */
  readonly choices?: readonly string[];
  /** What a value that is no choice comes to. */
  readonly otherwise?: string;
  readonly inside?: NamesInside;
  /** Set for the path of a file or folder that belongs to a program. */
  readonly pathOf?: PathOwner;
  /** The least number that means something; without it that of `leastOf`, and 1 of a port. */
  readonly least?: number;
}

/** One option: its kind, default and meaning. The table is the source of parsing, checks and documentation. */
export interface OptionSpec<K extends OptionKind = OptionKind> extends OptionFacts {
  readonly kind: K;
  readonly default: OptionTypes[K];
  readonly doc: string;
}

/** Options by the name Salt's configuration files use. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** The value type of one option of a table. */
export type OptionValue<T extends OptionTable, K extends keyof T> = OptionTypes[T[K]['kind']];

/**
 * Shorthand for tables: `ret_port: option('int', 4506, 'request port')`.
 * @param more why it is not served, or whatever else is known of it
 */
export function option<K extends OptionKind>(
  kind: K,
  value: OptionTypes[K],
  doc: string,
  more: OptionFacts | Unserved = {},
): OptionSpec<K> {
  const facts: OptionFacts = 'action' in more ? { unserved: more } : more;
  return { kind, default: value, doc, ...facts };
}

/**
 * The least number that an option takes that is served. Most are times, sizes and counts, and none of these is below
 * nothing; options that may be left open say themselves what they take, and a default that is less is a value, too.
 */
export function leastOf({ kind, least, unserved, default: usual }: OptionSpec): number | undefined {
  if (unserved !== undefined) return undefined;
  if (least !== undefined || (kind !== 'int' && kind !== 'num')) return least;
  return Math.min(0, usual as number);
}

/** The options of a table that hold paths which this owner puts below `root_dir`. */
export function pathOptions(table: OptionTable, owner: PathOwner): string[] {
  return Object.keys(table).filter((name) => table[name]?.pathOf === owner);
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
    case 'int?':
      return value === null || fitsKind('int', value);
    case 'num':
      return typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean';
    case 'bool?':
      return typeof value === 'boolean' || value === null;
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
