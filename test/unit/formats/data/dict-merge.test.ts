/** Merging mappings, as copies and in place. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeDicts, mergeInto } from '../../../../src/formats/data/dict-merge.ts';
import { copyValue, dict, type Dict, type Value } from '../../../../src/python/values/value.ts';

test('dict merge - many merged into one that the caller owns give what merging copies gives, by every strategy', () => {
  const shared = dict({ k: 1 });
  const parts = (): Dict[] => [
    dict({ a: { b: [1, 2], c: { d: 1 } }, e: 'x' }),
    new Map<Value, Value>([
      ['a', shared],
      ['f', shared],
    ]),
    dict({ a: { b: [2, 3], m: 2 }, f: { n: 3 }, e: null }),
    dict({ a: { c: { d: { deep: [] } } }, f: [1] }),
  ];
  for (const strategy of ['smart', 'recurse', 'aggregate', 'overwrite', 'list', 'none'] as const) {
    for (const mergeLists of [true, false]) {
      const copied = parts().reduce(
        (all, part) => mergeDicts(all, part, strategy, mergeLists),
        dict({ a: {} }),
      );
      const owned = parts().reduce(
        (all, part) => mergeInto(all, copyValue(part), strategy, mergeLists),
        dict({ a: {} }),
      );
      assert.deepEqual(owned, copied, `${strategy} ${mergeLists}`);
    }
  }
  assert.deepEqual(shared, dict({ k: 1 }));
});
