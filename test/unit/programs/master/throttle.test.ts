import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { LaneFullError } from '../../../../src/host/lanes.ts';
import { Throttle } from '../../../../src/programs/master/auth/throttle.ts';
import { JumpingClock } from '../../runtime/client/fake-master.ts';

const LOCAL = { from: '127.0.0.1:4000' };
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
  const far = { from: '192.0.2.7:1' };
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

/** A throttle, and what a log-in under one name takes while others fail side by side. */
function besieged(isOwn?: (address: string) => boolean): {
  siege: (from: (at: number) => Parameters<Throttle['attempt']>[1], times: number) => Promise<unknown>;
  logsIn: (asker: Parameters<Throttle['attempt']>[1]) => Promise<number | string>;
} {
  const clock = new JumpingClock();
  const throttle = new Throttle(clock, { ...systemRandom, fraction: () => 0.5 }, isOwn);
  return {
    siege: (from, times) =>
      Promise.allSettled(
        Array.from({ length: times }, (_, at) => throttle.attempt('pam alice', from(at), wrong)),
      ),
    logsIn: async (asker) => {
      const startMs = clock.nowMs();
      try {
        assert.equal(await throttle.attempt('pam alice', asker, right), 'alice');
        return clock.nowMs() - startMs;
      } catch (error) {
        return error instanceof LaneFullError ? 'refused' : String(error);
      }
    },
  };
}

test('log-ins - a stranger who guesses at a name keeps out neither this machine, nor whoever was there before, nor anybody else', async () => {
  const { siege, logsIn } = besieged();
  const home = { from: '192.0.2.9:1' };
  assert.equal(await logsIn(home), 0);
  const strangers = siege((at) => ({ from: `198.51.100.${at % 3}:${at}` }), 150);
  assert.equal(await logsIn(LOCAL), 0, 'this machine');
  assert.equal(await logsIn(home), 0, 'an address of before');
  const waited = await logsIn({ from: '203.0.113.1:1' });
  assert.ok(
    typeof waited === 'number' && waited <= 16_000,
    `another address has its turn after ${waited} ms`,
  );
  await strangers;
});

test('log-ins - whoever an API asks for waits as if he asked himself; from elsewhere nobody can say so', async () => {
  const viaApi = (client: string): { from: string; client: string } => ({ ...LOCAL, client });
  const { siege, logsIn } = besieged();
  assert.equal(await logsIn(viaApi('192.0.2.9')), 0);
  const strangers = siege((at) => viaApi(`198.51.100.${at % 3}`), 150);
  assert.equal(await logsIn(viaApi('192.0.2.9')), 0);
  assert.equal(await logsIn(viaApi('127.0.0.1')), 0);
  assert.equal(await logsIn(LOCAL), 0);
  await strangers;

  const forged = besieged();
  const liars = forged.siege((at) => ({ from: `198.51.100.7:${at}`, client: `192.0.2.${at}` }), 50);
  assert.equal(await forged.logsIn({ from: '198.51.100.7:9', client: '127.0.0.1' }), 'refused');
  await liars;
});

test('log-ins - programs of this machine are known at each address that it has', async () => {
  const own = { from: '10.0.0.5:4000' };
  const { siege, logsIn } = besieged((address) => address === '10.0.0.5');
  const strangers = siege((at) => ({ ...own, client: `198.51.100.${at % 2}` }), 90);
  assert.equal(await logsIn(own), 0);
  await strangers;
});

test('log-ins - all addresses of an IPv6 network are one', async () => {
  const { siege, logsIn } = besieged();
  const strangers = siege((at) => ({ from: `2001:db8::${at.toString(16)}:1` }), 80);
  assert.equal(await logsIn({ from: '2001:db8:0:0:ffff::1:1' }), 'refused', 'fifty under way');
  const waited = await logsIn({ from: '2001:db8:1::1:1' });
  assert.ok(typeof waited === 'number' && waited <= 8_000, String(waited));
  await strangers;
});
