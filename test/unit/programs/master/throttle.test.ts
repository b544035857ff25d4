import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { LaneFullError } from '../../../../src/programs/master/auth/lanes.ts';
import { Throttle } from '../../../../src/programs/master/auth/throttle.ts';
import { JumpingClock } from '../../runtime/client/fake-master.ts';

const LOCAL = '127.0.0.1:4000';
const wrong = (): Promise<undefined> => Promise.resolve(undefined);
const right = (): Promise<string> => Promise.resolve('alice');

test('log-ins - a failure takes about a second, further ones longer, up to four; a success takes no time', async () => {
  const clock = new JumpingClock();
  const throttle = new Throttle(clock, { ...systemRandom, fraction: () => 0.5 });
  const took: number[] = [];
  for (let i = 0; i < 7; i++) {
    const startMs = clock.nowMs();
    assert.equal(await throttle.attempt('pam alice', LOCAL, wrong), undefined);
    took.push(clock.nowMs() - startMs);
  }
  assert.deepEqual(took, [1000, 1000, 1000, 2000, 4000, 4000, 4000]);
  const startMs = clock.nowMs();
  assert.equal(await throttle.attempt('pam alice', LOCAL, right), 'alice');
  assert.equal(clock.nowMs(), startMs);
  await throttle.attempt('pam alice', LOCAL, wrong);
  assert.equal(clock.nowMs() - startMs, 1000, 'a success ends the count');
});

test('log-ins - guesses at one name wait for each other, those at others do not', async () => {
  const clock = new JumpingClock();
  const throttle = new Throttle(clock, { ...systemRandom, fraction: () => 0.5 });
  const guesses = [1, 2, 3].map(() => throttle.attempt('pam alice', LOCAL, wrong));
  assert.equal(await throttle.attempt('pam bob', LOCAL, right), 'alice');
  assert.equal(clock.nowMs(), 0);
  await Promise.all(guesses);
  assert.equal(clock.nowMs(), 3000);
});

test('log-ins - an address that fails with many names waits, too; what waits is bounded', async () => {
  const clock = new JumpingClock();
  const throttle = new Throttle(clock, { ...systemRandom, fraction: () => 0.5 });
  const far = '192.0.2.7:1';
  for (let i = 0; i < 11; i++) await throttle.attempt(`pam user${i}`, far, wrong);
  const startMs = clock.nowMs();
  await Promise.all([1, 2].map((i) => throttle.attempt(`pam other${i}`, far, wrong)));
  assert.ok(clock.nowMs() - startMs >= 2000, String(clock.nowMs() - startMs));
  const many = Array.from({ length: 60 }, (_, i) => throttle.attempt(`pam m${i}`, far, wrong));
  const settled = await Promise.allSettled(many);
  const refused = settled.filter((each) => each.status === 'rejected');
  assert.equal(refused.length, 10);
  assert.ok(refused.every(({ reason }) => reason instanceof LaneFullError));
});
