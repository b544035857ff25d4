/** Tokens of external authentication in Redis, alone and as a cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redis } from 'ioredis';
import { systemClock } from '../../src/host/clock.ts';
import { decode } from '../../src/formats/wire/msgpack.ts';
import { dict, float } from '../../src/python/values/value.ts';
import { openTokens } from '../../src/storage/tokens/open.ts';
import { startDatabase, type DatabaseServer } from '../support/database-servers.ts';

const TOKEN = 'a1'.repeat(32);
const CLUSTER = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];

async function checkTokens({ port }: DatabaseServer, redis: Redis): Promise<void> {
  const tokens = openTokens(
    dict({ eauth_tokens: 'rediscluster', eauth_redis_host: '127.0.0.1', eauth_redis_port: port }),
  );
  const now = systemClock.nowMs() / 1000;
  const data = dict({
    start: float(now),
    expire: float(now + 60.5),
    name: 'alice',
    eauth: 'file',
    token: TOKEN,
  });
  assert.equal(await tokens.read(TOKEN), undefined);
  await tokens.write(TOKEN, data);
  await redis.set('not a token', 'x');
  assert.deepEqual(await tokens.read(TOKEN), data);
  assert.deepEqual(decode((await redis.getBuffer(TOKEN)) ?? Buffer.alloc(0), 'local'), data);
  assert.ok((await redis.ttl(TOKEN)) > 50);
  assert.deepEqual(await tokens.list(), [TOKEN]);
  await redis.set('b2'.repeat(32), Buffer.from([0xc1]));
  assert.equal(await tokens.read('b2'.repeat(32)), undefined);
  assert.equal(await tokens.remove(TOKEN), true);
  assert.equal(await tokens.remove(TOKEN), false);
  assert.equal(await tokens.read('not a token'), undefined);
  await tokens.close();
}

for (const [title, words] of [
  ['alone', []],
  ['as a cluster', CLUSTER],
] as const)
  test(`redis ${title} - keeps tokens`, { timeout: 30_000 }, async (t) => {
    const server = await startDatabase(t, 'redis', [...words]);
    const redis = new Redis({ host: '127.0.0.1', port: server.port });
    t.after(() => redis.disconnect());
    if (words.length > 0) {
      await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      while (!String(await redis.cluster('INFO')).includes('cluster_state:ok')) await systemClock.sleep(50);
    }
    await checkTokens(server, redis);
  });

test('redis - tokens of a server that is away', async () => {
  const tokens = openTokens(
    dict({ eauth_tokens: 'rediscluster', eauth_redis_host: '127.0.0.1', eauth_redis_port: 1 }),
  );
  await assert.rejects(tokens.read(TOKEN), /Redis at 127\.0\.0\.1:1 did not do it: .*ECONNREFUSED/);
  await tokens.close();
});
