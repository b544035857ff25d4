import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { CommandExecutionError, UnreachableError } from '../../src/errors/errors.ts';
import { systemClock } from '../../src/host/clock.ts';
import { mysqlKind } from '../../src/returners/mysql.ts';
import type { ReturnStore } from '../../src/returners/return-store.ts';
import { dict, type Dict, type Value } from '../../src/values/value.ts';
import {
  DATABASE_PASSWORD,
  DATABASE_USER,
  startDatabase,
  type DatabaseServer,
} from '../support/database-servers.ts';
import { MYSQL_TABLES } from '../support/salts-tables.ts';
import { writeThroughBreaks } from '../support/store-breaks.ts';
import { checkReturnStore, contractLoad, contractReturn } from '../support/return-store-contract.ts';

const JID = '20261121000000000001';
const SALT = 'grün ✓ 🧂';
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
  { port }: DatabaseServer,
  db: string,
  more: Readonly<Record<string, Value>> = {},
  timeoutMs = 10_000,
): ReturnStore {
  const options = new Map<string, Value>(
    Object.entries({ host: '127.0.0.1', port, user: DATABASE_USER, pass: DATABASE_PASSWORD, db, ...more }),
  );
  const store = mysqlKind.open({ options, timeoutMs, connectionsMax: 3, clock: systemClock });
  t.after(() => store.close());
  return store;
}

async function rows(admin: Connection, sql: string): Promise<Record<string, unknown>[]> {
  return (await admin.query<RowDataPacket[]>(sql))[0];
}

async function count(admin: Connection, table: string): Promise<number> {
  return Number((await rows(admin, `SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
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
    countEvents: () => count(admin, 'salt_events'),
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
  const found = await rows(admin, 'SELECT fun, id, success, `return`, full_ret FROM salt_returns');
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
    assert.equal(await count(admin, 'salt_events'), 1);
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
  assert.equal((await rows(admin, 'SELECT fun FROM salt_returns'))[0]?.['fun'], fun);
  await admin.query('SET GLOBAL max_allowed_packet = 16777216');
}

async function ages(t: TestContext, server: DatabaseServer): Promise<void> {
  const { db, admin } = await made(t, server, 'ages', 'utf8', MYSQL_TABLES);
  const store = open(t, server, db);
  const jids = ['20200101000000000001', '20200101000000000002', '20200101000000000003', 'manual'];
  await store.saveLoads(jids.map((jid) => ({ jid, load: contractLoad(jid) })));
  await store.saveReturns(jids.slice(0, 2).map((jid) => contractReturn(jid, 'm1')));
  await store.saveEvents(
    [
      { tag: 'old', data: dict({ n: 1 }) },
      { tag: 'new', data: dict({ n: 2 }) },
    ],
    'master',
  );
  await admin.query(`UPDATE salt_returns SET alter_time = '2021-01-01' WHERE jid = '${jids[0]}'`);
  await admin.query("UPDATE salt_events SET alter_time = '2021-01-01' WHERE tag = 'old'");
  await store.removeOlderThan(Date.UTC(2022, 0, 1), true);
  const left = await rows(admin, 'SELECT jid FROM jids ORDER BY jid');
  assert.deepEqual(
    left.map(({ jid }) => jid),
    [jids[1], 'manual'],
    'a late return keeps its job',
  );
  for (const table of ['jids', 'salt_returns', 'salt_events'])
    assert.equal(await count(admin, `${table}_archive`), table === 'jids' ? 2 : 1);
  assert.equal(await count(admin, 'salt_events'), 1);
  await store.removeOlderThan(Date.now() + 3_600_000, true);
  assert.equal(await count(admin, 'salt_returns_archive'), 2);
  assert.equal(await count(admin, 'salt_returns'), 0);
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
    /option mysql.ssl_ca cannot be read/,
  );
  await store.close();
  await failing(store, /connections are closed/);
}

/** Two masters write the same returns while the server is killed, held, and started again. */
async function breaks(t: TestContext, server: DatabaseServer): Promise<void> {
  const { db } = await made(t, server, 'breaks', 'utf8', MYSQL_TABLES);
  await writeThroughBreaks({ jid: JID, server, open: () => open(t, server, db) });
  const admin = await connection(t, server, db);
  const [found = {}] = await rows(
    admin,
    'SELECT COUNT(*) AS all_rows, COUNT(DISTINCT id) AS ids FROM salt_returns',
  );
  assert.deepEqual([Number(found['all_rows']), Number(found['ids'])], [3000, 3000]);
  const store = open(t, server, db);
  assert.equal((await store.returns(JID)).size, 3000);
  server.pause();
  await assert.rejects(open(t, server, db, {}, 500).load(JID), /no answer within 500 ms|ETIMEDOUT/);
  server.resume();
  assert.equal(await store.load(JID), undefined);
}
