import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LearnedOrder } from '../../../../src/programs/minion/masters/learned-order.ts';

const NAMES = ['m1:4506', 'm2:4506', 'm3:4506'];

function order(id = 'web1', configured = 'm1:4506'): LearnedOrder {
  return new LearnedOrder(id, configured, String);
}

test('learned masters - minions spread themselves, and another master moves only those that it gets', () => {
  const first = (id: string, masters: readonly string[]): unknown => {
    const learned = order(id);
    learned.heard(masters, 'm1:4506');
    return learned.entries[0];
  };
  const ids = Array.from({ length: 300 }, (_, index) => `web${index}`);
  for (const name of NAMES) {
    const count = ids.filter((id) => first(id, NAMES) === name).length;
    assert.ok(count > 70 && count < 130, `${name} has ${count}`);
  }
  for (const id of ids)
    assert.ok([first(id, NAMES), 'm4:4506'].includes(String(first(id, [...NAMES, 'm4:4506']))));
});

test('learned masters - one that is not named now is a last resort', () => {
  const learned = order();
  assert.equal(learned.heard(NAMES, 'm1:4506'), true);
  const before = [...learned.entries];
  assert.equal(learned.heard([...NAMES].reverse(), 'm2:4506'), false);
  const [preferred = ''] = before;
  const others = NAMES.filter((name) => name !== preferred);
  learned.heard(others, 'm2:4506');
  assert.deepEqual([learned.entries.length, learned.entries[2]], [3, preferred]);
});

test('learned masters - a master that has left is dropped, and the rest is gone to; the configured one ends it', () => {
  const learned = order();
  learned.heard(NAMES, 'm1:4506');
  assert.equal(learned.heard([], 'm3:4506'), true);
  assert.deepEqual([...learned.entries].sort(), ['m1:4506', 'm2:4506']);
  assert.equal(learned.heard([], 'm1:4506'), true);
  assert.deepEqual(learned.entries, []);
  assert.equal(learned.heard([], 'm1:4506'), false);
});

test('learned masters - when only the configured one remains there is nothing to choose from', () => {
  const learned = order();
  learned.heard(['m1:4506', 'm2:4506'], 'm1:4506');
  learned.heard([], 'm2:4506');
  assert.deepEqual(learned.entries, []);
});

test('learned masters - a single master is no cluster to a minion, unless it goes by another name', () => {
  const learned = order();
  assert.equal(learned.heard(['m1:4506'], 'm1:4506'), false);
  const balanced = order('web1', 'salt:4506');
  assert.equal(balanced.heard(['m1:4506'], 'salt:4506'), true);
  assert.deepEqual(balanced.entries, ['m1:4506', 'salt:4506']);
});
