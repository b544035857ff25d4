import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { OutboxReader } from '../../../../src/storage/jobs/outbox.ts';
import { openSqlite } from '../../../../src/storage/jobs/sqlite.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { dict } from '../../../../src/python/values/value.ts';

const JID = '20261121000000000001';
const OLDER = '20261120000000000001';

function stores(t: TestContext): { store: SqliteJobStore; reader: OutboxReader; directory: string } {
  const directory = mkdtempSync(join(tmpdir(), 'br-'));
  const store = new SqliteJobStore({ directory, outbox: true });
  const reader = new OutboxReader(directory);
  t.after(async () => {
    reader.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { store, reader, directory };
}

test('outbox - lists jobs and returns of each day in the order in which they came, each once', async (t) => {
  const { store, reader } = stores(t);
  assert.deepEqual(reader.days(), []);
  const load = dict({ fun: 'test.ping', jid: JID });
  const ret = { jid: JID, id: 'm1', fun: 'test.ping', return: true, retcode: 0, success: true } as const;
  await store.saveJob(JID, load, ['m1', 'm2']);
  await store.saveJob(JID, load, []);
  await store.saveReturn({ ...ret, more: dict({ fun_args: ['x'], user: 'root', retcode: 0 }) });
  await store.saveReturn({ ...ret, return: 'again' });
  assert.deepEqual(reader.days(), [{ name: '20261121', lastSeq: 2 }]);
  assert.deepEqual(reader.entries('20261121', 0, 10), [
    { seq: 1, jid: JID, load, minions: ['m1', 'm2'] },
    {
      seq: 2,
      jid: JID,
      ret: dict({
        fun_args: ['x'],
        user: 'root',
        retcode: 0,
        jid: JID,
        id: 'm1',
        fun: 'test.ping',
        success: true,
        return: true,
      }),
    },
  ]);
  // what comes later is found, also for an earlier day
  await store.saveReturn({ ...ret, id: 'm2', out: 'nested' });
  await store.saveReturn({ ...ret, jid: OLDER });
  assert.deepEqual(reader.days(), [
    { name: '20261120', lastSeq: 1 },
    { name: '20261121', lastSeq: 3 },
  ]);
  assert.deepEqual(
    reader.entries('20261121', 2, 10).map((entry) => ('ret' in entry ? entry.ret.get('out') : undefined)),
    ['nested'],
  );
  assert.equal(reader.entries('20261121', 0, 1).length, 1);
  await store.removeOlderThan(Date.UTC(2026, 10, 21));
  assert.deepEqual(
    reader.days().map(({ name }) => name),
    ['20261121'],
  );
  assert.deepEqual(reader.entries('20261120', 0, 10), []);
});

test('outbox - is not kept where nothing is handed on', async (t) => {
  const { directory, reader } = stores(t);
  const plain = new SqliteJobStore({ directory });
  t.after(() => plain.close());
  await plain.saveJob(JID, dict({ fun: 'test.ping' }), []);
  assert.deepEqual(reader.days(), []);
  // it begins when a database is configured; earlier jobs stay where they are
  const later = new SqliteJobStore({ directory, outbox: true });
  t.after(() => later.close());
  await later.saveReturn({ jid: JID, id: 'm1', fun: 'test.ping', return: 1, retcode: 0, success: true });
  assert.deepEqual(
    reader.entries('20261121', 0, 10).map(({ seq }) => seq),
    [1],
  );
});

test('outbox - a page says how far it reaches, also where entries cannot be read', async (t) => {
  const { store, reader, directory } = stores(t);
  const ret = { jid: JID, fun: 'test.ping', return: true, retcode: 0, success: true } as const;
  for (const id of ['a', 'b', 'c', 'd']) await store.saveReturn({ ...ret, id });
  const db = openSqlite(join(directory, '20261121.sqlite'));
  db.exec("DELETE FROM returns WHERE id = 'b'");
  db.close();
  const { entries, lastSeq, isFull } = reader.page('20261121', 0, 2);
  assert.deepEqual([entries.length, lastSeq, isFull], [1, 2, true]);
  assert.deepEqual(
    reader.page('20261121', 2, 3).entries.map(({ seq }) => seq),
    [3, 4],
  );
});

test(
  'outbox - any number of days takes few open files',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const { store, reader, directory } = stores(t);
    const ret = { id: 'm', fun: 'test.ping', return: true, retcode: 0, success: true } as const;
    for (let year = 3001; year <= 3020; year++)
      await store.saveReturn({ ...ret, jid: `${year}0101000000000000` });
    await store.close();
    assert.equal(reader.days().length, 20);
    assert.equal(reader.days().length, 20);
    for (const { name } of reader.days()) assert.equal(reader.entries(name, 0, 10).length, 1);
    // the driver closes a file when its statements are collected
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    await new Promise((resolve) => setImmediate(resolve));
    const open = readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${directory}/`);
      } catch {
        return false; // the listing's own
      }
    });
    assert.ok(open.length <= 24, `${open.length} files are open`);
  },
);
