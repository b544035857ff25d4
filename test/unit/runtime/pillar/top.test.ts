/** What may stand under a target of the pillar's top file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeTops } from '../../../../src/runtime/pillar/top.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';

const slsOf = (list: Value): readonly string[] | undefined =>
  mergeTops([dict({ base: dict({ '*': list }) })]).environments.get('base')?.[0]?.sls;

test('pillar top - a mapping is the list of its keys, so that an empty one is nothing', () => {
  assert.deepEqual(slsOf(['a', 'b']), ['a', 'b']);
  assert.deepEqual(slsOf(dict({})), []);
  assert.deepEqual(slsOf(dict({ a: 1 })), ['a']);
});

test('pillar top - what is no list names the target, and says what to write', () => {
  for (const value of ['a', 5, null])
    assert.throws(() => slsOf(value), /gives \* no list of SLS files, but .*Write: '\*': \[name\]/);
});
