import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Redis } from 'ioredis';
import { systemClock } from '../../src/host/clock.ts';
import { redisKind } from '../../src/plugins/redis/returner.ts';
import { StoreUnavailableError } from '../../src/network/databases/errors.ts';
import type { ReturnStore } from '../../src/plugins/shared/returner/return-store.ts';
import type { Value } from '../../src/python/values/value.ts';
import { dict } from '../../src/python/values/value.ts';
import { checkTls } from '../support/store-tls.ts';
import { checkReturnStore, contractLoad, contractReturn } from '../support/return-store-contract.ts';
import { certificate, startDatabase, type DatabaseServer } from '../support/database-servers.ts';

const JID = '20261122020000000001';

function open(
  t: TestContext,
  options: Iterable<[string, Value]>,
  timeoutMs = 5000,
  keepJobsSeconds = 3600,
): ReturnStore {
  const settings = { timeoutMs, connectionsMax: 2, keepJobsSeconds, clock: systemClock };
  const store = redisKind.open({ options: new Map(options), ...settings });
  t.after(() => store.close());
  return store;
}

function at({ port }: DatabaseServer): [string, Value][] {
  return [
    ['host', '127.0.0.1'],
    ['port', port],
  ];
}

/** The driver itself, to look at what was written. */
function look(t: TestContext, { port }: DatabaseServer): Redis {
  const redis = new Redis({ host: '127.0.0.1', port, db: 0 });
  t.after(() => redis.disconnect());
  return redis;
}

test('redis - keeps the contract of stores', { timeout: 60_000 }, async (t) => {
  const server = await startDatabase(t, 'redis');
  const redis = look(t, server);
  const countEvents = (): Promise<number> => redis.zcard('salt_events');
  // for ever: the events of the contract are of one day in 2026
  const openForEver = (): ReturnStore => open(t, at(server), 5000, 0);
  await checkReturnStore(openForEver(), openForEver(), { countEvents });
});

test('redis - a cluster keeps the contract, too', { timeout: 60_000 }, async (t) => {
  const server = await startDatabase(t, 'redis', [
    '--cluster-enabled',
    'yes',
    '--cluster-announce-ip',
    '127.0.0.1',
  ]);
  const redis = look(t, server);
  await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  while (!String(await redis.cluster('INFO')).includes('cluster_state:ok')) await systemClock.sleep(50);
  const nodes: [string, Value][] = [
    ['cluster_mode', true],
    ['cluster.startup_nodes', [dict({ host: '127.0.0.1', port: server.port })]],
  ];
  await checkReturnStore(open(t, nodes), open(t, nodes));
});

test('redis - over TLS it writes to a server of its authority only', async (t) => {
  const server = await startDatabase(t, 'redis', [], { hasTls: true });
  const openAt = (port: number, more: Readonly<Record<string, Value>>): ReturnStore =>
    open(t, Object.entries({ host: '127.0.0.1', port, ...more }), 1000);
  await checkTls((more) => openAt(server.tlsPort, more), ['ssl_ca', 'redis.ssl_ca']);
  const refused: [number, Record<string, Value>, RegExp][] = [
    [server.tlsPort, { ssl: true }, /certificate is of no authority/],
    [
      server.port,
      { ssl: true },
      /ETIMEDOUT. Check redis.host, redis.port, redis.ssl and that the server runs$/,
    ],
    [server.tlsPort, {}, /Check redis.host, redis.port, redis.ssl and that the server runs$/],
    [server.tlsPort, { unix_socket_path: '/x', ssl: true }, /nothing is encrypted on redis.unix_socket_path/],
  ];
  for (const [port, more, pattern] of refused) await assert.rejects(openAt(port, more).load(JID), pattern);
  assert.equal(
    await openAt(server.tlsPort, { ssl: true, ssl_ca: certificate('address.crt') }).load('0'),
    undefined,
  );
});

test("redis - the keys, their times and their values are those of Salt's returner", async (t) => {
  const server = await startDatabase(t, 'redis');
  const store = open(t, [
    ['unix_socket_path', join(server.folder, 'sock')],
    ['db', '0'],
  ]);
  await store.saveLoads([{ jid: JID, load: contractLoad(JID) }]);
  await store.saveReturns([contractReturn(JID, 'm1', { return: { grün: 1 } }), contractReturn(JID, 'm2')]);
  const redis = look(t, server);
  assert.deepEqual((await redis.keys('*')).sort(), [
    `load:${JID}`,
    'm1:test.echo',
    'm2:test.echo',
    'minions',
    `ret:${JID}`,
  ]);
  assert.equal(
    await redis.hget(`ret:${JID}`, 'm1'),
    `{"id": "m1", "jid": "${JID}", "fun": "test.echo", "fun_args": ["x"], "return": {"grün": 1}, "retcode": 0, "success": true, "cmd": "_return"}`,
  );
  assert.equal(await redis.get('m1:test.echo'), JID);
  assert.deepEqual((await redis.smembers('minions')).sort(), ['m1', 'm2']);
  for (const key of [`load:${JID}`, `ret:${JID}`]) {
    const ttl = await redis.ttl(key);
    assert.ok(ttl > 3590 && ttl <= 3600, `${key}: ${ttl}`);
  }
  assert.equal(await redis.ttl('m1:test.echo'), -1);
});

test(
  'redis - says which server is down, and goes on by itself when it is back',
  { timeout: 60_000 },
  async (t) => {
    const server = await startDatabase(t, 'redis');
    const store = open(t, at(server), 500);
    await store.saveReturns([contractReturn(JID, 'm1')]);
    await server.stop();
    const refused = new RegExp(
      `^Redis cannot be reached at 127\\.0\\.0\\.1:${server.port}: connect ECONNREFUSED`,
    );
    await assert.rejects(store.saveReturns([contractReturn(JID, 'm2')]), (error: Error) => {
      assert.match(error.message, /127\.0\.0\.1:\d+/);
      return true;
    });
    await assert.rejects(store.saveReturns([contractReturn(JID, 'm2')]), { message: refused });
    await server.start();
    await store.saveReturns([contractReturn(JID, 'm2')]);
    assert.deepEqual([...(await store.returns(JID)).keys()].sort(), ['m1', 'm2']);

    server.pause();
    await assert.rejects(store.saveReturns([contractReturn(JID, 'm3')]), /timed out|did not answer/);
    server.resume();
    await store.saveReturns([contractReturn(JID, 'm3')]);
    assert.equal((await store.returns(JID)).size, 3);
  },
);

test('redis - a password is needed, used and never told', async (t) => {
  const server = await startDatabase(t, 'redis', ['--requirepass', 'sesame']);
  await assert.rejects(open(t, at(server)).load(JID), /NOAUTH/);
  await assert.rejects(open(t, [...at(server), ['password', 'wrong-one']]).load(JID), (error: Error) => {
    assert.match(error.message, /WRONGPASS/);
    assert.doesNotMatch(error.message, /wrong-one/);
    return true;
  });
  assert.equal(await open(t, [...at(server), ['password', 'sesame']]).load(JID), undefined);
});

test('redis - options that cannot be meant are named', async (t) => {
  await assert.rejects(
    open(t, [['db', 'another']]).load(JID),
    /redis\.db must be a whole number, not another/,
  );
  await assert.rejects(open(t, [['cluster_mode', true]]).load(JID), /redis\.cluster\.startup_nodes/);
});

test('redis - 10,000 returns are written in batches within 10 seconds', { timeout: 60_000 }, async (t) => {
  const server = await startDatabase(t, 'redis');
  const store = open(t, at(server));
  const rets = Array.from({ length: 10_000 }, (_, n) =>
    contractReturn(JID, `m${n}`, { return: 'x'.repeat(900) }),
  );
  const startMs = systemClock.monotonicMs();
  for (let from = 0; from < rets.length; from += 500) await store.saveReturns(rets.slice(from, from + 500));
  const tookMs = systemClock.monotonicMs() - startMs;
  assert.ok(tookMs < 10_000, `${tookMs} ms`);
  t.diagnostic(`10,000 returns in ${Math.round(tookMs)} ms`);
  assert.equal((await store.returns(JID)).size, 10_000);
});

test('redis - no room is nobody’s fault: it is told apart from what a return is refused for', async (t) => {
  const server = await startDatabase(t, 'redis');
  const redis = look(t, server);
  const store = open(t, at(server));
  await redis.config('SET', 'maxmemory', '1');
  await assert.rejects(store.saveReturns([contractReturn(JID, 'm1')]), (error: Error) => {
    assert.ok(error instanceof StoreUnavailableError);
    assert.match(error.message, /OOM/);
    return true;
  });
  await redis.config('SET', 'maxmemory', '0');
  await redis.set(`ret:${JID}`, 'of somebody else');
  await assert.rejects(store.saveReturns([contractReturn(JID, 'm1')]), (error: Error) => {
    assert.ok(!(error instanceof StoreUnavailableError));
    assert.match(error.message, /WRONGTYPE/);
    return true;
  });
});
