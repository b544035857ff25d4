import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoginLimits } from '../../../../src/programs/api/login-limits.ts';
import { HttpFault } from '../../../../src/programs/api/http-fault.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { loginKeyOf } from '../../../../src/programs/api/clients.ts';
import { dict } from '../../../../src/python/values/value.ts';

const MINUTES_MS = 60_000;

/** Limits whose time goes on by hand. */
function made(proxies?: ConstructorParameters<typeof LoginLimits>[1]): {
  tries: (address: string, name: string, times?: number) => Promise<string[]>;
  later: (ms: number) => void;
  succeeds: (address: string, name: string) => Promise<string>;
} {
  let nowMs = 0;
  const limits = new LoginLimits({ ...systemClock, monotonicMs: () => nowMs }, proxies);
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
    succeeds: (address, name) =>
      limits.attempt(
        address,
        name,
        () => Promise.resolve('good'),
        () => true,
      ),
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

test('log-in limits - behind a proxy on this machine a stranger does not keep out a name with ten tries', async () => {
  const { tries } = made();
  assert.deepEqual(new Set(await tries('127.0.0.1', 'alice', 200)), new Set(['asked']));
  assert.deepEqual(await tries('127.0.0.1', 'alice'), ['429 Retry-After 300']);
});

test('log-in limits - where the proxy of this machine is named, its own address is somebody of this machine, with ten tries', async () => {
  const { tries } = made({ has: (address) => address === '127.0.0.1' });
  assert.deepEqual(new Set(await tries('127.0.0.1', 'alice', 10)), new Set(['asked']));
  assert.deepEqual(await tries('127.0.0.1', 'alice'), ['429 Retry-After 300']);
  assert.deepEqual(await tries('10.0.0.1', 'alice'), ['asked'], 'from elsewhere');
});

test('log-in limits - an IPv6 network is one however its addresses are written', async () => {
  const { tries } = made();
  for (let at = 0; at < 50; at++)
    assert.deepEqual(await tries(`2001:db8::${at + 1}`, `user${at}`), ['asked']);
  for (const other of ['2001:db8::ffff', '2001:DB8:0:0:1::2', '2001:0db8::1:2:3:4'])
    assert.deepEqual(await tries(other, 'another'), ['429 Retry-After 300'], other);
  assert.deepEqual(await tries('2001:db8:0:1::1', 'another'), ['asked'], 'the next network');
  await tries('::ffff:10.0.0.1', 'alice', 10);
  assert.deepEqual(await tries('10.0.0.1', 'alice'), ['429 Retry-After 300'], 'an IPv4 address in IPv6');
});

test('log-in limits - whoever has logged in from an address is not kept out by what strangers do elsewhere', async () => {
  const { tries, succeeds } = made();
  assert.equal(await succeeds('10.0.9.1', 'alice'), 'good');
  for (let at = 0; at < 200; at++) await tries(`10.0.1.${at}`, 'alice');
  assert.deepEqual(await tries('10.0.2.1', 'alice'), ['429 Retry-After 300']);
  assert.equal(await succeeds('10.0.9.1', 'alice'), 'good');
  await tries('10.0.9.1', 'alice', 10);
  assert.deepEqual(await tries('10.0.9.1', 'alice'), ['429 Retry-After 300'], 'its own failures count');
});

test('log-in limits - a thousand tokens of a name within five minutes', () => {
  let nowMs = 0;
  const limits = new LoginLimits({ ...systemClock, monotonicMs: () => nowMs });
  for (let at = 0; at < 1000; at++) {
    limits.requireFewTokens('pam alice');
    limits.madeToken('pam alice');
  }
  assert.throws(
    () => limits.requireFewTokens('pam alice'),
    (error) => error instanceof HttpFault && error.status === 429,
  );
  limits.requireFewTokens('pam bob');
  nowMs += 5 * MINUTES_MS;
  limits.requireFewTokens('pam alice');
});

test('log-in limits - the key is the one of the master: no other spelling of a name has tries of its own', () => {
  const key = (username: string, eauth = 'ldap'): string => loginKeyOf(dict({ username, eauth }));
  for (const spelling of ['dave', 'Dave', 'DAVE', ' dave', 'dave ', 'ｄａｖｅ'])
    assert.equal(key(spelling), key('dave'), JSON.stringify(spelling));
  assert.equal(key('d  dave'), key('D Dave'));
  assert.notEqual(key('dave', 'pam'), key('dave'), 'another system has other people');
  assert.equal(loginKeyOf(new Map()), ' ');
});

test('log-in limits - two hundred of a name from anywhere', async () => {
  const { tries } = made();
  for (let at = 0; at < 200; at++) assert.deepEqual(await tries(`10.0.1.${at}`, 'alice'), ['asked']);
  assert.deepEqual(await tries('10.0.2.1', 'alice'), ['429 Retry-After 300']);
});
