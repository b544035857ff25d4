/** Jinja's tests and Salt's (jinja2/tests.py 3.1; 3006.16 salt/utils/jinja.py). */
import { PyObject } from '../../python/values/value.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { native, type BoundBody, type Param } from './bind.ts';
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

type Entry = readonly [name: string, params: readonly Param[], body: BoundBody];

const isOdd = (value: TValue): boolean => eq(mod(value, 2), 1);
const caseOf =
  (method: string): BoundBody =>
  ([v], scope) =>
    TEXT_METHODS.get(method)?.([str(v as TValue)], undefined, scope) ?? false;
const compare = (names: readonly string[], test: (a: TValue, b: TValue) => boolean): Entry[] =>
  names.map((name) => [name, ['other'], ([a, b]) => test(a as TValue, b as TValue)]);

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

function matches([text, pattern, ignorecase, multiline]: TValue[]): boolean {
  return (
    compilePattern(str(pattern as TValue), {
      ignoreCase: truthy(ignorecase as TValue),
      multiline: truthy(multiline as TValue),
    }).matchStart(str(text as TValue)) !== undefined
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
  ['boolean', [], ([v]) => typeof v === 'boolean'],
  [
    'callable',
    [],
    ([v]) => v instanceof Undefined || isCallable(v) || (v instanceof PyObject && v.isCallable),
  ],
  ['defined', [], ([v]) => !(v instanceof Undefined)],
  ['divisibleby', ['num'], ([v, n]) => eq(mod(v as TValue, n as TValue), 0)],
  ['escaped', [], () => false],
  ['even', [], ([v]) => eq(mod(v as TValue, 2), 0)],
  ['false', [], ([v]) => v === false],
  ['filter', [], ([v], scope) => typeof v === 'string' && environmentOf(scope).deps.filters.has(v)],
  ['float', [], ([v]) => isFloatValue(v as TValue)],
  ['in', ['seq'], ([v, seq]) => isIn(v as TValue, seq as TValue)],
  ['integer', [], ([v]) => isIntValue(v as TValue) && typeof v !== 'boolean'],
  ['iterable', [], ([v]) => isIterable(v as TValue)],
  ['list', [], ([v]) => Array.isArray(v) && !(v instanceof PyTuple)],
  ['lower', [], caseOf('islower')],
  ['mapping', [], ([v]) => v instanceof Map],
  ['match', ['rgx', ['ignorecase', false], ['multiline', false]], matches],
  ['none', [], ([v]) => v === null],
  ['number', [], ([v]) => numberOf(v as TValue) !== undefined || (v instanceof PyObject && v.isNumber)],
  ['odd', [], ([v]) => isOdd(v as TValue)],
  ['sameas', ['other'], ([a, b]) => isSame(a as TValue, b as TValue)],
  ['sequence', [], ([v]) => isSequence(v as TValue)],
  ['string', [], ([v]) => typeof v === 'string'],
  ['test', [], ([v], scope) => typeof v === 'string' && environmentOf(scope).deps.tests.has(v)],
  ['true', [], ([v]) => v === true],
  ['undefined', [], ([v]) => v instanceof Undefined],
  ['upper', [], caseOf('isupper')],
  ...compare(['==', 'eq', 'equalto'], eq),
  ...compare(['!=', 'ne'], ne),
  ...compare(['<', 'lt', 'lessthan'], lt),
  ...compare(['<=', 'le'], le),
  ...compare(['>', 'gt', 'greaterthan'], gt),
  ...compare(['>=', 'ge'], ge),
];

/** Every test by name. */
export const TESTS: ReadonlyMap<string, NativeBody> = new Map(
  ENTRIES.map(([name, params, body]) => [name, native(`test_${name}`, ['value', ...params], body)]),
);
