/** The states of MariaDB and MySQL, applied on a real server by the built command. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createConnection, type Connection } from 'mysql2/promise';
import { DATABASE_PASSWORD, DATABASE_USER, startDatabase } from '../support/database-servers.ts';
import { Applications, changedIn, otherThan } from '../support/state-applications.ts';

const CANARY = 'can\'ary \\ : " 7';
const USER = '-o\'ne "x"; --\\';
const DATABASE = "-d'b `q` _100%\\";
const quoted = (text: string): string => JSON.stringify(text);

const present = (answer: string): string => `
user:
  mysql_user.present: [{name: ${quoted(USER)}, host: '%', password: ${quoted(CANARY)}}]
hashed:
  mysql_user.present: [{name: reader, password_hash: '*6C8989366EAF75BB670AD8EA7A7FC1176A95CEF4'}]
free:
  mysql_user.present: [{name: free, allow_passwordless: true}]
by the system:
  mysql_user.present: [{name: daemon, allow_passwordless: true, unix_socket: true}]
database:
  mysql_database.present: [{name: ${quoted(DATABASE)}, character_set: utf8mb4, collate: utf8mb4_bin}]
table:
  mysql_query.run:
    - database: ${quoted(DATABASE)}
    - query: 'CREATE TABLE IF NOT EXISTS goods (n int, t varchar(20)) AS SELECT 1 AS n, "one" AS t'
    - output: ${answer}
    - overwrite: false
    - check_db_exists: false
all:
  mysql_grants.present: [{grant: ALL, database: ${quoted(`${DATABASE}.*`)}, user: ${quoted(USER)}, host: '%'}]
part:
  mysql_grants.present: [{grant: select, database: ${quoted(`${DATABASE}.*`)}, user: ${quoted(USER)}, host: '%'}]
columns:
  mysql_grants.present:
    - grant: select (n), update (t, n)
    - database: ${quoted(`${DATABASE}.goods`)}
    - user: reader
    - grant_option: true
    - require: [{mysql_query: table}]
server:
  mysql_grants.present: [{grant: 'process, replication client', database: '*.*', user: reader}]
`;

const absent = `
columns:
  mysql_grants.absent:
    - {grant: 'select (n), update (t, n)', database: ${quoted(`${DATABASE}.goods`)}, user: reader, grant_option: true}
server:
  mysql_grants.absent: [{grant: 'process, replication client', database: '*.*', user: reader}]
database:
  mysql_database.absent: [{name: ${quoted(DATABASE)}}]
user:
  mysql_user.absent: [{name: ${quoted(USER)}, host: '%'}]
hashed:
  mysql_user.absent: [{name: reader}]
free:
  mysql_user.absent: [{name: free}]
by the system:
  mysql_user.absent: [{name: daemon}]
`;

/** Everything about a server that states change. */
async function snapshot(admin: Connection): Promise<string> {
  const tables = [
    'SELECT * FROM mysql.global_priv',
    'SELECT * FROM mysql.db',
    'SELECT Host, Db, User, Table_name, Table_priv, Column_priv FROM mysql.tables_priv',
    'SELECT Host, Db, User, Table_name, Column_name, Column_priv FROM mysql.columns_priv',
    'SELECT * FROM information_schema.schemata',
    "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema NOT IN ('information_schema')",
  ];
  const rows: unknown[] = [];
  for (const sql of tables) {
    const [found] = await admin.query({
      sql: `${sql} ORDER BY 1, 2, 3`.replace(/(schemata|\)) ORDER BY 1, 2, 3/, '$1 ORDER BY 1, 2'),
      rowsAsArray: true,
    });
    rows.push(found);
  }
  return JSON.stringify(rows).replace(/\\"password_last_changed\\":\d+/g, '');
}

test('mariadb - states on a real server', async (t) => {
  const server = await startDatabase(t, 'mariadb');
  const login = { host: server.host, port: server.port, user: DATABASE_USER, password: DATABASE_PASSWORD };
  const admin = await createConnection(login);
  admin.on('error', () => undefined);
  t.after(() => admin.destroy());
  // every right that the states give to others
  await admin.query(`GRANT ALL ON *.* TO '${DATABASE_USER}'@'%' WITH GRANT OPTION`);
  const defaults = join(server.folder, 'my.cnf');
  writeFileSync(
    defaults,
    `# comment\n[mysqld]\nport=1\n[client]\nhost = ${server.host}\nport = ${server.port}\nuser = ${DATABASE_USER}\npassword = "${DATABASE_PASSWORD}"\n`,
    { mode: 0o600 },
  );
  const runs = new Applications(t, { minion: [`mysql.default_file: ${defaults}`] });
  const answer = join(runs.folder, 'answer');
  const sls = present(answer);

  const before = await snapshot(admin);
  const foretold = await runs.apply(sls, { test: true });
  assert.deepEqual(otherThan(foretold, null), []);
  assert.equal(await snapshot(admin), before, 'test mode writes nothing');
  assert.ok(!existsSync(answer));

  const first = await runs.apply(sls);
  assert.deepEqual(otherThan(first, true), []);
  assert.deepEqual(
    [...first.keys()].filter((id) => !changedIn(first).includes(id)),
    ['part'],
  );
  assert.match(readFileSync(answer, 'utf8'), /^rows affected:1$/m);
  const after = await snapshot(admin);

  const second = await runs.apply(sls);
  assert.deepEqual(otherThan(second, true), []);
  assert.deepEqual(changedIn(second), []);
  assert.equal(await snapshot(admin), after, 'the second time nothing changes');

  // the password is the one that the server asks for
  const own = await createConnection({ ...login, user: USER, password: CANARY });
  await own.query('SELECT 1');
  own.destroy();
  assert.equal(
    await runs.call('mysql.verify_login', `user=${quoted(USER)}`, `password=${quoted(CANARY)}`),
    true,
  );
  assert.equal(await runs.call('mysql.verify_login', `user=${quoted(USER)}`, 'password=other'), false);

  const foretoldEnd = await runs.apply(absent, { test: true });
  assert.deepEqual(otherThan(foretoldEnd, null), []);
  assert.equal(await snapshot(admin), after);
  const removed = await runs.apply(absent);
  assert.deepEqual(otherThan(removed, true), []);
  assert.equal(changedIn(removed).length, removed.size);
  assert.deepEqual(changedIn(await runs.apply(absent)), []);

  const wrong = await runs.apply(`
user:
  mysql_user.present: [{name: ann, password: ${quoted(CANARY)}, connection_pass: ${quoted(CANARY)}, connection_user: nosuch}]
`);
  assert.equal(wrong.get('user')?.result, false);
  assert.match(wrong.get('user')?.comment ?? '', /^MySQL Error 1045: Access denied for user 'nosuch'@/);
  const secrets = [CANARY, CANARY.replaceAll("'", "\\'"), JSON.stringify(CANARY).slice(1, -1)];
  for (const secret of secrets) assert.ok(!runs.printed.includes(secret), 'no password is shown');

  await t.test('CVE-2019-1010259: a password of mysql.user_chpass is no part of a statement', async () => {
    const hostile = `x'), plugin=''; DROP USER 'other'@'localhost'; -- "`;
    for (const user of ['some', 'other'])
      assert.equal(await runs.call('mysql.user_create', user, 'host=localhost', 'password=first'), true);
    assert.equal(
      await runs.call('mysql.user_chpass', 'some', 'localhost', `password=${quoted(hostile)}`),
      true,
    );
    const [rows] = await admin.query(
      `SELECT COUNT(*) AS n FROM mysql.user WHERE User = 'some' AND Password = PASSWORD(${admin.escape(hostile)})`,
    );
    assert.deepEqual(rows, [{ n: 1 }]);
    assert.equal(
      await runs.call('mysql.user_exists', 'other', 'localhost'),
      true,
      'nothing else has happened',
    );
  });
});
