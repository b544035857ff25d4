import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { openSqlite } from '../../../../src/storage/jobs/sqlite.ts';
import { databaseReturner } from '../../../../src/plugins/shared/returner/database-returner.ts';
import type { ReturnStore } from '../../../../src/plugins/shared/returner/return-store.ts';
import { sqlite3Kind } from '../../../../src/plugins/sqlite3/returner.ts';
import { OpenStores } from '../../../../src/plugins/shared/returner/open-stores.ts';
import { callFunction } from '../../../../src/runtime/loader/registry.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';
import { checkReturnStore, contractLoad, contractReturn } from '../../../support/return-store-contract.ts';

const JID = '20261121000000000001';
/**
 * The tables as Salt's documentation has them (salt/returners/sqlite3_return.py, 3006.16), and what Salt wrote into
 * them.
 */
const SALTS_TABLES = `
  CREATE TABLE jids (jid TEXT PRIMARY KEY, load TEXT NOT NULL);
  CREATE TABLE salt_returns (fun TEXT KEY, jid TEXT KEY, id TEXT KEY, fun_args TEXT, date TEXT NOT NULL,
    full_ret TEXT NOT NULL, success TEXT NOT NULL);
  INSERT INTO jids VALUES ('${JID}', '{"fun": "test.ping", "arg": [], "tgt": "*", "jid": "${JID}"}');
  INSERT INTO salt_returns VALUES ('test.ping', '${JID}', 'm1', NULL, '2026-11-21 00:00:00.100000', 'true', 1);
`;

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'br-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function open(t: TestContext, database: string, timeout: Value = 5): ReturnStore {
  const options = new Map<string, Value>([
    ['database', database],
    ['timeout', timeout],
  ]);
  const store = sqlite3Kind.open({ options, timeoutMs: 5000, connectionsMax: 1, clock: systemClock });
  t.after(() => store.close());
  return store;
}

test('sqlite3 - keeps the contract of stores, in a file that only its owner reads', async (t) => {
  const path = join(folder(t), 'salt.db');
  const countEvents = async (): Promise<number> => {
    const db = openSqlite(path, true);
    const { n } = db.prepare('SELECT count(*) AS n FROM salt_events').get() as { n: number };
    db.close();
    return Number(n);
  };
  await checkReturnStore(open(t, path), open(t, path), { countEvents });
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("sqlite3 - goes on with a file of Salt's, whose returner reads what it writes", async (t) => {
  const path = join(folder(t), 'salt.db');
  const db = openSqlite(path);
  db.exec(SALTS_TABLES);
  const store = open(t, path);
  assert.deepEqual([...(await store.returns(JID))], [['m1', dict({ return: true, success: true })]]);
  assert.equal((await store.load(JID))?.get('fun'), 'test.ping');
  await store.saveReturns([contractReturn(JID, 'm1'), contractReturn(JID, 'm2', { fun_args: ['grün', 1] })]);
  const rows = db.prepare('SELECT * FROM salt_returns ORDER BY rowid').all() as Record<string, unknown>[];
  assert.equal(rows.length, 2);
  const { date, ...row } = rows[1] as Record<string, unknown>;
  assert.match(String(date), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);
  assert.deepEqual(
    { ...row },
    { fun: 'test.echo', jid: JID, id: 'm2', fun_args: "['grün', 1]", full_ret: '"y"', success: '1' },
  );
  assert.deepEqual(await store.createSchema(), [
    'table salt_events',
    'index salt_returns_jid_id',
    'index salt_returns_fun',
    'index salt_events_tag',
  ]);
  db.close();
});

test('sqlite3 - says what is missing and what to do', async (t) => {
  const path = join(folder(t), 'salt.db');
  await assert.rejects(open(t, '').loads(), {
    message: 'sqlite3 config option "sqlite3.database" is missing',
  });
  await assert.rejects(open(t, '/nowhere/salt.db').createSchema(), {
    message:
      'The folder /nowhere of the option sqlite3.database does not exist; make it, writable for the user of this program.',
  });
  await assert.rejects(open(t, path).loads(), {
    message: `The database ${path} does not exist; create it with: salt-run returner.create_schema sqlite3`,
  });
  openSqlite(path).close();
  openSqlite(path).exec('CREATE TABLE other (x)');
  await assert.rejects(open(t, path).loads(), /no such table: jids; create what is missing with: salt-run/);
});

test('sqlite3 - waits for another writer as long as `timeout` says, and notices that the file is another one', async (t) => {
  const path = join(folder(t), 'salt.db');
  const store = open(t, path, 0.2);
  await store.createSchema();
  const other = openSqlite(path);
  other.exec('BEGIN IMMEDIATE');
  await assert.rejects(store.saveLoads([{ jid: JID, load: contractLoad(JID) }]), /database is locked/);
  const patient = open(t, path).saveLoads([{ jid: JID, load: contractLoad(JID) }]);
  other.exec('COMMIT');
  await patient;
  assert.equal((await store.loads()).size, 1);
  other.close();
  renameSync(path, `${path}.old`);
  await assert.rejects(store.loads(), /does not exist/);
  await store.createSchema();
  assert.equal((await store.loads()).size, 0);
});

test("sqlite3 - has the functions of Salt's returners", async (t) => {
  const database = join(folder(t), 'salt.db');
  const ctx = fakeContext({
    opts: dict({ id: 'm1', 'sqlite3.database': database, 'other.sqlite3.database': `${database}.other` }),
  });
  const stores = new OpenStores({ clock: ctx.clock });
  t.after(() => stores.close());
  const returner = databaseReturner(sqlite3Kind, 'sqlite3_return', stores);
  const call = (fun: string, ...args: Value[]): Promise<Value> =>
    run(ctx, returner.functions[fun], fun, args);
  assert.deepEqual(((await call('create_schema')) as string[])[0], `file ${database}`);
  const second = '20261121000000000002';
  await call('save_load', JID, contractLoad(JID), ['m1']);
  await call('save_load', second, contractLoad(second, { fun: 'saltutil.find_job' }));
  await call('returner', contractReturn(JID, 'm1'));
  await call('event_return', [dict({ tag: 'a/b', data: { x: 1 } })]);
  await call('save_minions', JID, ['m1']);
  assert.equal(((await call('get_load', JID)) as Dict).get('fun'), 'test.echo');
  assert.deepEqual(await call('get_load', '1'), new Map());
  assert.deepEqual(await call('get_jid', JID), dict({ m1: { return: 'y', success: true } }));
  assert.deepEqual(await call('get_fun', 'test.echo'), dict({ m1: 'y' }));
  assert.deepEqual(await call('get_minions'), ['m1']);
  const job = dict({
    Function: 'test.echo',
    Arguments: ['x'],
    Target: '*',
    'Target-type': 'glob',
    User: 'root',
    StartTime: '2026, Nov 21 00:00:00.000001',
  });
  assert.deepEqual(((await call('get_jids')) as Dict).get(JID), job);
  assert.deepEqual(await call('get_jids_filter', 5), [new Map<Value, Value>([['JID', JID], ...job])]);
  assert.equal(((await call('get_jids_filter', 5, false)) as Value[]).length, 2);
  assert.equal(await call('prep_jid', false, JID), JID);
  assert.match(String(await call('prep_jid')), /^\d{20}$/);
  assert.equal(stores.size, 1);
  // another configuration, another file
  await assert.rejects(
    call('returner', contractReturn(JID, 'm2', { ret_config: 'other' })),
    /salt\.db\.other does not/,
  );
  assert.equal(stores.size, 2);
  ctx.opts.set('keep_jobs_seconds', 1);
  await call('clean_old_jobs');
});

async function run(
  ctx: FakeContext,
  spec: Parameters<typeof callFunction>[1] | undefined,
  fun: string,
  args: Value[],
): Promise<Value> {
  assert.ok(spec !== undefined, fun);
  return callFunction(fun, spec, ctx, args, new Map());
}
