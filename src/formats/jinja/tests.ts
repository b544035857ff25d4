/** Jinja's tests and Salt's (jinja2/tests.py 3.1; 3006.16 salt/utils/jinja.py). */
import { PyObject } from '../../python/values/value.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { bound, native, type BoundBody, type Entry, type Values } from './bind.ts';
import { environmentOf } from './filters-sequence.ts';
import { isCallable, PyTuple, TObject, type NativeBody, type TValue } from './model.ts';
import { Undefined } from './undefined.ts';
import { TEXT_METHODS } from './methods-text.ts';
import {
  eq,
  ge,
  gt,
  isFloatValue,
  isIn,
  isIntValue,
  itemsOf,
  le,
  lt,
  mod,
  ne,
  numberOf,
  truthy,
} from './operators.ts';
import { str } from './text-of.ts';

const isOdd = (value: TValue): boolean => eq(mod(value, 2), 1);
const caseOf =
  (method: string): BoundBody<1> =>
  ([v], scope) =>
    TEXT_METHODS.get(method)?.([str(v)], undefined, scope) ?? false;
const compare = (names: readonly string[], test: (a: TValue, b: TValue) => boolean): Entry[] =>
  names.map((name) => bound(name, ['other'], ([a, b]) => test(a, b)));

function isSequence(value: TValue): boolean {
  if (value instanceof Undefined) return false;
  return (
    typeof value === 'string' ||
    Array.isArray(value) ||
    value instanceof Map ||
    (value instanceof TObject && value.typeName === 'range') ||
    value instanceof Uint8Array ||
    (value instanceof PyObject && value.isSequence)
  );
}

function isIterable(value: TValue): boolean {
  return itemsOf(value) !== undefined;
}

function matches([text, pattern, ignorecase, multiline]: Values<4>): boolean {
  return (
    compilePattern(str(pattern), {
      ignoreCase: truthy(ignorecase),
      multiline: truthy(multiline),
    }).matchStart(str(text)) !== undefined
  );
}

/**
 * Python's `is`, as far as values have an identity here. Two texts are taken for two objects, as one of pillar and one
 * in a template are in Python, which has but one empty text.
 */
function isSame(a: TValue, b: TValue): boolean {
  if (typeof a === 'string' && a !== '') return false;
  if (a instanceof PyObject && b instanceof PyObject)
    return a.place.every((part, at) => part === b.place[at]);
  if (a === b) return true;
  return typeof a === typeof b && numberOf(a) !== undefined && typeof a !== 'boolean' && eq(a, b);
}

const ENTRIES: readonly Entry[] = [
  bound('boolean', [], ([v]) => typeof v === 'boolean'),
  bound(
    'callable',
    [],
    ([v]) => v instanceof Undefined || isCallable(v) || (v instanceof PyObject && v.isCallable),
  ),
  bound('defined', [], ([v]) => !(v instanceof Undefined)),
  bound('divisibleby', ['num'], ([v, n]) => eq(mod(v, n), 0)),
  bound('escaped', [], () => false),
  bound('even', [], ([v]) => eq(mod(v, 2), 0)),
  bound('false', [], ([v]) => v === false),
  bound('filter', [], ([v], scope) => typeof v === 'string' && environmentOf(scope).deps.filters.has(v)),
  bound('float', [], ([v]) => isFloatValue(v)),
  bound('in', ['seq'], ([v, seq]) => isIn(v, seq)),
  bound('integer', [], ([v]) => isIntValue(v) && typeof v !== 'boolean'),
  bound('iterable', [], ([v]) => isIterable(v)),
  bound('list', [], ([v]) => Array.isArray(v) && !(v instanceof PyTuple)),
  bound('lower', [], caseOf('islower')),
  bound('mapping', [], ([v]) => v instanceof Map),
  bound('match', ['rgx', ['ignorecase', false], ['multiline', false]], matches),
  bound('none', [], ([v]) => v === null),
  bound('number', [], ([v]) => numberOf(v) !== undefined || (v instanceof PyObject && v.isNumber)),
  bound('odd', [], ([v]) => isOdd(v)),
  bound('sameas', ['other'], ([a, b]) => isSame(a, b)),
  bound('sequence', [], ([v]) => isSequence(v)),
  bound('string', [], ([v]) => typeof v === 'string'),
  bound('test', [], ([v], scope) => typeof v === 'string' && environmentOf(scope).deps.tests.has(v)),
  bound('true', [], ([v]) => v === true),
  bound('undefined', [], ([v]) => v instanceof Undefined),
  bound('upper', [], caseOf('isupper')),
  ...compare(['==', 'eq', 'equalto'], eq),
  ...compare(['!=', 'ne'], ne),
  ...compare(['<', 'lt', 'lessthan'], lt),
  ...compare(['<=', 'le'], le),
  ...compare(['>', 'gt', 'greaterthan'], gt),
  ...compare(['>=', 'ge'], ge),
];

/** Every test by name. */
export const TESTS: ReadonlyMap<string, NativeBody> = new Map(
  ENTRIES.map(({ name, params, body }) => [name, native(`test_${name}`, ['value', ...params], body)]),
);
