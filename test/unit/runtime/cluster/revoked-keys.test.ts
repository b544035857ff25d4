import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RevokedKeys } from '../../../../src/runtime/cluster/revoked-keys.ts';
import { JumpingClock } from '../client/fake-master.ts';

function member(hasDuty: () => boolean = () => true) {
  const clock = new JumpingClock();
  const asked: string[] = [];
  const at = { key: 'first' };
  const keys = new RevokedKeys({
    current: () => at.key,
    hasDuty,
    requestRotation: (reason) => void asked.push(reason),
    clock,
  });
  const changed = (key: string): void => {
    at.key = key;
    keys.changed();
  };
  return { clock, asked, keys, changed };
}

test('cluster - where the master that revoked a key makes no new shared key, the one with the duty does', async () => {
  const { clock, asked, keys, changed } = member();
  keys.revoked('gone');
  keys.revoked('gone2');
  // the key before the current was forgotten, which is no new one
  changed('first');
  await clock.sleep(10_000);
  assert.deepEqual(asked, ['the key of gone was revoked on another master, which has made no new one']);
});

test('cluster - a new shared key after a revocation, or just before it is heard of, is the answer to it', async () => {
  const { clock, asked, keys, changed } = member();
  keys.revoked('gone');
  await clock.sleep(1_500);
  changed('second');
  await clock.sleep(10_000);
  changed('third');
  await clock.sleep(500);
  keys.revoked('other');
  await clock.sleep(10_000);
  assert.deepEqual(asked, []);
  changed('fourth');
  await clock.sleep(2_000);
  keys.revoked('third');
  await clock.sleep(10_000);
  assert.equal(asked.length, 1, 'that was long before');
});

test('cluster - a revocation is remembered until the duty comes here', async () => {
  let hasDuty = false;
  const { clock, asked, keys } = member(() => hasDuty);
  keys.revoked('gone');
  await clock.sleep(10_000);
  assert.deepEqual(asked, []);
  hasDuty = true;
  await clock.sleep(3_000);
  assert.equal(asked.length, 1);
});
