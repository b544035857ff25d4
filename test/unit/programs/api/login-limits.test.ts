import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoginLimits } from '../../../../src/programs/api/login-limits.ts';
import { HttpFault } from '../../../../src/programs/api/http-fault.ts';
import { systemClock } from '../../../../src/host/clock.ts';

const MINUTES_MS = 60_000;

/** Limits whose time goes on by hand. */
function made(): {
  tries: (address: string, name: string, times?: number) => Promise<string[]>;
  later: (ms: number) => void;
} {
  let nowMs = 0;
  const limits = new LoginLimits({ ...systemClock, monotonicMs: () => nowMs });
  const once = async (address: string, name: string): Promise<string> => {
    try {
      await limits.attempt(
        address,
        name,
        () => Promise.reject(new Error('wrong')),
        () => true,
      );
      return 'good';
    } catch (error) {
      return error instanceof HttpFault ? `${error.status} ${error.headers.flat().join(' ')}` : 'asked';
    }
  };
  return {
    tries: async (address, name, times = 1) => {
      const out: string[] = [];
      for (let at = 0; at < times; at++) out.push(await once(address, name));
      return out;
    },
    later: (ms) => (nowMs += ms),
  };
}

test('log-in limits - ten of a name from an address within five minutes', async () => {
  const { tries, later } = made();
  assert.deepEqual(new Set(await tries('10.0.0.1', 'alice', 10)), new Set(['asked']));
  later(MINUTES_MS);
  assert.deepEqual(await tries('10.0.0.1', 'alice'), ['429 Retry-After 240']);
  assert.deepEqual(await tries('10.0.0.2', 'alice'), ['asked'], 'from elsewhere');
  assert.deepEqual(await tries('10.0.0.1', 'bob'), ['asked'], 'another name');
  later(4 * MINUTES_MS);
  assert.deepEqual(await tries('10.0.0.1', 'alice'), ['asked'], 'five minutes later');
});

test('log-in limits - fifty from an address whatever the names; an IPv6 network counts as one, this machine not at all', async () => {
  for (const [first, second] of [
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:aaaa::1', '2001:db8:1:2:bbbb::2'],
  ] as const) {
    const { tries } = made();
    for (let at = 0; at < 50; at++) assert.deepEqual(await tries(first, `user${at}`), ['asked']);
    assert.deepEqual(await tries(second, 'another'), ['429 Retry-After 300']);
  }
  const { tries } = made();
  for (let at = 0; at < 60; at++) assert.deepEqual(await tries('127.0.0.1', `user${at}`), ['asked']);
});

test('log-in limits - two hundred of a name from anywhere', async () => {
  const { tries } = made();
  for (let at = 0; at < 200; at++) assert.deepEqual(await tries(`10.0.1.${at}`, 'alice'), ['asked']);
  assert.deepEqual(await tries('10.0.2.1', 'alice'), ['429 Retry-After 300']);
});
