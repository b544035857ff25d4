/** Attributes, items and slices as the sandbox of Jinja gives them (jinja2/sandbox.py 3.1). */
import { formatText, type FormatModel } from '../../python/text/format.ts';
import { fromBigInt } from '../../python/values/int-text.ts';
import { isBytes, PyObject } from '../../python/values/value.ts';
import type { RenderBudget } from './budget.ts';
import { typeError, valueError } from './errors.ts';
import { repr, str } from './text-of.ts';
import { BYTES_METHODS } from './methods-bytes.ts';
import { TEXT_METHODS } from './methods-text.ts';
import { DICT_METHODS, LIST_METHODS, SET_METHODS, TUPLE_METHODS } from './methods-collections.ts';
import {
  NamedTuple,
  PyRange,
  PyTuple,
  TObject,
  tuple,
  typeName,
  typeTitle,
  type Callable,
  type CallScope,
  type Kwargs,
  type Later,
  type NativeBody,
  type TValue,
} from './model.ts';
import { toValue } from './plain.ts';
import { Undefined } from './undefined.ts';
import { callValue, dictGet, isFloatValue, isIntValue, numberOf } from './operators.ts';
import { PySet } from './set.ts';
import { asksFor, atOnce as now, operated, waited } from './asking.ts';

/** What access needs of the environment. */
export interface AccessEnvironment {
  readonly strict: boolean;
  /** The names Jinja's errors give to some objects instead of their type's. */
  readonly titles: WeakMap<object, string>;
  readonly budget: RenderBudget;
}

/**
 * Methods of lists and mappings that compare what is in them, or change it; all others look at one item, or pass each
 * of them once.
 */
const CONTAINER_METHODS: ReadonlyMap<string, 'compares' | 'changes'> = new Map([
  ...(['count', 'index'] as const).map((name) => [name, 'compares'] as const),
  ...'add append clear discard extend insert pop popitem remove reverse setdefault sort update'
    .split(' ')
    .map((name) => [name, 'changes'] as const),
]);
/** Changes that compare as well. */
const SEARCHING = new Set(['remove', 'sort']);
const NOTHING: readonly TValue[] = [];

/** Calls a method within the budget. @param args the value that it is a method of first */
function callMethod(budget: RenderBudget, ...method: Method): Later {
  try {
    return calledMethod(budget, ...method);
  } catch (error) {
    return waited(
      error,
      (...again: Method) => budget.working(() => calledMethod(budget, ...again)),
      ...method,
    );
  }
}

type Method = [
  name: string,
  body: NativeBody,
  args: readonly TValue[],
  kwargs: Kwargs | undefined,
  scope: CallScope,
];

function calledMethod(
  budget: RenderBudget,
  name: string,
  body: NativeBody,
  args: readonly TValue[],
  kwargs: Kwargs | undefined,
  scope: CallScope,
): Later {
  if (typeof args[0] === 'string') return budget.call(body, args, kwargs, scope);
  const kind = CONTAINER_METHODS.get(name);
  if (kind === undefined) return budget.call(body, args, kwargs, scope, NOTHING);
  if (kind === 'changes') budget.changed();
  const reads = kind === 'compares' || SEARCHING.has(name);
  return budget.call(body, args, kwargs, scope, reads ? args : NOTHING);
}

/** A method of a value, not called yet. */
class BoundMethod extends TObject implements Callable {
  readonly typeName = 'builtin_function_or_method';
  readonly #self: TValue;
  readonly #name: string;
  readonly #body: NativeBody;
  constructor(self: TValue, name: string, body: NativeBody) {
    super();
    this.#self = self;
    this.#name = name;
    this.#body = body;
  }
  override repr(): string {
    return `<built-in method ${this.#name} of ${typeName(this.#self)} object at 0x7f0000000000>`;
  }
  call(args: readonly TValue[], kwargs: Kwargs | undefined, scope: CallScope): Later {
    const { budget } = scope.env as AccessEnvironment;
    return callMethod(budget, this.#name, this.#body, [this.#self, ...args], kwargs, scope);
  }
}

/** Attributes that every Python object has, and that the sandbox refuses. */
const SPECIAL = new Set(
  'class doc init new repr str hash eq ne lt le gt ge dir format getattribute setattr delattr reduce reduce_ex sizeof subclasshook init_subclass'
    .split(' ')
    .map((name) => `__${name}__`),
);
const CONTAINER_SPECIAL = new Set(
  '__len__ __getitem__ __iter__ __contains__ __setitem__ __delitem__ __class_getitem__'.split(' '),
);

function methodsOf(value: TValue): ReadonlyMap<string, NativeBody> | undefined {
  if (typeof value === 'string') return TEXT_METHODS;
  if (value instanceof PyTuple) return TUPLE_METHODS;
  if (Array.isArray(value)) return LIST_METHODS;
  if (value instanceof Map) return DICT_METHODS;
  if (value instanceof PySet) return SET_METHODS;
  return isBytes(value) ? BYTES_METHODS : undefined;
}

/** `str.format` and `str.format_map`, which reach attributes only through the sandbox. */
function formatMethod(env: AccessEnvironment, name: string): NativeBody | undefined {
  if (name !== 'format' && name !== 'format_map') return undefined;
  const model: FormatModel<TValue> = {
    str,
    repr,
    typeName,
    attr: (value, attr) => now(getAttr(env, value, attr)),
    item: (value, key) => now(getItem(env, value, key)),
  };
  return ([self, ...args], kwargs) => {
    if (name === 'format') return formatText(self as string, args, kwargs ?? new Map(), model);
    const [mapping] = args;
    if (!(mapping instanceof Map)) throw typeError('format_map() takes exactly one argument');
    const named = new Map(
      [...mapping].filter((pair): pair is [string, TValue] => typeof pair[0] === 'string'),
    );
    return formatText(self as string, [], named, model);
  };
}

/** The method of a value, without its object. */
function method(env: AccessEnvironment, value: TValue, name: string): NativeBody | undefined {
  const found = methodsOf(value)?.get(name);
  return found ?? (typeof value === 'string' ? formatMethod(env, name) : undefined);
}

/** Python's `getattr`, or undefined where there is none. */
function attribute(env: AccessEnvironment, value: TValue, name: string): Later | undefined {
  if (value instanceof PyObject) {
    if (!name.startsWith('_')) return value.ask('attribute', [name]) as Later;
  } else if (value instanceof TObject && !(value instanceof PySet)) {
    const found = value.getAttr(name);
    if (found !== undefined) return found;
  } else {
    if (value instanceof NamedTuple) {
      const field = value[value.fields.indexOf(name)];
      if (field !== undefined) return field;
    }
    const body = method(env, value, name);
    if (body) return new BoundMethod(value, name, body);
    if (isIntValue(value) && (name === 'real' || name === 'numerator'))
      return fromBigInt(BigInt(numberOf(value) ?? 0));
    if (isIntValue(value) && name === 'imag') return 0;
    if (isFloatValue(value) && name === 'is_integer')
      return new BoundMethod(value, name, ([self]) => Number.isInteger(numberOf(self as TValue)));
    if (isIntValue(value) && name === 'bit_length')
      return new BoundMethod(value, name, ([self]) => {
        const size = BigInt(numberOf(self as TValue) ?? 0);
        return size === 0n ? 0 : (size < 0n ? -size : size).toString(2).length;
      });
  }
  // what such a name stands for in Python is not asked: the sandbox would refuse it
  const isHidden = value instanceof PyObject && name.startsWith('_');
  const isSpecial =
    isHidden || SPECIAL.has(name) || (CONTAINER_SPECIAL.has(name) && methodsOf(value) !== undefined);
  if (isSpecial && !(value instanceof Undefined))
    return new Undefined({
      name,
      strict: env.strict,
      hint: `access to attribute '${name}' of '${typeName(value)}' object is unsafe.`,
      unsafe: true,
    });
  return undefined;
}

function missing(env: AccessEnvironment, value: TValue, name: TValue): Undefined {
  return new Undefined({ name, strict: env.strict, owner: typeTitle(value, env.titles) });
}

/** What was found; undefined where nothing was, or where a promise gives nothing. */
function settled(env: AccessEnvironment, value: TValue, name: TValue, found: Later | undefined): Later {
  if (found instanceof Promise)
    return found.then((one) => ((one as TValue | undefined) === undefined ? missing(env, value, name) : one));
  return found === undefined ? missing(env, value, name) : found;
}

/** `a.b`: the attribute, else the item, else undefined. */
export function getAttr(env: AccessEnvironment, value: TValue, name: string): Later {
  let found = attribute(env, value, name);
  if (found === undefined) found = item(value, name);
  return settled(env, value, name, found);
}

/** `a[b]`: the item, else the attribute of that name, else undefined. */
export function getItem(env: AccessEnvironment, value: TValue, key: TValue): Later {
  const found = item(value, key);
  if (found !== undefined) return settled(env, value, key, found);
  if (key instanceof TObject && key.isAnything) return key;
  const attr = typeof key === 'string' ? attribute(env, value, key) : undefined;
  return settled(env, value, key, attr);
}

function item(value: TValue, key: TValue): Later | undefined {
  if (value instanceof Map)
    return Array.isArray(key) && !(key instanceof PyTuple) ? undefined : dictGet(value, key);
  if (value instanceof TObject) return value.getItem(key);
  if (value instanceof PyObject) return value.ask('item', [toValue(key)]) as Later;
  const index = typeof key === 'boolean' ? Number(key) : key;
  if (typeof index !== 'number' || !Number.isInteger(index)) return undefined;
  if (typeof value === 'string') {
    const points = /[\ud800-\udfff]/.test(value) ? [...value] : value;
    return points[index < 0 ? index + points.length : index];
  }
  if (Array.isArray(value) || isBytes(value)) return value[index < 0 ? index + value.length : index];
  return undefined;
}

function bound(part: TValue, length: number, fallback: number, step: number): number {
  if (part === null) return fallback;
  const index = typeof part === 'boolean' ? Number(part) : part;
  if (typeof index !== 'number' || !Number.isInteger(index))
    throw typeError('slice indices must be integers or None or have an __index__ method');
  const at = index < 0 ? index + length : index;
  return step > 0 ? Math.max(0, Math.min(length, at)) : Math.max(-1, Math.min(length - 1, at));
}

function sliced<T>(items: readonly T[], start: TValue, stop: TValue, stepValue: TValue): T[] {
  const step = stepValue === null ? 1 : Number(stepValue);
  if (step === 0) throw valueError('slice step cannot be zero');
  const { length } = items;
  const from = bound(start, length, step > 0 ? 0 : length - 1, step);
  const to = bound(stop, length, step > 0 ? length : -1, step);
  if (step === 1) return items.slice(from, Math.max(from, to));
  const out: T[] = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) out.push(items[i] as T);
  return out;
}

/** `a[start:stop:step]`. What cannot be sliced is undefined. */
export function slice(
  env: AccessEnvironment,
  value: TValue,
  start: TValue,
  stop: TValue,
  step: TValue,
): TValue {
  const object = asksFor(value);
  if (object !== undefined) {
    const found = operated(object, 'slice', object, start, stop, step);
    if (found !== undefined) return found;
  }
  if (typeof value === 'string') return sliced([...value], start, stop, step).join('');
  if (Array.isArray(value)) {
    const out = sliced([...value], start, stop, step);
    return value instanceof PyTuple ? tuple(out) : out;
  }
  if (isBytes(value)) return Uint8Array.from(sliced([...value], start, stop, step));
  if (value instanceof PyRange) return sliced([...value.iterate()], start, stop, step);
  if (value instanceof Undefined) return value.fail();
  return new Undefined({
    name: `slice(${[start, stop, step].map((part) => (part === null ? 'None' : String(part as number))).join(', ')})`,
    strict: env.strict,
    hint: `${typeTitle(value, env.titles)} has no element slice(${[start, stop, step].map((part) => (part === null ? 'None' : String(part as number))).join(', ')})`,
  });
}

/** `a.b(…)`, without making the bound method where there is one. */
export function callAttr(
  scope: CallScope & { readonly env: AccessEnvironment },
  value: TValue,
  name: string,
  args: readonly TValue[],
  kwargs: Kwargs | undefined,
): Later {
  const body = method(scope.env, value, name);
  if (body) return callMethod(scope.env.budget, name, body, [value, ...args], kwargs, scope);
  const found = getAttr(scope.env, value, name);
  if (found instanceof Promise) return found.then((f) => callValue(f, args, kwargs, scope));
  return callValue(found, args, kwargs, scope);
}
