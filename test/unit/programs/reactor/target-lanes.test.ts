import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lanesOf, TargetLanes, type Lanes } from '../../../../src/programs/reactor/target-lanes.ts';

test('target lanes - names are told from patterns', () => {
  assert.deepEqual(lanesOf({ tgt: 'web', tgtType: 'glob' }), ['web']);
  assert.deepEqual(lanesOf({ tgt: 'a,b', tgtType: 'list' }), ['a', 'b']);
  assert.deepEqual(lanesOf({ tgt: ['a', 'b'], tgtType: 'list' }), ['a', 'b']);
  for (const tgt of ['web*', 'web?', 'web[12]']) assert.equal(lanesOf({ tgt, tgtType: 'glob' }), undefined);
  assert.equal(lanesOf({ tgt: 'os:Debian', tgtType: 'grain' }), undefined);
});

test('target lanes - a publication waits for those that reach the same minions, and for room', async () => {
  const lanes = new TargetLanes(2);
  const begun: string[] = [];
  const begin = async (name: string, where: Lanes): Promise<void> => {
    await lanes.enter(where);
    begun.push(name);
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await begin('a', ['a']);
  await begin('b', ['b', 'c']);
  const third = begin('third', ['d']);
  await settle();
  assert.deepEqual(begun, ['a', 'b'], 'two at a time');
  lanes.leave(['a']);
  await third;
  lanes.leave(['d']);
  const again = begin('again', ['c']);
  await settle();
  assert.equal(begun.includes('again'), false, 'c is busy');
  lanes.leave(['b', 'c']);
  await again;
  const any = begin('any', undefined);
  await settle();
  assert.equal(begun.includes('any'), false, 'a pattern waits for all');
  lanes.leave(['c']);
  await any;
  const after = begin('after', ['z']);
  await settle();
  assert.equal(begun.includes('after'), false, 'all wait for a pattern');
  lanes.leave(undefined);
  await after;
  lanes.leave(['z']);
  await lanes.rest();
});
