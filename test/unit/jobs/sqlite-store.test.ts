import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SqliteJobStore } from '../../../src/jobs/sqlite-store.ts';
import { dict } from '../../../src/values/value.ts';

const JID = '20261121081500000001';

function storeIn(t: TestContext): { directory: string; store: SqliteJobStore } {
  const directory = join(mkdtempSync(join(tmpdir(), 'brine-jobs-')), 'job_cache');
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const store = new SqliteJobStore({ directory });
  t.after(() => store.close());
  return { directory, store };
}

test('job cache - what was kept is read back, by the writer and by a reader beside it', async (t) => {
  const { directory, store } = storeIn(t);
  const load = dict({ fun: 'cmd.run', arg: ['ls'], tgt: '*' });
  assert.equal(await store.saveJob(JID, load, ['b', 'a']), true);
  assert.equal(await store.saveJob(JID, load, ['c']), false);
  const ret = { jid: JID, id: 'a', fun: 'cmd.run', retcode: 0, success: true };
  const saved = await Promise.all([
    store.saveReturn({ ...ret, return: 'one', out: 'nested' }),
    store.saveReturn({ ...ret, id: 'b', return: dict({ deep: [1, 2.5, null] }) }),
    store.saveReturn({ ...ret, return: 'the second of the same minion' }),
  ]);
  assert.deepEqual(saved, [true, true, false]);
  const reader = new SqliteJobStore({ directory, readOnly: true });
  t.after(() => reader.close());
  for (const each of [store, reader]) {
    assert.deepEqual(await each.returns(JID), [
      { ...ret, return: 'one', out: 'nested' },
      { ...ret, id: 'b', return: dict({ deep: [1, 2.5, null] }) },
    ]);
    assert.deepEqual(await each.job(JID), new Map([...load, ['Minions', ['a', 'b']]]));
    assert.deepEqual(
      (await each.jobs({ limit: 5 })).map((job) => job.jid),
      [JID],
    );
  }
});

test('job cache - the oldest days are forgotten beyond a number of jobs or a size; the newest day stays', async (t) => {
  const { store } = storeIn(t);
  const left = async (): Promise<string[]> => (await store.jobs({})).map(({ jid }) => jid.slice(0, 8));
  for (const day of ['20261118', '20261119', '20261120', '20261121'])
    for (let n = 0; n < 10; n++)
      await store.saveJob(`${day}08150000000${n}`, dict({ fun: 'test.ping', arg: [] }), ['m']);
  assert.deepEqual(
    await store.removeBeyond({ jobsMax: 0, bytesMax: 0 }).then(({ areKept }) => areKept),
    true,
  );
  assert.equal((await left()).length, 40);
  const kept = await store.removeBeyond({ jobsMax: 25, bytesMax: 0 });
  assert.equal(kept.areKept, true);
  assert.deepEqual([...new Set(await left())], ['20261121', '20261120']);
  const alone = await store.removeBeyond({ jobsMax: 0, bytesMax: 100 });
  assert.equal(alone.areKept, true);
  assert.deepEqual([...new Set(await left())], ['20261121']);
  assert.equal((await store.removeBeyond({ jobsMax: 5, bytesMax: 0 })).areKept, false);
  assert.equal((await left()).length, 10);
});
