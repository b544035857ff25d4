/** Log-ins by a table of MariaDB, and pillar out of one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { silentLogger } from '../../src/host/log.ts';
import { Secret } from '../../src/host/secret.ts';
import { mysqlBackend } from '../../src/plugins/mysql/auth.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';
import { mysqlPillar } from '../../src/runtime/pillar/ext/sql.ts';
import { DATABASE_PASSWORD, DATABASE_USER, startDatabase } from '../support/database-servers.ts';
import { checkUsers, made } from '../support/table-users.ts';

test('log-ins by a table of mariadb', async (t) => {
  const server = await startDatabase(t, 'mariadb');
  const login = { host: server.host, port: server.port, user: DATABASE_USER, password: DATABASE_PASSWORD };
  const admin = await createConnection(login);
  admin.on('error', () => undefined);
  t.after(() => admin.destroy());
  await admin.query('CREATE DATABASE people');
  await admin.query(
    'CREATE TABLE people.users (id int AUTO_INCREMENT PRIMARY KEY, username varchar(25), password varchar(70))',
  );
  await admin.query(
    "INSERT INTO people.users VALUES (NULL, 'diana', SHA2('secret', 256)), (NULL, 'o''neil', SHA2('a \"quoted\" \\\\ one', 256))",
  );
  const settings = {
    hostname: server.host,
    port: server.port,
    username: DATABASE_USER,
    password: DATABASE_PASSWORD,
    database: 'people',
    // as Salt's documentation has it
    auth_sql: 'SELECT username FROM users WHERE username = "{0}" AND password = SHA2("{1}", 256)',
  };
  await checkUsers(made(mysqlBackend, 'mysql_auth', settings));
  const all = made(mysqlBackend, 'mysql_auth', {
    ...settings,
    auth_sql: "SELECT username FROM users WHERE '{0}' <> '{1}'",
  });
  assert.equal(await all.authenticate({ username: 'a', password: new Secret('b') }), false, 'two rows');
  for (const more of [
    { auth_sql: 'SELECT nothing FROM users WHERE {0} = {1}' },
    { port: 1 },
    { password: 'other' },
  ]) {
    const broken = made(mysqlBackend, 'mysql_auth', { ...settings, ...more });
    await assert.rejects(
      broken.authenticate({ username: 'diana', password: new Secret('canary') }),
      (error: Error) =>
        /the database of mysql_auth/.test(error.message) && !/canary|other/.test(error.message),
    );
  }
  // pillar, on the same server: an id is a text whatever the server takes for an escape
  await admin.query('CREATE TABLE people.pillar (minion varchar(200), name varchar(20), value varchar(20))');
  await admin.query("INSERT INTO people.pillar VALUES ('web01', 'role', 'web'), ('db''1ü', 'role', 'db')");
  const opts = dict({
    mysql: dict({
      host: server.host,
      port: server.port,
      user: DATABASE_USER,
      pass: DATABASE_PASSWORD,
      db: 'people',
    }),
  });
  const sql = 'SELECT name, value FROM pillar WHERE minion LIKE %s';
  for (const mode of ['', 'NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES']) {
    await admin.query(`SET GLOBAL sql_mode = '${mode}'`);
    const pillarOf = async (minionId: string): Promise<unknown> =>
      mysqlPillar([sql], { minionId, grains: dict(), pillar: dict(), opts, log: silentLogger, errors: [] });
    assert.deepEqual(await pillarOf('web01'), dict({ role: 'web' }), mode);
    assert.deepEqual(await pillarOf("db'1ü"), dict({ role: 'db' }), mode);
    for (const evil of ["x' OR '1'='1", "\\' OR 1=1 -- ", '" OR 1=1 -- ', "x'; DROP TABLE pillar; -- "])
      assert.deepEqual(await pillarOf(evil), dict(), `${mode}: ${evil}`);
  }
  const typed =
    "SELECT 9007199254740993, 7, DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05', JSON_ARRAY(1), %s";
  const typedOf = (more: Record<string, Value>, sql = typed): Promise<Value> =>
    Promise.resolve(
      mysqlPillar([sql], {
        ...{ minionId: 'web01', grains: dict(), pillar: dict(), log: silentLogger, errors: [] },
        opts: dict({ mysql: new Map([...(opts.get('mysql') as Dict), ...dict(more)]) }),
      }),
    );
  const path = ['9007199254740993', 7, '2026-01-02', '2026-01-02 03:04:05'];
  let at: Value | undefined = await typedOf({});
  for (const key of path) at = at instanceof Map ? at.get(key) : undefined;
  assert.deepEqual(at, new Map([[[1], 'web01']]));
  for (const [more, said] of [
    [{ pass: 'other' }, /The MySQL database people at .+; see the options mysql\.user and mysql\.pass$/],
    [{ db: 'none_there' }, /; create what is missing, or correct the query or the option mysql\.db$/],
    [{ port: 1 }, /; is it running, and do mysql\.host and mysql\.port name it\?$/],
    [{ ssl: true }, /; the options mysql\.ssl_\* ask for TLS, and nothing is sent without it$/],
    [{ ssl: dict({ ca: '/work/none.pem' }) }, /The file \/work\/none\.pem \(mysql\.ssl\.ca\) cannot be read/],
  ] as const)
    await assert.rejects(typedOf(more), said);
  await assert.rejects(
    typedOf({}, 'SELECT name FROM others WHERE minion = %s'),
    /others' doesn't exist; create what is/,
  );
});
