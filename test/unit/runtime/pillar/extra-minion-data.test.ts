/** What a minion tells external pillars of its options. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { extraMinionDataPillar } from '../../../../src/runtime/pillar/ext/extra-minion-data.ts';
import { extraMinionData } from '../../../../src/runtime/pillar/extra-minion-data.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { localMinion } from '../../../support/local-minion.ts';

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

test('pillar - extra_minion_data_in_pillar gives what the minion passes, as a real Salt does', async () => {
  const data = dict({ a: { k: 1, l: [1, 2] }, b: { x: { y: 'deep', z: 'no' } } });
  const given = async (settings: Value, extra: Dict = data): Promise<Value> =>
    extraMinionDataPillar(settings, {
      minionId: 'one',
      grains: dict(),
      pillar: dict(),
      opts: dict(),
      log: silentLogger,
      errors: [],
      extraMinionData: extra,
    });
  const include = (names: Value): Promise<Value> => given(dict({ include: names }));
  for (const all of ['*', '<all>']) assert.deepEqual(await include(all), data);
  assert.deepEqual(await given('*'), data);
  assert.deepEqual(await include(['a']), dict({ a: { k: 1, l: [1, 2] } }));
  assert.deepEqual(await include(['a:k', 'b:x']), dict({ a: { k: 1 }, b: { x: { y: 'deep', z: 'no' } } }));
  assert.deepEqual(await include(['b:x:y', 'missing', 'a:nope:q']), dict({ b: { x: { y: 'deep' } } }));
  assert.deepEqual(await include(['a', 'a:l']), dict({ a: { k: 1, l: [1, 2] } }));
  for (const none of [['*'], []]) assert.deepEqual(await include(none), dict());
  assert.deepEqual(await given(dict({ include: true }), dict()), dict());
  // where a real Salt keeps the last one only
  assert.deepEqual(await include(['b:x:y', 'b:x:z']), dict({ b: { x: { y: 'deep', z: 'no' } } }));
  assert.deepEqual(await include('a'), dict({ a: { k: 1, l: [1, 2] } }));
  await assert.rejects(include(true), /include is a list of names/);
});

test('pillar - extra_minion_data_in_pillar is found by its name', async (t) => {
  const { call } = localMinion(t, {
    site: { role: 'web', secret: 'x' },
    pass_to_ext_pillars: ['site:role', 'id'],
    ext_pillar: [{ extra_minion_data_in_pillar: { include: ['site'] } }],
  });
  assert.deepEqual(await call('pillar.items'), { site: { role: 'web' } });
});
