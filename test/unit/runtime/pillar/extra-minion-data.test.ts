/** What a minion tells external pillars of its options. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import { extraMinionData } from '../../../../src/runtime/pillar/extra-minion-data.ts';

test('pillar - options that external pillars are handed keep the mappings they stand in', () => {
  const opts = dict({
    id: 'one',
    site: { role: 'web', secret: 'x', place: { rack: 3, room: 1 } },
    pass_to_ext_pillars: ['id', 'site:role', 'site:place:rack', 'site:nothing', 'nothing', 'id:no:mapping'],
  });
  assert.deepEqual(extraMinionData(opts), dict({ id: 'one', site: { role: 'web', place: { rack: 3 } } }));
  assert.deepEqual(extraMinionData(dict({ pass_to_ext_pillars: 'id', id: 'one' })), new Map());
  assert.deepEqual(extraMinionData(new Map()), new Map());
});
