import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFixed, roundTo, toPyFloat } from '../../../../src/python/values/number-format.ts';
import {
  compareText,
  displayEntries,
  lessThan,
  sortedKeys,
  UnorderableError,
} from '../../../../src/python/values/order.ts';
import { floatRepr, pyRepr, pyStr } from '../../../../src/python/values/repr.ts';
import { center, rstrip, splitLines, strip, textLength } from '../../../../src/python/values/text.ts';
import { PyDatetime, PyFloat, type Value } from '../../../../src/python/values/value.ts';

test('repr - floats switch to exponents where Python does', () => {
  const cases: [number, string][] = [
    [8, '8.0'],
    [-0, '-0.0'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [1e22, '1e+22'],
    [1.5e-5, '1.5e-05'],
    [0.0001, '0.0001'],
    [5e-324, '5e-324'],
    [Infinity, 'inf'],
    [NaN, 'nan'],
  ];
  for (const [value, text] of cases) assert.equal(floatRepr(value), text);
});

test('repr - every kind of value has its own spelling', () => {
  const value: Value = new Map<Value, Value>([
    ['t', true],
    [null, new PyFloat(8)],
    [1, 2n ** 70n],
    ["it's", 'say "it\'s"\u00ad\u{1f600}\u2028\x7f'],
    ['when', new PyDatetime('20240102T03:04:00.000000')],
    ['b', new Uint8Array([0x61, 0x27, 0xff])],
  ]);
  assert.equal(
    pyRepr(value),
    `{'t': True, None: 8.0, 1: 1180591620717411303424, "it's": 'say "it\\'s"\\xad\u{1f600}\\u2028\\x7f', ` +
      `'when': datetime.datetime(2024, 1, 2, 3, 4), 'b': b"a'\\xff"}`,
  );
  assert.equal(pyStr(new PyDatetime('20240102T03:04:05.678901')), '2024-01-02 03:04:05.678901');
});

test('text - spaces and line ends are Python’s', () => {
  assert.deepEqual(splitLines('a\r\nb\x1cc\x85\u2028d\n'), ['a', 'b', 'c', '', 'd']);
  assert.deepEqual(splitLines('a\nb', true), ['a\n', 'b']);
  assert.deepEqual(splitLines(''), []);
  assert.equal(rstrip('a\x85\x1f\u3000 '), 'a');
  assert.equal(strip('\ufeffa\ufeff'), '\ufeffa\ufeff');
  assert.equal(textLength('\u{1f600}a'), 2);
  assert.deepEqual([center('a', 4), center('ab', 5)], [' a  ', '  ab ']);
});

test('order - code points, and refusal of unlike types', () => {
  assert.ok(compareText('\uffff', '\u{10000}') < 0);
  assert.ok(lessThan(1, 1.5) && lessThan(true, 2n) && lessThan([1, 2], [1, 3]));
  assert.throws(() => lessThan(1, '1'), UnorderableError);
  const keys = (map: Map<Value, Value>): Value[] => sortedKeys(map);
  assert.deepEqual(keys(new Map<Value, Value>([[10, 0], [9, 0], [9.5, 0]])), [9, 9.5, 10]); // prettier-ignore
});

test('order - the nested outputter turns unlike keys into text, the later of equal ones wins', () => {
  const map = new Map<Value, Value>([[2, 'a'], ['10', 'b'], [null, 'c'], ['2', 'd']]); // prettier-ignore
  assert.deepEqual(displayEntries(map), [['10', 'b'], ['2', 'd'], ['None', 'c']]); // prettier-ignore
});

test('numbers - rounding takes the even neighbour of exact halves, and float() reads what Python reads', () => {
  assert.deepEqual(
    [formatFixed(0.0625, 3), formatFixed(0.1875, 3), formatFixed(2.675, 2)],
    ['0.062', '0.188', '2.67'],
  );
  assert.deepEqual([formatFixed(-0.0004, 3), formatFixed(1e22, 1)], ['-0.000', '10000000000000000000000.0']);
  assert.equal(roundTo(3.125, 2), 3.12);
  assert.deepEqual([toPyFloat(' 1_0.5e1 '), toPyFloat('-inf'), toPyFloat(true)], [105, -Infinity, 1]);
  assert.deepEqual(
    [toPyFloat('1 ms'), toPyFloat(null), toPyFloat('0x1')],
    ['ValueError', 'TypeError', 'ValueError'],
  );
});
