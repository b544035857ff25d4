/** The minion data cache in etcd, by version 2 of its interface. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { openCacheServer } from '../../src/plugins/registry/cache/open.ts';
import { dict } from '../../src/python/values/value.ts';
import type { CacheServer } from '../../src/storage/cache/cache-server.ts';
import { checkServer, checkSharedCache } from '../support/cache-masters.ts';
import { startDatabase } from '../support/database-servers.ts';

test('etcd - keeps what masters remember of minions', { timeout: 60_000 }, async (t) => {
  const { port } = await startDatabase(t, 'etcd');
  const open = (): CacheServer => {
    const server = openCacheServer({ opts: dict({ cache: 'etcd', 'etcd.port': port }), clock: systemClock });
    assert.ok(server);
    return server;
  };
  await checkServer(open, null);
  await checkSharedCache(t, open);
  const server = open();
  const mark = await server.mark?.('minions');
  assert.equal(await server.mark?.('minions'), mark);
  await server.store({ bank: 'minions/ü 1', key: 'data' }, Buffer.from('x'));
  assert.notEqual(await server.mark?.('minions'), mark);
  const kept = await fetch(
    `http://127.0.0.1:${port}/v2/keys/salt_cache/minions/${encodeURIComponent('ü 1')}`,
  );
  const { node } = (await kept.json()) as { node: { nodes: { key: string; value: string }[] } };
  assert.deepEqual(node.nodes.map(({ key }) => key).sort(), [
    '/salt_cache/minions/ü 1/data',
    '/salt_cache/minions/ü 1/data.tstamp',
  ]);
  assert.equal(node.nodes.find(({ key }) => key.endsWith('data'))?.value, 'eA==');
});
