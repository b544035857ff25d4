import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { cutParcel, ParcelJoiner } from '../../../../src/runtime/cluster/parcels.ts';

test('cluster parcels - a message is cut to what NATS takes, and joined whatever comes between its parts', () => {
  const message = systemRandom.bytes(10_000);
  const parts = cutParcel(message, 1_000, systemRandom);
  assert.ok(parts.length > 10 && parts.every((part) => part.length <= 1_000));
  const joiner = new ParcelJoiner();
  const other = cutParcel(Buffer.from('small'), 1_000, systemRandom);
  assert.equal(joiner.take(parts[0] as Buffer, 7), undefined);
  assert.equal(joiner.oldestAt, 7);
  assert.equal(joiner.take(other[0] as Buffer, 8)?.toString(), 'small');
  const taken = parts.slice(1).map((part, index) => joiner.take(part, 9 + index));
  assert.deepEqual(taken.pop(), message);
  assert.ok(taken.every((value) => value === undefined));
  assert.equal(joiner.oldestAt, undefined);
});

test('cluster parcels - a part that comes twice is taken once, and nonsense is no message', () => {
  const message = systemRandom.bytes(2_500);
  const parts = cutParcel(message, 1_000, systemRandom);
  const joiner = new ParcelJoiner();
  const [first, second, third] = parts as [Buffer, Buffer, Buffer];
  for (const part of [first, first, second]) assert.equal(joiner.take(part, 1), undefined);
  assert.deepEqual(joiner.take(third, 2), message);
  for (const odd of [Buffer.alloc(0), Buffer.of(1), Buffer.of(9, 9, 9)])
    assert.equal(joiner.take(odd, 3), undefined);
});
