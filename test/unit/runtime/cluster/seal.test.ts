import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeyString } from '../../../../src/network/crypto/crypticle.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { ClusterSeal } from '../../../../src/runtime/cluster/seal.ts';

test('cluster seal - only members open what members seal, and only for what it was sealed', () => {
  const secret = generateKeyString();
  const [one, other, stranger] = [
    new ClusterSeal(secret),
    new ClusterSeal(secret),
    new ClusterSeal(generateKeyString()),
  ];
  const sealed = one.seal('publish', dict({ fun: 'cmd.run' }));
  assert.deepEqual(other.open('publish', sealed), dict({ fun: 'cmd.run' }));
  assert.ok(!sealed.includes('cmd.run'), 'NATS sees nothing of it');
  assert.equal(stranger.open('publish', sealed), undefined);
  assert.equal(other.open('jobs', sealed), undefined, 'a message does not pass for another kind');
  sealed[20] = (sealed[20] ?? 0) ^ 1;
  assert.equal(other.open('publish', sealed), undefined);
  assert.equal(other.open('publish', Buffer.from('garbage')), undefined);
  assert.equal(other.counters.refused, 3);
});
