/** The minion data cache in MariaDB. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { UnreachableError } from '../../src/errors/errors.ts';
import { systemClock } from '../../src/host/clock.ts';
import { openCacheServer } from '../../src/plugins/registry/cache/open.ts';
import { dict } from '../../src/python/values/value.ts';
import type { CacheServer } from '../../src/storage/cache/cache-server.ts';
import { checkServer, checkSharedCache } from '../support/cache-masters.ts';
import { DATABASE_PASSWORD, DATABASE_USER, startDatabase } from '../support/database-servers.ts';

test('mariadb - keeps what masters remember of minions', { timeout: 60_000 }, async (t) => {
  const { port } = await startDatabase(t, 'mariadb');
  const admin = await createConnection({
    host: '127.0.0.1',
    port,
    user: DATABASE_USER,
    password: DATABASE_PASSWORD,
  });
  t.after(() => admin.destroy());
  const open = (table: string) => (): CacheServer => {
    const server = openCacheServer({
      opts: dict({
        cache: 'mysql',
        'mysql.port': port,
        'mysql.user': DATABASE_USER,
        'mysql.password': DATABASE_PASSWORD,
        'mysql.table_name': table,
      }),
      clock: systemClock,
    });
    assert.ok(server);
    return server;
  };
  const without = open('salt')();
  await assert.rejects(without.list('x'), (error) => {
    assert.ok(error instanceof UnreachableError);
    assert.match(error.message, /The MySQL database salt_cache at 127\.0\.0\.1:\d+: Unknown database/);
    return true;
  });
  await without.close();
  await admin.query('CREATE DATABASE salt_cache');
  await checkServer(open('salt'), null);
  await checkSharedCache(t, open('salt'));
  // as 3004 made it
  await admin.query(
    'CREATE TABLE salt_cache.old (bank CHAR(255), etcd_key CHAR(255), data MEDIUMBLOB, PRIMARY KEY(bank, etcd_key))',
  );
  await checkServer(open('salt_cache.old'), null);
  const [made] = await admin.query('SHOW COLUMNS FROM salt_cache.salt');
  const [changed] = await admin.query('SHOW COLUMNS FROM salt_cache.old');
  assert.deepEqual(made, changed);
});
