/** Values of `sdb://` in Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { sdbDelete, sdbGet, sdbSet } from '../../src/plugins/registry/sdb/sdb.ts';
import type { SdbContext } from '../../src/plugins/shared/sdb/sdb-driver.ts';
import { dict } from '../../src/python/values/value.ts';
import { startDatabase } from '../support/database-servers.ts';

test('redis - values of sdb', async (t) => {
  const { port } = await startDatabase(t, 'redis');
  const redis = new Redis({ host: '127.0.0.1', port });
  t.after(() => redis.disconnect());
  const ctx: SdbContext = {
    opts: dict({
      store: { driver: 'redis', host: '127.0.0.1', port },
      away: { driver: 'redis', host: '127.0.0.1', port: 1 },
    }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    query: () => Promise.resolve(new Map()),
  };
  assert.equal(await sdbGet(ctx, 'sdb://store/a'), null);
  assert.equal(await sdbSet(ctx, 'sdb://store/a', 'grün'), true);
  assert.equal(await redis.get('a'), 'grün');
  assert.equal(await sdbGet(ctx, 'sdb://store/a'), 'grün');
  assert.equal(await sdbSet(ctx, 'sdb://store/n', 5), true);
  assert.equal(await sdbGet(ctx, 'sdb://store/n'), '5');
  await redis.set('b', Buffer.from([0xff, 0x00]));
  assert.deepEqual(await sdbGet(ctx, 'sdb://store/b'), new Uint8Array([0xff, 0]));
  assert.equal(await sdbDelete(ctx, 'sdb://store/a'), 1);
  assert.equal(await sdbDelete(ctx, 'sdb://store/a'), 0);
  await assert.rejects(sdbSet(ctx, 'sdb://store/a', dict({ secret: 'canary' })), (error: Error) => {
    assert.match(error.message, /The sdb profile store: Redis keeps texts and numbers/);
    assert.doesNotMatch(error.message, /canary/);
    return true;
  });
  await assert.rejects(sdbGet(ctx, 'sdb://away/a'), /Redis at 127\.0\.0\.1:1 did not do it: .*ECONNREFUSED/);
});
