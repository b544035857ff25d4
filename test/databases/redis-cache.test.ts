/** The minion data cache in Redis. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { encode } from '../../src/formats/wire/msgpack.ts';
import { systemClock } from '../../src/host/clock.ts';
import { openCacheServer } from '../../src/plugins/registry/cache/open.ts';
import { dict, type Dict } from '../../src/python/values/value.ts';
import type { CacheServer } from '../../src/storage/cache/cache-server.ts';
import { checkServer, checkSharedCache } from '../support/cache-masters.ts';
import { startDatabase } from '../support/database-servers.ts';
import { Fleet, until } from '../support/fleet.ts';
import { copyKey } from '../support/masters.ts';

const CLUSTER = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];

function opened(opts: Dict): CacheServer {
  const server = openCacheServer({ opts, clock: systemClock });
  assert.ok(server);
  return server;
}

for (const [title, words, more] of [
  ['alone', [], {}],
  ['as a cluster', CLUSTER, { 'cache.redis.cluster_mode': true }],
] as const)
  test(`redis ${title} - keeps what masters remember of minions`, { timeout: 60_000 }, async (t) => {
    const { port } = await startDatabase(t, 'redis', [...words]);
    if (words.length > 0) {
      const redis = new Redis({ host: '127.0.0.1', port });
      t.after(() => redis.disconnect());
      await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      while (!String(await redis.cluster('INFO')).includes('cluster_state:ok')) await systemClock.sleep(50);
    }
    const opts = dict({
      cache: 'redis',
      'cache.redis.host': '127.0.0.1',
      'cache.redis.port': port,
      'cache.redis.cluster.startup_nodes': [dict({ host: '127.0.0.1', port })],
      ...more,
    });
    await checkServer(() => opened(opts), true);
    await checkSharedCache(t, () => opened(opts));
  });

test('redis - keys and values are those of a real 3006.16', async (t) => {
  const { port } = await startDatabase(t, 'redis');
  const redis = new Redis({ host: '127.0.0.1', port });
  t.after(() => redis.disconnect());
  const recorded = JSON.parse(
    readFileSync(`${process.env['BRINE_ROOT'] ?? process.cwd()}/test/fixtures/cache/redis.json`, 'utf8'),
  ) as Record<string, string | string[]>;
  const server = opened(dict({ cache: 'redis', 'cache.redis.host': '127.0.0.1', 'cache.redis.port': port }));
  const data = dict({ grains: dict({ id: 'web1', os: 'Debian' }), pillar: dict({ grün: [1, null, 'x'] }) });
  await server.store({ bank: 'minions/web1', key: 'data' }, Buffer.from(encode(data, 'local')));
  const found: Record<string, string | string[]> = {};
  for (const key of await redis.keys('*'))
    found[key] =
      (await redis.type(key)) === 'set'
        ? (await redis.smembers(key)).sort()
        : ((await redis.getBuffer(key))?.toString('base64') ?? '');
  const stampKey = "$TSTAMP_{'minions/web1'}/{'data'}";
  assert.equal(Buffer.from(String(found[stampKey]), 'base64').length, 5);
  assert.deepEqual({ ...found, [stampKey]: '' }, { ...recorded, [stampKey]: '' });
  await server.close();
});

test(
  'redis - two masters of their own see the same minions, and one goes on without it',
  { timeout: 120_000 },
  async (t) => {
    const server = await startDatabase(t, 'redis');
    const options = [
      'auto_accept: True',
      'cache: redis',
      'cache.redis.host: 127.0.0.1',
      `cache.redis.port: ${server.port}`,
    ];
    const [a, b] = [await Fleet.create(t, options), await Fleet.create(t, options)];
    const first = await a.startMaster();
    copyKey(a, b);
    await b.startMaster();
    const minion = await a.joinMinion('web1', [
      'grains: {shelf: seven}',
      'mine_functions: {test.echo: [here]}',
    ]);
    const dataOf = (fleet: Fleet): string => {
      try {
        return readFileSync(fleet.path('m', 'cache', 'minions', 'web1', 'data.p'), 'latin1');
      } catch {
        return '';
      }
    };
    const key = readFileSync(a.path('m', 'pki', 'minions', 'web1'), 'utf8');
    b.write(b.path('m', 'pki', 'minions'), 'web1', [key.trimEnd()]);
    await until('the other master knows the minion', () => dataOf(b).includes('seven'));
    const seen = await b.run('salt-run', ['--out', 'json', 'cache.grains', 'shelf:seven', 'tgt_type=grain']);
    assert.equal((JSON.parse(seen.stdout) as Record<string, Dict>)['web1'] !== undefined, true, seen.stdout);
    const stored = await b.run('salt-run', ['--out', 'json', 'cache.list', 'minions/web1']);
    assert.ok((JSON.parse(stored.stdout) as string[]).includes('data'));

    await server.stop();
    await first.logged('not brought to its server: Redis cannot be reached');
    const away = await b.run('salt-run', ['cache.fetch', 'minions/web1', 'data']);
    assert.notEqual(away.code, 0);
    assert.match(away.stdout + away.stderr, /Redis cannot be reached at 127\.0\.0\.1/);
    a.configureMinion('web1', ['grains: {shelf: eight}']);
    await minion.stop();
    await a.joinMinion('web1', ['grains: {shelf: eight}']);
    await until('the grain is here', () => dataOf(a).includes('eight'));
    assert.deepEqual(await a.json(['-G', 'shelf:eight', 'test.ping']), { web1: true });
    await server.start();
    await first.logged('is back');
    await until('the other master has it', () => dataOf(b).includes('eight'));
  },
);
