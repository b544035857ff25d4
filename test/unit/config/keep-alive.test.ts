import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { keepAliveMs } from '../../../src/config/keep-alive.ts';
import { masterOptions } from '../../../src/config/master-options.ts';
import { minionOptions } from '../../../src/config/minion-options.ts';
import { Options } from '../../../src/config/option.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { connectOptions } from '../../../src/network/transport/address.ts';
import { TcpRequestClient } from '../../../src/network/transport/tcp/request-client.ts';
import { TcpRequestServer } from '../../../src/network/transport/tcp/request-server.ts';
import { dict, type Value } from '../../../src/python/values/value.ts';
import { clientOf, LOCAL, MiB } from '../../support/transport-ends.ts';

const CASES: readonly (readonly [values: Record<string, Value>, keepAliveMs: number])[] = [
  [{}, 300_000],
  [{ tcp_keepalive_idle: 20 }, 20_000],
  [{ tcp_keepalive_idle: -1 }, 300_000],
  [{ tcp_keepalive: false, tcp_keepalive_idle: 20 }, 0],
];

test('tcp_keepalive, tcp_keepalive_idle - the time on master and minion', () => {
  for (const [values, expected] of CASES) {
    assert.equal(keepAliveMs(new Options(masterOptions, dict(values))), expected);
    assert.equal(keepAliveMs(new Options(minionOptions, dict({ id: 'm1', ...values }))), expected);
  }
});

test('tcp_keepalive, tcp_keepalive_idle - what the socket of a minion is opened with', () => {
  const address = { host: '127.0.0.1', port: 4506 };
  assert.deepEqual(connectOptions(address, 20_000), {
    ...address,
    keepAlive: true,
    keepAliveInitialDelay: 20_000,
  });
  assert.deepEqual(connectOptions(address, 0), address);
});

test('tcp_keepalive, tcp_keepalive_idle - what a master sets on the connections that it takes', async (t) => {
  const set = t.mock.method(Socket.prototype, 'setKeepAlive');
  for (const [values, expected] of CASES) {
    set.mock.resetCalls();
    const time = keepAliveMs(new Options(masterOptions, dict(values)));
    const limits = { backlog: 100, messageBytesMax: MiB, bufferedBytesMax: MiB };
    const server = new TcpRequestServer(
      { address: LOCAL, ...limits, clock: systemClock, keepAliveMs: time },
      (request) => request.reply(Buffer.from(request.body)),
      () => undefined,
    );
    const address = await server.start();
    t.after(() => server.close());
    await clientOf(t, TcpRequestClient, () => address).request(Buffer.from([0xc0]), 5000);
    assert.deepEqual(
      set.mock.calls.map((call) => call.arguments),
      expected === 0 ? [] : [[true, expected]],
    );
  }
});

test('tcp_keepalive_cnt, tcp_keepalive_intvl - a value is said to have no effect, on master and minion', () => {
  for (const table of [masterOptions, minionOptions])
    for (const option of [table.tcp_keepalive_cnt, table.tcp_keepalive_intvl])
      assert.match(option.unserved?.why ?? '', /only when the first probe is sent/);
});
