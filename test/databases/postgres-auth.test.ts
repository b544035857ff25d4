/** Log-ins by a table of PostgreSQL, and pillar out of one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { silentLogger } from '../../src/host/log.ts';
import { postgresBackend } from '../../src/plugins/postgres/auth.ts';
import { dict, type Value } from '../../src/python/values/value.ts';
import { postgresPillar } from '../../src/runtime/pillar/ext/sql.ts';
import { DATABASE_PASSWORD, DATABASE_USER, startDatabase } from '../support/database-servers.ts';
import { checkUsers, made } from '../support/table-users.ts';

test('log-ins by a table of postgresql', async (t) => {
  const { host, port } = await startDatabase(t, 'postgres');
  const admin = new pg.Client({
    host,
    port,
    user: DATABASE_USER,
    password: DATABASE_PASSWORD,
    database: 'postgres',
  });
  await admin.connect();
  admin.on('error', () => undefined);
  t.after(() => admin.end());
  await admin.query('CREATE TABLE users (username text, password text)');
  const hash = (text: string): string => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
  await admin.query(
    `INSERT INTO users VALUES ('diana', ${hash("'secret'")}), ('o''neil', ${hash('\'a "quoted" \\ one\'')})`,
  );
  const backend = made(postgresBackend, 'postgres_auth', {
    hostname: host,
    port,
    username: DATABASE_USER,
    password: DATABASE_PASSWORD,
    database: 'postgres',
    auth_sql: `SELECT username FROM users WHERE username = '{0}' AND password = ${hash("'{1}'")}`,
  });
  t.after(() => backend.close?.());
  await checkUsers(backend);
  // pillar, on the same server
  await admin.query('CREATE TABLE pillar (minion text, name text, number int8, told json, since timestamp)');
  await admin.query(
    "INSERT INTO pillar VALUES ('db''1ü', 'role', 9007199254740993, '{\"a\": [1]}', '2026-01-02 03:04:05')",
  );
  const pillarOf = async (
    sql: string,
    minionId: string,
    more: Record<string, Value> = {},
  ): Promise<unknown> => {
    const access = { host, port, user: DATABASE_USER, pass: DATABASE_PASSWORD, db: 'postgres', ...more };
    const opts = dict({ postgres: dict(access) });
    return postgresPillar([sql], {
      ...{ minionId, grains: dict(), pillar: dict(), opts },
      ...{ log: silentLogger, errors: [] },
    });
  };
  const sql = 'SELECT name, told FROM pillar WHERE minion = %s';
  const found = await pillarOf(sql, "db'1ü");
  assert.deepEqual(found, dict({ role: dict({ a: [1] }) }));
  const since = await pillarOf('SELECT number, since FROM pillar WHERE minion = %s', "db'1ü");
  assert.deepEqual(since, new Map([[9007199254740993n, '2026-01-02 03:04:05']]));
  assert.deepEqual(await pillarOf(sql, "x' OR '1'='1"), dict());
  for (const [wrong, more, said] of [
    [
      sql,
      { pass: 'other' },
      /The PostgreSQL database postgres at .+; see the options postgres\.user and postgres\.pass$/,
    ],
    [sql, { db: 'none there' }, /; create what is missing, or correct the query or the option postgres\.db$/],
    [sql, { port: 1 }, /; is it running, and do postgres\.host and postgres\.port name it\?$/],
    [
      sql,
      { sslmode: 'require' },
      /; the option postgres\.sslmode asks for TLS, and nothing is sent without it$/,
    ],
    [
      'SELECT name FROM others WHERE minion = %s',
      {},
      /relation "others" does not exist; create what is missing/,
    ],
  ] as const)
    await assert.rejects(pillarOf(wrong, 'web01', more), said);
});
