/**
 * Servers that stop in the middle of work: held, so that connections stay open and nothing answers, and killed. Whoever
 * waits is told in bounded time which server it is, and goes on by itself when it is back.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { Secret } from '../../src/host/secret.ts';
import { mysqlBackend } from '../../src/plugins/mysql/auth.ts';
import { postgresBackend } from '../../src/plugins/postgres/auth.ts';
import { pgjsonbQueues } from '../../src/plugins/postgres/queue.ts';
import { openCacheServer } from '../../src/plugins/registry/cache/open.ts';
import { openMasterStore } from '../../src/plugins/registry/returner/sink.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';
import { mysqlPillar, postgresPillar } from '../../src/runtime/pillar/ext/sql.ts';
import { redisPillar } from '../../src/runtime/pillar/ext/redis.ts';
import { openTokens } from '../../src/storage/tokens/open.ts';
import {
  DATABASE_PASSWORD,
  DATABASE_USER,
  startDatabase,
  type DatabaseServer,
  type DatabaseServerName,
} from './database-servers.ts';
import { made } from './table-users.ts';

/** No call may take longer: the longest limit there is, and the time of a busy machine. */
const BOUND_MS = 40_000;

/** The arguments of an external pillar. */
const about = (opts: Dict) => ({
  ...{ minionId: 'm1', grains: dict(), pillar: dict(), opts },
  ...{ log: silentLogger, errors: [] },
});

/** Uses whose statement takes three seconds. */
const SLOW = 'a statement of ';

/** One who works with a server. @returns after one call */
type Use = () => Promise<unknown>;

function store(t: TestContext, name: string, opts: Dict): Use {
  const opened = openMasterStore(name, {
    opts,
    keepJobsSeconds: 3600,
    clock: systemClock,
    log: silentLogger,
  });
  t.after(async () => (await opened)?.close());
  return async () => (await opened)?.load('20260101000000000000');
}

const uses: Readonly<
  Record<string, (t: TestContext, server: DatabaseServer) => Promise<Record<string, Use>>>
> = {
  mariadb: async (t, { host, port }) => {
    const login = { host, port, user: DATABASE_USER, pass: DATABASE_PASSWORD };
    const { createConnection } = await import('mysql2/promise');
    const admin = await createConnection({ host, port, user: login.user, password: login.pass });
    await admin.query('CREATE DATABASE salt_cache');
    await admin.query('CREATE DATABASE IF NOT EXISTS salt');
    await admin.query('CREATE TABLE salt.jids (jid varchar(255) PRIMARY KEY, `load` mediumtext)');
    admin.destroy();
    const opts = dict({
      cache: 'mysql',
      ...Object.fromEntries(
        Object.entries({ ...login, password: login.pass }).map(([k, v]) => [`mysql.${k}`, v]),
      ),
      mysql: dict({ ...login, db: 'salt' }),
    });
    const cache = openCacheServer({ opts, clock: systemClock });
    t.after(() => cache?.close());
    const slowUsers = made(mysqlBackend, 'mysql_auth', {
      ...{ hostname: host, port, username: login.user, password: login.pass, database: 'salt' },
      auth_sql: 'SELECT SLEEP(3) FROM (SELECT 1) one WHERE "{0}" <> "{1}"',
    });
    const users = made(mysqlBackend, 'mysql_auth', {
      ...{ hostname: host, port, username: login.user, password: login.pass, database: 'salt' },
      auth_sql: 'SELECT load FROM jids WHERE jid = "{0}" AND jid = "{1}"'.replace('load', '`load`'),
    });
    return {
      'a job cache': store(t, 'mysql', opts),
      'the cache': async () => cache?.list('minions'),
      'a log-in': () => users.authenticate({ username: 'a', password: new Secret('not-this') }),
      pillar: async () => mysqlPillar(['SELECT jid, `load` FROM jids WHERE jid LIKE %s'], about(opts)),
      [`${SLOW}pillar`]: async () => mysqlPillar(['SELECT %s AS id, SLEEP(3) AS slept'], about(opts)),
      [`${SLOW}a log-in`]: () => slowUsers.authenticate({ username: 'a', password: new Secret('not-this') }),
    };
  },
  postgres: async (t, { host, port }) => {
    const login = { host, port, user: DATABASE_USER, password: DATABASE_PASSWORD };
    const { default: pg } = await import('pg');
    const admin = new pg.Client({ ...login, database: 'postgres' });
    await admin.connect();
    await admin.query('CREATE TABLE jids (jid varchar(255) PRIMARY KEY, load text)');
    await admin.end();
    const below = (prefix: string, more: Record<string, Value>): Record<string, Value> =>
      Object.fromEntries(
        Object.entries({ host, port, user: login.user, ...more }).map(([k, v]) => [`${prefix}.${k}`, v]),
      );
    const opts = dict({
      ...below('returner.postgres', { passwd: login.password, db: 'postgres' }),
      ...below('queue.pgjsonb', { password: login.password, dbname: 'postgres' }),
      postgres: dict({ host, port, user: login.user, pass: login.password, db: 'postgres' }),
    });
    const queues = pgjsonbQueues.open({ opts, clock: systemClock, log: silentLogger });
    t.after(() => queues.close());
    const slowUsers = made(postgresBackend, 'postgres_auth', {
      ...{ hostname: host, port, username: login.user, password: login.password, database: 'postgres' },
      auth_sql: "SELECT pg_sleep(3) WHERE '{0}' <> '{1}'",
    });
    const users = made(postgresBackend, 'postgres_auth', {
      ...{ hostname: host, port, username: login.user, password: login.password, database: 'postgres' },
      auth_sql: "SELECT load FROM jids WHERE jid = '{0}' AND jid = '{1}'",
    });
    return {
      'a job cache': store(t, 'postgres', opts),
      'a queue': () => queues.queues(),
      'a log-in': () => users.authenticate({ username: 'a', password: new Secret('not-this') }),
      pillar: async () => postgresPillar(['SELECT jid, load FROM jids WHERE jid LIKE %s'], about(opts)),
      [`${SLOW}pillar`]: async () =>
        postgresPillar(['SELECT %s::text AS id, pg_sleep(3)::text'], about(opts)),
      [`${SLOW}a log-in`]: () => slowUsers.authenticate({ username: 'a', password: new Secret('not-this') }),
    };
  },
  redis: async (t, { host, port }) => {
    const opts = dict({
      cache: 'redis',
      ...{ 'redis.host': host, 'redis.port': port, 'cache.redis.host': host, 'cache.redis.port': port },
      ...{ eauth_tokens: 'rediscluster', eauth_redis_host: host, eauth_redis_port: port },
    });
    const cache = openCacheServer({ opts, clock: systemClock });
    const tokens = openTokens(opts);
    t.after(async () => {
      await cache?.close();
      await tokens.close();
    });
    return {
      'a job cache': store(t, 'redis', opts),
      'the cache': async () => cache?.list('minions'),
      tokens: () => tokens.list(),
      pillar: async () => redisPillar(dict({ function: 'key_value' }), about(opts)),
    };
  },
};

/** How a call ended, and after how long. */
async function ended(use: Use): Promise<{ error: string | undefined; tookMs: number }> {
  const from = systemClock.monotonicMs();
  const late = new AbortController();
  const error = await Promise.race([
    use().then(
      () => undefined,
      (thrown: unknown) => String((thrown as Error).message),
    ),
    systemClock.sleep(BOUND_MS, late.signal).then(() => 'STILL WAITING'),
  ]);
  late.abort();
  return { error, tookMs: Math.round(systemClock.monotonicMs() - from) };
}

/** Holds and kills one of these servers, with everybody at work on it. */
export async function checkHeld(
  t: TestContext,
  name: DatabaseServerName & ('mariadb' | 'postgres' | 'redis'),
): Promise<void> {
  const server = await startDatabase(t, name, name === 'redis' ? ['--appendonly', 'yes'] : []);
  const each = await (uses[name] as NonNullable<(typeof uses)[string]>)(t, server);
  const works = async (when: string): Promise<void> => {
    for (const [what, use] of Object.entries(each))
      assert.equal((await ended(use)).error, undefined, `${what} ${when}`);
  };
  await works('at first');

  const told = async (
    when: string,
    during?: () => Promise<void>,
    isMeant = (_what: string): boolean => true,
  ): Promise<void> => {
    const meant = Object.entries(each).filter(([what]) => isMeant(what));
    const calls = meant.map(async ([what, use]) => [what, await ended(use)] as const);
    await during?.();
    for (const [what, { error, tookMs }] of await Promise.all(calls)) {
      t.diagnostic(`${when}: ${what} after ${tookMs} ms: ${error}`);
      assert.match(error ?? 'no error', new RegExp(String(server.port)), `${what} ${when}`);
    }
  };
  server.pause();
  await told('held between two calls');
  server.resume();
  await works('after it was held');

  await told(
    'held in a statement',
    async () => {
      await systemClock.sleep(1_000);
      server.pause();
    },
    (what) => what.startsWith(SLOW),
  );
  server.resume();
  await works('after it was held in a statement');

  server.pause();
  await told('held, and killed during a call', async () => {
    await systemClock.sleep(500);
    await server.kill();
  });
  await told('killed');
  await server.start();
  await works('after it was killed');
}
