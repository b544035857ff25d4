import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonSyntaxError, parseJson, toJson } from '../../../../src/formats/json/text.ts';
import { PyFloat, type Value } from '../../../../src/python/values/value.ts';

test('json - ints, floats and great integers stay apart, order of keys is kept', () => {
  const value = parseJson(
    '{"10": 1, "2": 1.0, "b": 12345678901234567890, "c": [1e3, -0.5, -0, NaN, -Infinity]}',
  );
  assert.ok(value instanceof Map);
  assert.deepEqual([...value.keys()], ['10', '2', 'b', 'c']);
  assert.deepEqual(value.get('2'), new PyFloat(1));
  assert.equal(value.get('b'), 12345678901234567890n);
  assert.deepEqual(value.get('c'), [new PyFloat(1000), -0.5, 0, NaN, -Infinity]);
});

test('json - the last of equal keys wins at the first one’s place', () => {
  assert.deepEqual(parseJson('{"a": 1, "b": 2, "a": 3}'), new Map<Value, Value>([['a', 3], ['b', 2]])); // prettier-ignore
  assert.deepEqual(parseJson('{"__proto__": 1}'), new Map<Value, Value>([['__proto__', 1]]));
});

test('json - errors are in Python’s words and say where', () => {
  const cases: [text: string, message: string][] = [
    ['', 'Expecting value: line 1 column 1 (char 0)'],
    ['{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
    ['{a: 1}', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
    ['[1 2]', "Expecting ',' delimiter: line 1 column 4 (char 3)"],
    ['[1,\n]', 'Expecting value: line 2 column 1 (char 4)'],
    ['"abc', 'Unterminated string starting at: line 1 column 1 (char 0)'],
    ['"a\nb"', 'Invalid control character at: line 1 column 3 (char 2)'],
    ['"\\x"', 'Invalid \\escape: line 1 column 2 (char 1)'],
    ['"\\u12"', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
    ['1 2', 'Extra data: line 1 column 3 (char 2)'],
    ['01', 'Extra data: line 1 column 2 (char 1)'],
  ];
  for (const [text, message] of cases)
    assert.throws(() => parseJson(text), { name: 'JsonSyntaxError', message });
});

test('json - deep nesting is an error, not a crash', () => {
  assert.throws(() => parseJson('['.repeat(100_000)), JsonSyntaxError);
});

test('json - what JSON.stringify writes is read back the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value);
      const compact = { separators: [',', ':'] as const };
      const ours = toJson(parseJson(text), compact);
      assert.deepEqual(JSON.parse(ours), JSON.parse(text));
      assert.equal(toJson(parseJson(ours), compact), ours);
    }),
  );
});
