import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import { CommandExecutionError, UnreachableError } from '../../src/errors/errors.ts';
import { postgresLocalCacheKind } from '../../src/plugins/postgres/local-cache.returner.ts';
import { pgjsonbKind, postgresKind } from '../../src/plugins/postgres/returner.ts';
import type { ReturnStore, StoreKind } from '../../src/plugins/shared/returner/return-store.ts';
import { dict, type Value } from '../../src/python/values/value.ts';
import {
  DATABASE_PASSWORD,
  DATABASE_USER,
  startDatabase,
  type DatabaseServer,
} from '../support/database-servers.ts';
import { LOCAL_CACHE_TABLES, PGJSONB_TABLES, POSTGRES_TABLES } from '../support/salts-tables.ts';
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

const LOAD = `{"jid": "${JID}", "fun": "test.echo", "arg": ["grün ✓", 1, null], "tgt": ["a", "b"], "user": "root"}`;
const RETURN = `{"jid": "${JID}", "fun": "test.echo", "success": true, "id": "m1", "return": {"a": [2.5, 8.0]}}`;

interface Subject {
  readonly kind: StoreKind;
  /** The tables as Salt's documentation has them (3006.16), with what Salt wrote into them. */
  readonly saltsSql: readonly string[];
  readonly password: string;
}

const SUBJECTS: readonly Subject[] = [
  {
    kind: postgresKind,
    password: 'passwd',
    saltsSql: [
      ...POSTGRES_TABLES,
      `INSERT INTO jids VALUES ('${JID}', '${LOAD}')`,
      `INSERT INTO salt_returns VALUES ('test.echo', '${JID}', '{"a": [2.5, 8.0]}', '${RETURN}', 'm1', 'true')`,
    ],
  },
  {
    kind: pgjsonbKind,
    password: 'pass',
    saltsSql: [
      ...PGJSONB_TABLES,
      `INSERT INTO jids VALUES ('${JID}', '${LOAD}')`,
      `INSERT INTO salt_returns VALUES ('test.echo', '${JID}', '{"a": [2.5, 8.0]}', 'm1', 'true', '${RETURN}')`,
    ],
  },
  {
    kind: postgresLocalCacheKind,
    password: 'passwd',
    saltsSql: [
      ...LOCAL_CACHE_TABLES,
      `INSERT INTO jids VALUES ('${JID}', now(), 'list', 'publish', '[''a'', ''b'']', 'None', '', 'root', '["grün ✓", 1, null]', 'test.echo')`,
      `INSERT INTO salt_returns VALUES (now(), 'test.echo', '${JID}', '{"return": "{''a'': [2.5, 8.0]}", "retcode": 0, "success": true}', 'm1', true)`,
    ],
  },
];

async function connection(t: TestContext, server: DatabaseServer, database: string): Promise<pg.Client> {
  const { host, port } = server;
  const client = new pg.Client({
    host,
    port,
    user: DATABASE_USER,
    password: DATABASE_PASSWORD,
    database,
    ssl: false,
  });
  client.on('error', () => undefined);
  await client.connect();
  t.after(() => client.end());
  return client;
}

/** A database that Salt's operator has made. */
async function saltsDatabase(
  t: TestContext,
  server: DatabaseServer,
  { kind, saltsSql }: Subject,
): Promise<pg.Client> {
  const name = `salts_${kind.name}`;
  await (await connection(t, server, 'postgres')).query(`CREATE DATABASE ${name}`);
  const admin = await connection(t, server, name);
  for (const sql of saltsSql) await admin.query(sql);
  return admin;
}

interface Opening {
  readonly more?: Readonly<Record<string, Value>>;
  readonly timeoutMs?: number;
}

function open(
  t: TestContext,
  server: DatabaseServer,
  { kind, password }: Subject,
  db: string,
  { more = {}, timeoutMs }: Opening = {},
): ReturnStore {
  return openSqlStore(t, kind, server, { [password]: DATABASE_PASSWORD, db, ...more }, timeoutMs);
}

function asker(client: pg.Client): AskDatabase {
  return async (sql) => (await client.query<Record<string, unknown>>(sql)).rows;
}

test('postgresql - over TLS it writes to a server of its authority only', async (t) => {
  const server = await startDatabase(t, 'postgres', [], { hasTls: true });
  for (const subject of SUBJECTS) {
    const { name, optionPrefix } = subject.kind;
    await checkTls(
      (more) => open(t, server, subject, name, { more: { sslmode: 'verify-full', ...more } }),
      ['sslrootcert', `${optionPrefix}.sslrootcert`],
    );
  }
  const admin = await connection(t, server, 'postgres');
  const { rows } = await admin.query<{ ssl: boolean }>(
    "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'salt'",
  );
  assert.deepEqual(rows, [{ ssl: true }]);
});

test('postgresql', async (t) => {
  const server = await startDatabase(t, 'postgres');
  for (const subject of SUBJECTS) {
    const { name } = subject.kind;
    await t.test(`${name} keeps the contract of stores in a database that it makes itself`, (inner) =>
      contract(inner, server, subject),
    );
    await t.test(`${name} goes on with a database of Salt's, in the form in which Salt writes`, (inner) =>
      saltsOwn(inner, server, subject),
    );
    await t.test(`${name} forgets and archives by age`, (inner) => ages(inner, server, subject));
  }
  await t.test('says what is missing and what to do', (inner) => wrong(inner, server));
  await t.test('refuses what does not fit by its name, and does not lose what comes with it', (inner) =>
    refuses(inner, server),
  );
  await t.test('writes each return once through breaks, by two masters at a time', (inner) =>
    breaks(inner, server),
  );
});

async function contract(t: TestContext, server: DatabaseServer, subject: Subject): Promise<void> {
  const db = `contract_${subject.kind.name}`;
  const store = open(t, server, subject, db);
  assert.deepEqual(await store.createSchema(), [
    `database ${db}`,
    'table jids',
    'table salt_returns',
    'table salt_events',
  ]);
  const admin = await connection(t, server, db);
  await checkReturnStore(store, open(t, server, subject, db), {
    countEvents: () => countRows(asker(admin), 'salt_events'),
  });
}

async function saltsOwn(t: TestContext, server: DatabaseServer, subject: Subject): Promise<void> {
  const admin = await saltsDatabase(t, server, subject);
  const isCache = subject.kind === postgresLocalCacheKind;
  const store = open(t, server, subject, `salts_${subject.kind.name}`);
  assert.deepEqual(await store.createSchema(), []);
  assert.deepEqual((await store.load(JID))?.get('arg'), ['grün ✓', 1, null]);
  assert.equal((await store.load(JID))?.get('user'), 'root');
  assert.equal((await store.loads()).size, 1);
  const ret = (await store.returns(JID)).get('m1');
  assert.equal(ret?.get('success'), true);
  const fun = `test.ping,test.${'e'.repeat(60)}`;
  await store.saveReturns([
    contractReturn(JID, 'm1', { return: 'again' }),
    contractReturn(JID, 'M1', { return: SALT, success: false }),
    contractReturn(JID, 'm3').set('fun', fun.split(',')),
  ]);
  const event = { tag: 'salt/x', data: dict({ text: SALT }) };
  await store.saveEvents([event, event], 'master');
  await store.saveEvents([event], 'master');
  assert.equal(await countRows(asker(admin), 'salt_events'), 1);
  const found = await asker(admin)(
    'SELECT fun, id, success::text AS success, return::text AS return FROM salt_returns',
  );
  const text = isCache ? `{"return": "${SALT}", "retcode": 0, "success": false}` : `"${SALT}"`;
  assert.deepEqual(found[1], { fun: 'test.echo', id: 'M1', success: 'false', return: text });
  assert.equal(found.length, 3);
  assert.equal(found[2]?.['fun'], isCache ? fun : fun.slice(0, 50));
  assert.deepEqual([...(await store.lastReturns(fun)).keys()], ['m3']);
  assert.equal((await store.lastReturns(`${fun}e`)).size, 0);
  assert.deepEqual([...(await store.lastReturns('test.echo')).keys()].sort(), ['M1', 'm1']);
}

async function ages(t: TestContext, server: DatabaseServer, subject: Subject): Promise<void> {
  const db = `salts_${subject.kind.name}`;
  const admin = await connection(t, server, db);
  const written = subject.kind === postgresLocalCacheKind ? 'added' : 'alter_time';
  for (const table of ['jids', 'salt_returns', 'salt_events']) await admin.query(`TRUNCATE ${table}`);
  const store = open(t, server, subject, db);
  await checkArchiving(store, asker(admin), written);
  await store.removeOlderThan(Date.now() + 3_600_000);
  assert.equal(
    await countRows(asker(admin), 'salt_returns_archive'),
    1,
    'without archive_jobs nothing is moved',
  );
  assert.equal(await countRows(asker(admin), 'salt_returns'), 0);
}

async function wrong(t: TestContext, server: DatabaseServer): Promise<void> {
  const [subject] = SUBJECTS as [Subject];
  const load = { jid: JID, load: contractLoad(JID) };
  const failing = async (
    db: string,
    more: Readonly<Record<string, Value>>,
    message: RegExp,
  ): Promise<void> => {
    await assert.rejects(open(t, server, subject, db, { more }).saveLoads([load]), (error: Error) => {
      assert.ok(error instanceof UnreachableError);
      assert.match(error.message, message);
      return true;
    });
  };
  await failing(
    'nowhere',
    {},
    /^The PostgreSQL database nowhere at 127.0.0.1:\d+: database "nowhere" does not exist; create .*create_schema postgres$/,
  );
  await failing(
    'postgres',
    { passwd: 'wrong' },
    /password authentication failed .*; see the options returner.postgres.user and returner.postgres.passwd$/,
  );
  await failing(
    'postgres',
    { port: 1 },
    /ECONNREFUSED.*; is it running, and do returner.postgres.host and returner.postgres.port name it\?$/,
  );
  await failing(
    'postgres',
    {},
    /has no table jids; create it with: salt-run returner.create_schema postgres$/,
  );
  await failing(
    'postgres',
    { sslmode: 'require' },
    /does not support SSL connections; the option .*\.sslmode asks for TLS, and nothing is sent without it$/,
  );
  const refused = (more: Readonly<Record<string, Value>>, message: RegExp): Promise<void> =>
    assert.rejects(open(t, server, subject, 'postgres', { more }).loads(), message);
  await refused({ sslmode: 'sometimes' }, /sslmode: sometimes is none of disable, allow/);
  await refused(
    { sslmode: 'verify-full', sslrootcert: '/nowhere.pem' },
    /\(returner\.postgres\.sslrootcert\) cannot be read: No such file/,
  );
}

async function refuses(t: TestContext, server: DatabaseServer): Promise<void> {
  const [subject, , cache] = SUBJECTS as [Subject, Subject, Subject];
  const store = open(t, server, subject, 'salts_postgres');
  const long = { jid: `${JID}_12345`, load: contractLoad(JID) };
  await assert.rejects(store.saveLoads([{ jid: JID, load: contractLoad(JID) }, long]), (error: Error) => {
    assert.ok(error instanceof CommandExecutionError);
    assert.match(error.message, /value too long for type character varying\(20\)/);
    return true;
  });
  assert.equal(await store.load(JID), undefined, 'all or nothing');
  // Salt's own table has an index that takes no long data
  const noise = Array.from({ length: 20_000 }, (_, n) =>
    String.fromCharCode(33 + ((n * n * 7919) % 8000)),
  ).join('');
  const cacheStore = open(t, server, cache, 'salts_postgres_local_cache');
  await assert.rejects(
    cacheStore.saveEvents([{ tag: 'salt/long', data: dict({ noise }) }], 'master'),
    (error: Error) => error instanceof CommandExecutionError && /index row .*maximum/.test(error.message),
  );
}

async function breaks(t: TestContext, server: DatabaseServer): Promise<void> {
  const subject = SUBJECTS[1] as Subject;
  const db = 'salts_pgjsonb';
  // connects anew for each statement: the server is started again meanwhile
  const ask: AskDatabase = async (sql) => asker(await connection(t, server, db))(sql);
  await checkBreaks(server, ask, (timeoutMs) =>
    open(t, server, subject, db, timeoutMs === undefined ? {} : { timeoutMs }),
  );
}
