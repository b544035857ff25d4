/** Whose address a request has that came through proxies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Proxies } from '../../../../src/programs/api/proxies.ts';

/** Trusted proxies, the address of the connection, `X-Forwarded-For`, and who has asked. */
const CASES: readonly (readonly [string[], string, string | undefined, string])[] = [
  [[], '127.0.0.1', '203.0.113.5', '127.0.0.1'],
  [['127.0.0.1'], '127.0.0.1', '203.0.113.5', '203.0.113.5'],
  [['127.0.0.1'], '127.0.0.1', undefined, '127.0.0.1'],
  // what the client has written itself stands before what the proxy has written
  [['127.0.0.1'], '127.0.0.1', '10.0.0.1, 203.0.113.5', '203.0.113.5'],
  [['127.0.0.1'], '127.0.0.1', '127.0.0.1, 203.0.113.5', '203.0.113.5'],
  [['127.0.0.1'], '192.0.2.9', '203.0.113.5', '192.0.2.9'],
  [['127.0.0.1', '10.0.0.0/8'], '127.0.0.1', '203.0.113.5, 10.1.2.3', '203.0.113.5'],
  [['127.0.0.1', '10.0.0.0/8'], '127.0.0.1', '198.51.100.1, 203.0.113.5,10.1.2.3', '203.0.113.5'],
  [['10.0.0.0/8'], '10.1.1.1', '10.2.2.2', '10.2.2.2'],
  [['127.0.0.1'], '127.0.0.1', 'unknown', '127.0.0.1'],
  [['127.0.0.1'], '127.0.0.1', '203.0.113.5, ', '127.0.0.1'],
  [['127.0.0.1'], '127.0.0.1', "203.0.113.5, 1'; --", '127.0.0.1'],
  [['127.0.0.1'], '127.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
  [['2001:db8::/32'], '2001:db8::1', '[2001:db9::5]:80', '2001:db9::5'],
  [['127.0.0.1'], '127.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
];

test('API proxies - an address counts as far as proxies that are believed have written it', () => {
  for (const [trusted, address, header, expected] of CASES)
    assert.equal(
      new Proxies(trusted).clientOf(address, { 'x-forwarded-for': header }),
      expected,
      `${trusted.join()} ${address} ${header}`,
    );
  assert.equal(
    new Proxies('127.0.0.1').clientOf('127.0.0.1', { 'x-forwarded-for': '203.0.113.5' }),
    '203.0.113.5',
  );
});

test('API proxies - what is no address and no network is refused at the start', () => {
  for (const wrong of ['localhost', '*', '10.0.0.0/33', '10.0.0/8', '', '::1/129', '10.0.0.1/'])
    assert.throws(() => new Proxies([wrong]), /trusted_proxies names .*no address/, wrong);
});

test('proxies - one of this machine that nobody has named is told of, once', () => {
  const told: string[] = [];
  const forwarded = { 'x-forwarded-for': '192.0.2.1' };
  const unnamed = new Proxies(null, (warning) => told.push(warning));
  assert.equal(unnamed.clientOf('127.0.0.1', {}), '127.0.0.1');
  assert.equal(unnamed.clientOf('192.0.2.9', forwarded), '192.0.2.9');
  assert.deepEqual([...told], []);
  for (const address of ['127.0.0.1', '::1']) assert.equal(unnamed.clientOf(address, forwarded), address);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /set trusted_proxies: 127\.0\.0\.1/);
  const named = new Proxies(['127.0.0.1'], (warning) => told.push(warning));
  assert.equal(named.clientOf('127.0.0.1', forwarded), '192.0.2.1');
  assert.equal(told.length, 1);
});
