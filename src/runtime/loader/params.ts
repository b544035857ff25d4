/**
 * The kinds of parameters: what a function is handed for values that may come in any type. Salt's functions convert as
 * they go, with Python's own conversions; here each parameter says once which of them is meant. Every parameter of a
 * module or a state is of a kind; what a function only hands on is `param.value`.
 */
import { ArgumentError } from '../../errors/errors.ts';
import { isTrue, pyCount, pyInt } from '../../python/conversions.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value, pyTypeName } from '../../python/values/value.ts';

/** One parameter. Without `default` it is required. */
export interface ParamSpec {
  readonly default?: Value;
  /**
   * What a default that depends on the machine is made from (`$SHELL`); references, the same everywhere, show it
   * instead.
   */
  readonly defaultFrom?: string;
  /** The types it takes, for documentation: `str`, `int`, `list of str`… */
  readonly type?: string;
  readonly doc?: string;
  /** Only to be given by name (Python's parameters after `*args`). */
  readonly keywordOnly?: boolean;
  /**
   * Of a state: it names a user or a group of this machine, or several, without whom nothing can be done. In test mode
   * one that is not there, and that no earlier state of the run would make, is refused.
   */
  readonly account?: 'user' | 'group';
  /**
   * Of a state: each text of it is one line, since a program or a file would take two for something else. One with a
   * line end is refused before the state does anything, in test mode as well.
   */
  readonly isLine?: true;
  /**
   * Of a state: what a value has to be that is not empty. Anything else would be read as if nothing had been said, or a
   * mapping as its Python spelling, and is refused before the state does anything.
   */
  readonly takes?: 'text' | 'number' | 'list' | 'mapping' | 'list or text';
  /**
   * What the function is handed instead of the value as it was given: one of the kinds below. Parameters of modules and
   * of states all have one; a description without it is of something else (an option of a beacon, of an engine).
   */
  readonly read?: (value: Value) => unknown;
}

/** What `run` is handed: each parameter as its `read` gives it, or as it was given. */
export type TypedArguments<P extends Params> = {
  readonly [K in keyof P]: P[K] extends { readonly read: (value: Value) => infer T } ? T : Value;
};

/** Parameters in the order in which positional arguments fill them. */
export type Params = Readonly<Record<string, ParamSpec>>;

/** A description of a parameter with the type that the function gets. */
export type TypedParam<T> = ParamSpec & { readonly read: (value: Value) => T };

/** What a kind of parameter takes over from the description: all but the type, which it may refine. */
type Described = Omit<ParamSpec, 'read'>;

/** The reader of what is only handed on. */
export const asGiven = (value: Value): Value => value;

/** Makes parameters of the kinds that Salt's callers rely on: `params: { mod: param.text({ doc: … }) }`. */
export const param = {
  /** Python's truth: `if value:`. A text is true unless it is empty, `'False'` as well. */
  flag: <const P extends Described>(said: P): P & TypedParam<boolean> => ({
    type: 'bool',
    ...said,
    read: truthy,
  }),

  /** `value is True`: nothing else counts, no other true value either. */
  trueOnly: <const P extends Described>(said: P): P & TypedParam<boolean> => ({
    type: 'bool',
    ...said,
    read: (value: Value) => value === true,
  }),

  /** `value is not False`: everything else counts, None and the empty text as well. */
  unlessFalse: <const P extends Described>(said: P): P & TypedParam<boolean> => ({
    type: 'bool',
    ...said,
    read: (value: Value) => value !== false,
  }),

  /** Salt's `is_true`: of texts only `true` and numbers above zero. */
  strictFlag: <const P extends Described>(said: P): P & TypedParam<boolean> => ({
    type: 'bool',
    ...said,
    read: isTrue,
  }),

  /** Python's truth, undefined for None: where it matters whether something was said at all. */
  flagIfGiven: <const P extends Described>(said: P): P & TypedParam<boolean | undefined> => ({
    type: 'bool',
    ...said,
    read: (value: Value) => (value === null ? undefined : truthy(value)),
  }),

  /** Python's `str(value)`: None becomes `None`. */
  text: <const P extends Described>(said: P): P & TypedParam<string> => ({
    type: 'str',
    takes: 'text',
    ...said,
    read: pyStr,
  }),

  /** `str(value)`, undefined for None. */
  textOrNone: <const P extends Described>(said: P): P & TypedParam<string | undefined> => ({
    type: 'str',
    takes: 'text',
    ...said,
    read: (value: Value) => (value === null ? undefined : pyStr(value)),
  }),

  /** `str(value)`, undefined for what is false in Python: None, the empty text, zero. */
  textIfGiven: <const P extends Described>(said: P): P & TypedParam<string | undefined> => ({
    type: 'str',
    takes: 'text',
    ...said,
    read: (value: Value) => (truthy(value) ? pyStr(value) : undefined),
  }),

  /** `str(value)`, the empty text for what is false in Python. */
  textOrEmpty: <const P extends Described>(said: P): P & TypedParam<string> => ({
    type: 'str',
    takes: 'text',
    ...said,
    read: (value: Value) => (truthy(value) ? pyStr(value) : ''),
  }),

  /** A text and nothing else. @param refusal what is said of another value */
  textOnly: <const P extends Described>(refusal: Refusal, said: P): P & TypedParam<string> => ({
    type: 'str',
    ...said,
    read: (value: Value) => requireText(value, refusal),
  }),

  /** The same, undefined for None. */
  textOnlyOrNone: <const P extends Described>(
    refusal: Refusal,
    said: P,
  ): P & TypedParam<string | undefined> => ({
    type: 'str',
    ...said,
    read: (value: Value) => (value === null ? undefined : requireText(value, refusal)),
  }),

  /** A text as it was given, undefined for anything else. */
  textAlone: <const P extends Described>(said: P): P & TypedParam<string | undefined> => ({
    type: 'str',
    ...said,
    read: (value: Value) => (typeof value === 'string' ? value : undefined),
  }),

  /** Python's `int(value)`, cut to what an ordinary number holds: seconds, sizes, numbers of things. */
  count: <const P extends Described>(said: P): P & TypedParam<number> => ({
    type: 'int',
    takes: 'number',
    ...said,
    read: pyCount,
  }),

  /** `int(value)`, undefined for what is false in Python: None, the empty text, zero. */
  countIfGiven: <const P extends Described>(said: P): P & TypedParam<number | undefined> => ({
    type: 'int',
    takes: 'number',
    ...said,
    read: (value: Value) => (truthy(value) ? pyCount(value) : undefined),
  }),

  /** A number or the text of one; undefined for anything else, for which the function has a number of its own. */
  number: <const P extends Described>(said: P): P & TypedParam<number | undefined> => ({
    type: 'int',
    ...said,
    read: (value: Value) => toNumber(value),
  }),

  /** The same, undefined for None alone; what is no number is refused, and not taken for the default. */
  numberOnly: <const P extends Described>(said: P): P & TypedParam<number | undefined> => ({
    type: 'int',
    takes: 'number',
    ...said,
    read: (value: Value) => (value === null ? undefined : requireNumber(value)),
  }),

  /** Python's `int(value)`, however great. */
  wholeNumber: <const P extends Described>(said: P): P & TypedParam<number | bigint> => ({
    type: 'int',
    takes: 'number',
    ...said,
    read: pyInt,
  }),

  /** A list of texts, or one text with commas between them, as `value.split(',')` takes it apart. */
  texts: <const P extends Described>(said: P): P & TypedParam<string[]> => ({
    type: 'list or str',
    takes: 'list or text',
    ...said,
    read: textsOf,
  }),

  /** The same, undefined for what is false in Python: None, the empty text, the empty list. */
  textsIfGiven: <const P extends Described>(said: P): P & TypedParam<string[] | undefined> => ({
    type: 'list or str',
    takes: 'list or text',
    ...said,
    read: (value: Value) => (truthy(value) ? textsOf(value) : undefined),
  }),

  /** A list of texts, or one text that is taken as it is; undefined for None. */
  oneOrMore: <const P extends Described>(said: P): P & TypedParam<string[] | undefined> => ({
    type: 'str or list',
    ...said,
    read: (value: Value) =>
      value === null ? undefined : (Array.isArray(value) ? value : [value]).map(pyStr),
  }),

  /** A list as it was given; anything else is an empty one. */
  list: <const P extends Described>(said: P): P & TypedParam<readonly Value[]> => ({
    type: 'list',
    takes: 'list',
    ...said,
    read: (value: Value) => (Array.isArray(value) ? value : []),
  }),

  /** A list as it was given, undefined for anything else. */
  listIfGiven: <const P extends Described>(said: P): P & TypedParam<Value[] | undefined> => ({
    type: 'list',
    takes: 'list',
    ...said,
    read: (value: Value) => (Array.isArray(value) ? value : undefined),
  }),

  /** A mapping; anything else is an empty one. */
  mapping: <const P extends Described>(said: P): P & TypedParam<Dict> => ({
    type: 'dict',
    takes: 'mapping',
    ...said,
    read: (value: Value) => (isDict(value) ? value : new Map()),
  }),

  /** A mapping, undefined for anything else. */
  mappingIfGiven: <const P extends Described>(said: P): P & TypedParam<Dict | undefined> => ({
    type: 'dict',
    takes: 'mapping',
    ...said,
    read: (value: Value) => (isDict(value) ? value : undefined),
  }),

  /** The value as it was given, of whatever type: it is handed on, kept or answered with, and not looked into. */
  value: <const P extends Described>(said: P): P & TypedParam<Value> => ({
    ...said,
    read: asGiven,
  }),

  /** The value as it was given, undefined for what is false in Python: None, the empty text, an empty list, zero. */
  valueIfGiven: <const P extends Described>(said: P): P & TypedParam<Value | undefined> => ({
    ...said,
    read: (value: Value) => (truthy(value) ? value : undefined),
  }),

  /** What a reader of the module's own makes of it: a path, a mode, a host. */
  by: <T, const P extends Described>(read: (value: Value) => T, said: P): P & TypedParam<T> => ({
    ...said,
    read,
  }),
} as const;

/** What Python says of a value that is no text. */
type Refusal = (value: Value) => string;

/** What `open()` and its like say of what is no path. */
export const noPath: Refusal = (value) =>
  `expected str, bytes or os.PathLike object, not ${pyTypeName(value)}`;

/** What functions written in C say of what is no text. @param argument `getspnam() argument` */
export const noText =
  (argument: string): Refusal =>
  (value) =>
    `${argument} must be str, not ${value === null ? 'None' : pyTypeName(value)}`;

/** What `join` says of an item that is no text. */
export const noItem =
  (place: number): Refusal =>
  (value) =>
    `sequence item ${place}: expected str instance, ${pyTypeName(value)} found`;

/** What is said where a text is put behind another. */
export const noSuffix: Refusal = (value) => `can only concatenate str (not "${pyTypeName(value)}") to str`;

/** @throws ArgumentError for anything but text */
function requireText(value: Value, refusal: Refusal): string {
  if (typeof value === 'string') return value;
  throw new ArgumentError(refusal(value));
}

/** @throws ArgumentError for what is no number and not the text of one */
function requireNumber(value: Value): number {
  const number = toNumber(value);
  if (number === undefined) throw new ArgumentError(`${pyRepr(value)} is no number`);
  return number;
}

function textsOf(value: Value): string[] {
  return Array.isArray(value) ? value.map(pyStr) : pyStr(value).split(',');
}

/**
 * Reads bound arguments as their parameters say.
 * @param params the parameters of the function
 * @param args every parameter by name, as given or its default
 * @throws what Python's conversions throw: PythonError (`ValueError`), ArgumentError
 */
export function readArguments<P extends Params>(
  params: P | undefined,
  args: Readonly<Record<string, Value>>,
): TypedArguments<P> {
  const out = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(args)) {
    const value = args[name] as Value;
    const read = params?.[name]?.read;
    out[name] = read === undefined ? value : read(value);
  }
  return out as TypedArguments<P>;
}

/**
 * Reads a mapping of options as parameters say. One that is not there has its default, else None; what no parameter is
 * for is left out.
 * @throws as {@link readArguments}
 */
export function readOptions<P extends Params>(params: P, options: Dict): TypedArguments<P> {
  const given = Object.create(null) as Record<string, Value>;
  for (const [name, { default: fallback = null }] of Object.entries<ParamSpec>(params))
    given[name] = options.get(name) ?? (options.has(name) ? null : fallback);
  return readArguments(params, given);
}
