import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { CommandExecutionError, UnreachableError } from '../../src/errors/errors.ts';
import { mysqlKind } from '../../src/plugins/mysql/returner.ts';
import type { ReturnStore } from '../../src/plugins/shared/returner/return-store.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';
import {
  certificate,
  DATABASE_PASSWORD,
  DATABASE_USER,
  startDatabase,
  type DatabaseServer,
} from '../support/database-servers.ts';
import { MYSQL_TABLES } from '../support/salts-tables.ts';
import { checkTls } from '../support/store-tls.ts';
import { checkReturnStore, contractLoad, contractReturn } from '../support/return-store-contract.ts';
import {
  checkArchiving,
  checkBreaks,
  countRows,
  openSqlStore,
  SQL_JID as JID,
  SQL_TEXT as SALT,
  type AskDatabase,
} from '../support/sql-store-checks.ts';

const SALTS_ROWS = [
  `INSERT INTO jids VALUES ('${JID}', '{"jid": "${JID}", "fun": "test.echo", "arg": ["grün ✓", 1, null], "tgt": ["a", "b"], "user": "root"}')`,
  `INSERT INTO salt_returns VALUES ('test.echo', '${JID}', '{"a": [2.5, 8.0]}', 'm1', '1', ` +
    `'{"jid": "${JID}", "fun": "test.echo", "success": true, "id": "m1", "return": {"a": [2.5, 8.0]}}', NOW())`,
];

interface Place {
  readonly server: DatabaseServer;
  readonly db: string;
  readonly admin: Connection;
}

async function connection(t: TestContext, server: DatabaseServer, database?: string): Promise<Connection> {
  const place = { host: server.host, port: server.port, user: DATABASE_USER, password: DATABASE_PASSWORD };
  const opened = await createConnection({ ...place, ...(database === undefined ? {} : { database }) });
  opened.on('error', () => undefined);
  t.after(() => opened.destroy());
  return opened;
}

/** A database that somebody has made. */
async function made(
  t: TestContext,
  server: DatabaseServer,
  db: string,
  charset: string,
  sql: readonly string[],
): Promise<Place> {
  const root = await connection(t, server);
  await root.query(`CREATE DATABASE ${db} DEFAULT CHARACTER SET ${charset}`);
  const admin = await connection(t, server, db);
  for (const statement of sql) await admin.query(statement);
  return { server, db, admin };
}

function open(
  t: TestContext,
  server: DatabaseServer,
  db: string,
  more: Readonly<Record<string, Value>> = {},
  timeoutMs?: number,
): ReturnStore {
  return openSqlStore(t, mysqlKind, server, { pass: DATABASE_PASSWORD, db, ...more }, timeoutMs);
}

function asker(admin: Connection): AskDatabase {
  return async (sql) => (await admin.query<RowDataPacket[]>(sql))[0];
}

test('mysql', async (t) => {
  const server = await startDatabase(t, 'mariadb');
  await t.test('keeps the contract of stores in a database that it makes itself', (inner) =>
    contract(inner, server),
  );
  await t.test("goes on with a database of Salt's, in the form in which Salt writes", (inner) =>
    saltsOwn(inner, server),
  );
  await t.test('keeps any character in tables of any character set', (inner) => characters(inner, server));
  await t.test('names what is too long, and takes what is wide where the operator has made room', (inner) =>
    tooLong(inner, server),
  );
  await t.test('forgets and archives as Salt does', (inner) => ages(inner, server));
  await t.test('says what is missing and what to do', (inner) => wrong(inner, server));
  await t.test('writes each return once through breaks, by two masters at a time', (inner) =>
    breaks(inner, server),
  );
});

test('mysql - over TLS it writes to a server of its authority only', async (t) => {
  const server = await startDatabase(t, 'mariadb', [], { hasTls: true });
  const root = await connection(t, server);
  await root.query("CREATE USER safe@'%' IDENTIFIED BY 'salt' REQUIRE SSL");
  await root.query("GRANT ALL ON *.* TO safe@'%'");
  const openSafe = (more: Readonly<Record<string, Value>>): ReturnStore =>
    open(t, server, 'safe', { user: 'safe', ...more });
  await checkTls(openSafe, ['ssl_ca', 'mysql.ssl_ca']);
  await assert.rejects(openSafe({}).load(JID), /Access denied/, 'the server itself takes none without TLS');
});

async function contract(t: TestContext, server: DatabaseServer): Promise<void> {
  const store = open(t, server, 'contract');
  assert.deepEqual(await store.createSchema(), [
    'database contract',
    'table jids',
    'table salt_returns',
    'table salt_events',
  ]);
  const admin = await connection(t, server, 'contract');
  await checkReturnStore(store, open(t, server, 'contract'), {
    countEvents: () => countRows(asker(admin), 'salt_events'),
  });
}

async function saltsOwn(t: TestContext, server: DatabaseServer): Promise<void> {
  const { db, admin } = await made(t, server, 'salts', 'utf8', [...MYSQL_TABLES, ...SALTS_ROWS]);
  const store = open(t, server, db);
  assert.deepEqual(await store.createSchema(), []);
  assert.deepEqual((await store.load(JID))?.get('arg'), ['grün ✓', 1, null]);
  const ret = (await store.returns(JID)).get('m1');
  assert.equal(ret?.get('success'), true);
  await store.saveReturns([
    contractReturn(JID, 'm1', { return: 'again' }),
    contractReturn(JID, 'M1', { return: SALT, success: false }),
    contractReturn(JID, 'm3').set('fun', ['test.ping', `test.${'e'.repeat(60)}`]),
  ]);
  const found = await asker(admin)('SELECT fun, id, success, `return`, full_ret FROM salt_returns');
  assert.equal(found.length, 3, 'minions whose names differ in case only are two');
  const { full_ret: full, ...row } = found[1] ?? {};
  assert.deepEqual(row, { fun: 'test.echo', id: 'M1', success: '0', return: '"grün ✓ \\ud83e\\uddc2"' });
  assert.equal((JSON.parse(String(full)) as Record<string, unknown>)['return'], SALT);
  assert.equal(found[2]?.['fun'], `test.ping,test.${'e'.repeat(60)}`.slice(0, 50));
  const last = await store.lastReturns(`test.ping,test.${'e'.repeat(60)}`);
  assert.deepEqual([...last.keys()], ['m3']);
  assert.equal((await store.lastReturns(`test.ping,test.${'e'.repeat(61)}`)).size, 0);
  assert.deepEqual([...(await store.lastReturns('test.echo')).keys()].sort(), ['M1', 'm1']);
}

async function characters(t: TestContext, server: DatabaseServer): Promise<void> {
  for (const charset of ['latin1', 'utf8', 'utf8mb4']) {
    const tables = MYSQL_TABLES.map((sql) => sql.replace('CHARSET=utf8', `CHARSET=${charset}`));
    const { db } = await made(t, server, `chars_${charset}`, charset, tables);
    const store = open(t, server, db);
    await store.saveReturns([contractReturn(JID, 'm1', { return: { [SALT]: [SALT] } })]);
    await store.saveLoads([{ jid: JID, load: contractLoad(JID, { arg: [SALT] }) }]);
    const event = { tag: `salt/${charset}`, data: dict({ text: SALT }) };
    await store.saveEvents([event], 'master');
    await store.saveEvents([event, event], 'master');
    assert.deepEqual((await store.returns(JID)).get('m1')?.get('return'), dict({ [SALT]: [SALT] }), charset);
    assert.deepEqual((await store.load(JID))?.get('arg'), [SALT]);
    const admin = await connection(t, server, db);
    assert.equal(await countRows(asker(admin), 'salt_events'), 1);
  }
}

async function tooLong(t: TestContext, server: DatabaseServer): Promise<void> {
  const { db, admin } = await made(t, server, 'wide', 'utf8mb4', MYSQL_TABLES);
  // smaller than they are usually, to be quick
  await admin.query('ALTER TABLE salt_returns MODIFY `return` text NOT NULL');
  await admin.query('SET GLOBAL max_allowed_packet = 1048576');
  const refused = async (ret: Dict, message: RegExp): Promise<void> => {
    await assert.rejects(
      open(t, server, db).saveReturns([contractReturn(JID, 'm0'), ret]),
      (error: Error) => {
        assert.ok(error instanceof CommandExecutionError);
        assert.match(error.message, message);
        return true;
      },
    );
  };
  const long = contractReturn(JID, 'big', { return: 'x'.repeat(600_000) });
  await refused(
    long,
    /^The return of big for job 20261121000000000001 has 600002 bytes for the column return of salt_returns, which takes 65535; make it longtext/,
  );
  await admin.query(
    'ALTER TABLE salt_returns MODIFY `return` longtext NOT NULL, MODIFY fun varchar(200) NOT NULL',
  );
  await refused(
    long,
    /makes a statement of 12\d{5} bytes, and the server's max_allowed_packet is 1048576; raise it/,
  );
  const store = open(t, server, db);
  const fun = `test.${'f'.repeat(100)}`;
  await store.saveReturns(
    ['m1', 'm2', 'm3'].map((id) => contractReturn(JID, id, { fun, return: 'x'.repeat(400_000) })),
  );
  const returns = [...(await store.returns(JID)).values()];
  assert.deepEqual(
    returns.map((ret) => (ret.get('return') as string).length),
    [400_000, 400_000, 400_000],
  );
  assert.equal((await asker(admin)('SELECT fun FROM salt_returns'))[0]?.['fun'], fun);
  await admin.query('SET GLOBAL max_allowed_packet = 16777216');
}

async function ages(t: TestContext, server: DatabaseServer): Promise<void> {
  const { db, admin } = await made(t, server, 'ages', 'utf8', MYSQL_TABLES);
  const store = open(t, server, db);
  await checkArchiving(store, asker(admin));
  await store.removeOlderThan(Date.now() + 3_600_000, true);
  assert.equal(await countRows(asker(admin), 'salt_returns_archive'), 2);
  assert.equal(await countRows(asker(admin), 'salt_returns'), 0);
}

async function wrong(t: TestContext, server: DatabaseServer): Promise<void> {
  const load = { jid: JID, load: contractLoad(JID) };
  const failing = async (store: ReturnStore, message: RegExp): Promise<void> => {
    await assert.rejects(store.saveLoads([load]), (error: Error) => {
      assert.ok(error instanceof UnreachableError);
      assert.match(error.message, message);
      return true;
    });
  };
  await failing(
    open(t, server, 'nowhere'),
    /^The MySQL database nowhere at 127.0.0.1:\d+: Unknown database 'nowhere'; create .*create_schema mysql$/,
  );
  await failing(
    open(t, server, 'salts', { pass: 'wrong' }),
    /Access denied .*; see the options mysql.user and mysql.pass$/,
  );
  await failing(
    open(t, server, 'salts', { port: 1 }),
    /at 127.0.0.1:1: .*ECONNREFUSED.*; is it running, and do mysql.host and mysql.port name it\?$/,
  );
  const { db } = await made(t, server, 'bare', 'utf8', []);
  const store = open(t, server, db);
  await failing(store, /has no table jids; create it with: salt-run returner.create_schema mysql$/);
  await store.createSchema();
  await store.saveLoads([load]);
  await assert.rejects(
    open(t, server, 'salts', { ssl_ca: '/nowhere.pem' }).loads(),
    /\(mysql\.ssl_ca\) cannot be read: No such file/,
  );
  await failing(
    open(t, server, db, { ssl_ca: certificate('ca.crt') }),
    /does not support secure connection; the options mysql.ssl_\* ask for TLS, and nothing is sent without it$/,
  );
  await store.close();
  await failing(store, /connections are closed/);
}

async function breaks(t: TestContext, server: DatabaseServer): Promise<void> {
  const { db } = await made(t, server, 'breaks', 'utf8', MYSQL_TABLES);
  // connects anew for each statement: the server is started again meanwhile
  const ask: AskDatabase = async (sql) => asker(await connection(t, server, db))(sql);
  await checkBreaks(server, ask, (timeoutMs) => open(t, server, db, {}, timeoutMs));
}
