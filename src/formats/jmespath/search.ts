/**
 * JMESPath: finding and shaping parts of data, as the template filter `json_query` does it (jmespath 1.0 of Python).
 */
import { compareText } from '../../python/values/order.ts';
import { toJson } from '../json/text.ts';
import {
  copyValue,
  float,
  isDict,
  isFloat,
  isInt,
  toNumber,
  valuesEqual,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { JmespathError, parseJmespath, type Comparator, type Node } from './parse.ts';

export { JmespathError } from './parse.ts';

/**
 * Searches data.
 * @throws JmespathError for expressions that cannot be read, and functions whose arguments do not fit
 */
export function searchJmespath(expression: string, data: Value): Value {
  return evaluate(parseJmespath(expression), data);
}

const isNumber = (value: Value): boolean => isInt(value) || isFloat(value);

/** What counts as false: nothing, false, and what is empty; 0 is true. */
function isFalse(value: Value): boolean {
  if (value === null || value === false || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isDict(value) && value.size === 0;
}

function evaluate(node: Node, data: Value): Value {
  switch (node.type) {
    case 'identity':
      return data;
    case 'literal':
      return node.value;
    case 'field':
      return isDict(data) ? (data.get(node.name) ?? null) : null;
    case 'index':
      return Array.isArray(data) ? (data.at(node.index) ?? null) : null;
    case 'slice':
      return Array.isArray(data) ? slice(data, node.parts) : null;
    case 'chain':
      return evaluate(node.right, evaluate(node.left, data));
    case 'or': {
      const left = evaluate(node.left, data);
      return isFalse(left) ? evaluate(node.right, data) : left;
    }
    case 'and': {
      const left = evaluate(node.left, data);
      return isFalse(left) ? left : evaluate(node.right, data);
    }
    case 'not':
      return isFalse(evaluate(node.of, data));
    case 'flatten': {
      const inner = evaluate(node.of, data);
      return Array.isArray(inner) ? inner.flatMap((item) => (Array.isArray(item) ? item : [item])) : null;
    }
    case 'projection':
    case 'values': {
      const base = evaluate(node.left, data);
      const items = node.type === 'projection' ? base : isDict(base) ? [...base.values()] : null;
      return Array.isArray(items) ? project(items, node.right) : null;
    }
    case 'filter': {
      const base = evaluate(node.left, data);
      if (!Array.isArray(base)) return null;
      return project(
        base.filter((item) => !isFalse(evaluate(node.condition, item))),
        node.right,
      );
    }
    case 'compare':
      return compare(node.how, evaluate(node.left, data), evaluate(node.right, data));
    case 'list':
      return data === null ? null : node.items.map((item) => evaluate(item, data));
    case 'hash':
      return data === null ? null : new Map(node.items.map(([name, item]) => [name, evaluate(item, data)]));
    case 'call':
      return call(node.name, node.args, data);
    case 'reference':
      throw new JmespathError('An expression behind & can only be handed to a function.');
  }
}

function project(items: readonly Value[], right: Node): Value[] {
  return items.map((item) => evaluate(right, item)).filter((item) => item !== null);
}

/** Python's `list[start:stop:step]`. */
function slice(items: readonly Value[], [start, stop, step = 1]: readonly (number | undefined)[]): Value[] {
  if (step === 0) throw new JmespathError('slice step cannot be zero');
  const size = items.length;
  const bound = (at: number | undefined, none: number): number => {
    if (at === undefined) return none;
    const from = at < 0 ? at + size : at;
    return step > 0 ? Math.min(Math.max(from, 0), size) : Math.min(Math.max(from, -1), size - 1);
  };
  const [from, to] =
    step > 0 ? [bound(start, 0), bound(stop, size)] : [bound(start, size - 1), bound(stop, -1)];
  const out: Value[] = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) out.push(items[i] as Value);
  return out;
}

function compare(how: Comparator, a: Value, b: Value): Value {
  if (how === '==') return isEqual(a, b);
  if (how === '!=') return !isEqual(a, b);
  if (!isNumber(a) || !isNumber(b)) return null;
  const [x, y] = [toNumber(a) ?? NaN, toNumber(b) ?? NaN];
  return how === '<' ? x < y : how === '<=' ? x <= y : how === '>' ? x > y : x >= y;
}

function isEqual(a: Value, b: Value): boolean {
  if ((typeof a === 'boolean') !== (typeof b === 'boolean')) return false; // Python's True == 1 does not count
  return valuesEqual(a, b);
}

function typeOf(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (isNumber(value)) return 'number';
  return Array.isArray(value) ? 'array' : isDict(value) ? 'object' : 'string';
}

type Arg = { readonly value: Value } | { readonly apply: (item: Value) => Value };

function call(name: string, nodes: readonly Node[], data: Value): Value {
  const known = FUNCTIONS.get(name);
  if (known === undefined) throw new JmespathError(`Unknown function: ${name}()`);
  const [types, run] = known;
  const isOpen = types.at(-1) === '…';
  const least = isOpen ? types.length - 1 : types.length;
  if (nodes.length < least || (!isOpen && nodes.length > least))
    throw new JmespathError(`Expected ${least} arguments for function ${name}(), received ${nodes.length}`);
  const args = nodes.map((node, i): Arg => {
    const wanted = types[Math.min(i, least - 1)] ?? 'any';
    if (node.type === 'reference') {
      if (wanted !== 'expref') throw wrongType(name, wanted, 'expref');
      return { apply: (item) => evaluate(node.of, item) };
    }
    const value = evaluate(node, data);
    checkType(name, wanted, value);
    return { value };
  });
  const valueAt = (i: number): Value => {
    const arg = args[i];
    return arg !== undefined && 'value' in arg ? arg.value : null;
  };
  const applyAt = (i: number) => {
    const arg = args[i];
    return arg !== undefined && 'apply' in arg ? arg.apply : (item: Value): Value => item;
  };
  return run({ name, count: args.length, valueAt, applyAt });
}

function wrongType(name: string, wanted: string, got: string): JmespathError {
  return new JmespathError(
    `In function ${name}(), invalid type for value, expected one of: ${wanted}, received: "${got}"`,
  );
}

function checkType(name: string, wanted: string, value: Value): void {
  const got = typeOf(value);
  const fits = wanted.split('|').some((one) => {
    const [, of] = /^array-(\w+)$/.exec(one) ?? [];
    if (of !== undefined) return Array.isArray(value) && value.every((item) => typeOf(item) === of);
    return one === 'any' || one === got;
  });
  if (!fits) throw wrongType(name, wanted, got);
}

interface Given {
  readonly name: string;
  readonly count: number;
  valueAt(i: number): Value;
  applyAt(i: number): (item: Value) => Value;
}

const listAt = (given: Given, i: number): Value[] => given.valueAt(i) as Value[];
const textAt = (given: Given, i: number): string => given.valueAt(i) as string;
const dictAt = (given: Given, i: number): Dict => given.valueAt(i) as Dict;
const numberAt = (given: Given, i: number): number => toNumber(given.valueAt(i)) ?? 0;

function inOrder(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return (toNumber(a) ?? 0) - (toNumber(b) ?? 0);
}

/** Each item with what the expression gives for it: all numbers, or all texts. */
function keyed(
  given: Given,
  items: readonly Value[],
  apply: (item: Value) => Value,
): { item: Value; key: Value }[] {
  const out = items.map((item) => ({ item, key: apply(item) }));
  const first = out[0] === undefined ? 'number' : typeOf(out[0].key);
  for (const { key } of out)
    if (typeOf(key) !== first || (first !== 'number' && first !== 'string'))
      throw wrongType(given.name, 'number|string', typeOf(key));
  return out;
}

const extreme =
  (sign: 1 | -1) =>
  (given: Given): Value =>
    listAt(given, 0).reduce<Value>(
      (best, item) => (best === null || sign * inOrder(item, best) > 0 ? item : best),
      null,
    );
const extremeBy =
  (sign: 1 | -1) =>
  (given: Given): Value =>
    keyed(given, listAt(given, 0), given.applyAt(1)).reduce<{ item: Value; key: Value } | undefined>(
      (best, one) => (best === undefined || sign * inOrder(one.key, best.key) > 0 ? one : best),
      undefined,
    )?.item ?? null;

/** A sum stays whole when all of its numbers are. */
function total(items: readonly Value[]): Value {
  const sum = items.reduce<number>((all, item) => all + (toNumber(item) ?? 0), 0);
  return items.every(isInt) ? sum : float(sum);
}

function toNumberValue(value: Value): Value {
  if (isNumber(value)) return value;
  if (typeof value !== 'string' || !/^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(value)) return null;
  return /^\s*[-+]?\d+\s*$/.test(value) ? Number(value) : float(Number(value));
}

function contains(given: Given): Value {
  const [subject, search] = [given.valueAt(0), given.valueAt(1)];
  if (typeof subject === 'string') return typeof search === 'string' && subject.includes(search);
  return (subject as Value[]).some((item) => isEqual(item, search));
}

function lengthOf(value: Value): number {
  if (typeof value === 'string') return [...value].length;
  return isDict(value) ? value.size : (value as Value[]).length;
}

const COMPACT = { separators: [',', ':'] } as const;

/** The functions: types of the arguments (`…` for as many as one likes), and what they do. */
const FUNCTIONS: ReadonlyMap<string, readonly [readonly string[], (given: Given) => Value]> = new Map<
  string,
  readonly [readonly string[], (given: Given) => Value]
>([
  [
    'abs',
    [
      ['number'],
      (g) =>
        isFloat(g.valueAt(0)) && !isInt(g.valueAt(0))
          ? float(Math.abs(numberAt(g, 0)))
          : Math.abs(numberAt(g, 0)),
    ],
  ],
  [
    'avg',
    [
      ['array-number'],
      (g) =>
        listAt(g, 0).length === 0 ? null : float((toNumber(total(listAt(g, 0))) ?? 0) / listAt(g, 0).length),
    ],
  ],
  ['ceil', [['number'], (g) => Math.ceil(numberAt(g, 0))]],
  ['contains', [['array|string', 'any'], contains]],
  ['ends_with', [['string', 'string'], (g) => textAt(g, 0).endsWith(textAt(g, 1))]],
  ['floor', [['number'], (g) => Math.floor(numberAt(g, 0))]],
  ['join', [['string', 'array-string'], (g) => (listAt(g, 1) as string[]).join(textAt(g, 0))]],
  ['keys', [['object'], (g) => [...dictAt(g, 0).keys()]]],
  ['length', [['string|array|object'], (g) => lengthOf(g.valueAt(0))]],
  ['map', [['expref', 'array'], (g) => listAt(g, 1).map(g.applyAt(0))]],
  ['max', [['array-number|array-string'], extreme(1)]],
  ['max_by', [['array', 'expref'], extremeBy(1)]],
  [
    'merge',
    [['object', '…'], (g) => new Map(Array.from({ length: g.count }, (_, i) => [...dictAt(g, i)]).flat())],
  ],
  ['min', [['array-number|array-string'], extreme(-1)]],
  ['min_by', [['array', 'expref'], extremeBy(-1)]],
  [
    'not_null',
    [
      ['any', '…'],
      (g) => Array.from({ length: g.count }, (_, i) => g.valueAt(i)).find((value) => value !== null) ?? null,
    ],
  ],
  [
    'reverse',
    [
      ['array|string'],
      (g) =>
        typeof g.valueAt(0) === 'string' ? [...textAt(g, 0)].reverse().join('') : [...listAt(g, 0)].reverse(),
    ],
  ],
  ['sort', [['array-number|array-string'], (g) => [...listAt(g, 0)].sort(inOrder)]],
  [
    'sort_by',
    [
      ['array', 'expref'],
      (g) =>
        keyed(g, listAt(g, 0), g.applyAt(1))
          .sort((a, b) => inOrder(a.key, b.key))
          .map(({ item }) => item),
    ],
  ],
  ['starts_with', [['string', 'string'], (g) => textAt(g, 0).startsWith(textAt(g, 1))]],
  ['sum', [['array-number'], (g) => total(listAt(g, 0))]],
  ['to_array', [['any'], (g) => (Array.isArray(g.valueAt(0)) ? g.valueAt(0) : [g.valueAt(0)])]],
  ['to_number', [['any'], (g) => toNumberValue(g.valueAt(0))]],
  [
    'to_string',
    [
      ['any'],
      (g) =>
        typeof g.valueAt(0) === 'string'
          ? g.valueAt(0)
          : toJson(g.valueAt(0), { ...COMPACT, ensureAscii: true }),
    ],
  ],
  ['type', [['any'], (g) => typeOf(g.valueAt(0))]],
  ['values', [['object'], (g) => copyValue([...dictAt(g, 0).values()])]],
]);
