import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeDicts, updateDict, type MergeStrategy } from '../../../../src/formats/data/dict-merge.ts';
import { subdictMatch, type LeafMode } from '../../../../src/formats/data/subdict-match.ts';
import { traverse } from '../../../../src/formats/data/traverse.ts';
import { copyValue, dict, valuesEqual, type Value } from '../../../../src/python/values/value.ts';
import { dictOf, valueOf, vectors } from '../../runtime/targeting/vectors.ts';

test('traverse - finds what Salt finds', () => {
  type Row = { data?: unknown; key: string | number | unknown[]; delimiter: string; found: unknown };
  const [head, ...rows] = vectors<Row>('traverse');
  const shared = valueOf(head?.data);
  for (const { data, key, delimiter, found } of rows) {
    const path = typeof key === 'object' ? (valueOf(key) as Value[]) : key;
    const got = traverse(data === undefined ? shared : valueOf(data), path, {
      fallback: '<none>',
      delimiter,
    });
    assert.deepEqual(got, valueOf(found), `${JSON.stringify(key)} with ${delimiter}`);
  }
});

test('traverse - null is a value, missing is not', () => {
  const data = dict({ a: null });
  assert.equal(traverse(data, 'a'), null);
  assert.equal(traverse(data, 'b'), undefined);
  assert.equal(traverse(data, '__proto__'), undefined);
  assert.equal(traverse(data, 'constructor:name'), undefined);
});

test('subdict-match - agrees with Salt on the table of expressions', () => {
  const rows = vectors<[string, string, boolean, boolean, boolean]>('subdict');
  const data = valueOf((rows.shift() as unknown as { data: unknown }).data);
  for (const [expression, delimiter, ...expected] of rows) {
    (['glob', 'regex', 'exact'] as LeafMode[]).forEach((mode, i) => {
      const got = subdictMatch(data, expression, { delimiter, mode });
      assert.equal(got, expected[i], `${mode} ${JSON.stringify(expression)}`);
    });
  }
});

test('subdict-match - agrees with Salt on random data and expressions', () => {
  for (const { data, cases } of vectors<{ data: unknown; cases: [string, boolean, boolean, boolean][] }>(
    'subdict-random',
  )) {
    for (const [expression, ...expected] of cases) {
      (['glob', 'regex', 'exact'] as LeafMode[]).forEach((mode, i) => {
        const got = subdictMatch(valueOf(data), expression, { mode });
        assert.equal(got, expected[i], `${mode} ${JSON.stringify(expression)} in ${JSON.stringify(data)}`);
      });
    }
  }
});

test('subdict-match - deeply nested data does not make it exponential', () => {
  let data: Value = 'end';
  for (let i = 0; i < 60; i++) data = new Map([['a', data]]);
  const started = performance.now();
  assert.equal(subdictMatch(data, `${'a:'.repeat(50)}x`), false);
  assert.equal(subdictMatch(data, `${'*:'.repeat(50)}x`), false);
  assert.ok(performance.now() - started < 500);
});

test('dict-merge - every strategy as in Salt, with the sources untouched', () => {
  type Row = { a: unknown; b: unknown; strategy: MergeStrategy; lists: boolean; merged: unknown };
  const [head, ...rows] = vectors<Row>('merge');
  const [a, b] = [dictOf(head?.a), dictOf(head?.b)];
  for (const { strategy, lists, merged } of rows) {
    assert.ok(valuesEqual(mergeDicts(a, b, strategy, lists), valueOf(merged)), `${strategy} ${lists}`);
    assert.deepEqual(a, dictOf(head?.a));
    assert.deepEqual(b, dictOf(head?.b));
  }
});

test('dict-merge - update changes its destination, one level only when told so', () => {
  const dest = dict({ a: { b: 1, c: 2 } });
  assert.equal(updateDict(copyValue(dest), dict({ a: { b: 3 } })).get('a') instanceof Map, true);
  assert.deepEqual(updateDict(copyValue(dest), dict({ a: { b: 3 } })), dict({ a: { b: 3, c: 2 } }));
  assert.deepEqual(
    updateDict(copyValue(dest), dict({ a: { b: 3 } }), { recursive: false }),
    dict({ a: { b: 3 } }),
  );
});

test('merging - an unknown strategy is recurse, as in Salt', () => {
  const merged = mergeDicts(dict({ a: { b: 1 } }), dict({ a: { c: 2 } }), 'nosuch' as MergeStrategy);
  assert.ok(valuesEqual(merged, dict({ a: { b: 1, c: 2 } })));
});
