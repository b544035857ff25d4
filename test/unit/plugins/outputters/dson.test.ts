import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayOutput } from '../../../../src/plugins/outputters/registry.ts';
import { dict, PyFloat, type Value } from '../../../../src/python/values/value.ts';

const value = dict({
  w1: new Map<Value, Value>([
    ['a', [1, [2, []], new Map()]],
    ['b', new PyFloat(1e22)],
    ['c', -1e-7],
    [null, true],
    [2, 'é😀\x7f'],
  ]),
});
const shown = (indent?: number | 'pretty' | null, data: Value = value): Promise<string> =>
  displayOutput(data, 'dson', { color: false, ...(indent === undefined ? {} : { indent }) });

test('outputters - dson writes what Dogeon writes for Salt', async () => {
  assert.equal(
    await shown(),
    'such\n    "w1" is such\n        "a" is so\n            1 and\n            so\n                2 and\n                so many\n' +
      '            many and\n            such wow\n        many,\n        "b" is 1very+22,\n        "c" is -1very-07,\n' +
      '        "empty" is yes,\n        "2" is "\\u00e9\\ud83d\\ude00\\u007f"\n    wow\nwow',
  );
  assert.equal(
    await shown(-1),
    'such "w1" is such "a" is so 1 and so 2 and so many many and such wow many, "b" is 1very+22, "c" is -1very-07, ' +
      '"empty" is yes, "2" is "\\u00e9\\ud83d\\ude00\\u007f" wow wow',
  );
  assert.equal(await shown(2, dict({ z: false, a: null })), 'such\n  "z" is no,\n  "a" is empty\nwow');
  assert.equal(
    await shown('pretty', dict({ z: false, a: null })),
    'such\n    "a" is empty,\n    "z" is no\nwow',
  );
});

test('outputters - dson shows an empty document for keys that it cannot have', async () => {
  assert.equal(await shown(4, new Map<Value, Value>([[[1, 2], 3]])), 'such wow');
});
