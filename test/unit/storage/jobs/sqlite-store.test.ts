import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DayWindow } from '../../../../src/storage/jobs/job-days.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { fakeClock } from '../../../support/module-context.ts';

const JID = '20261121081500000001';

function storeIn(t: TestContext): { directory: string; store: SqliteJobStore } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-jobs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const directory = join(folder, 'job_cache');
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

test('job cache - jobs with a minion that has begun and not returned are found, over several days', async (t) => {
  const { directory, store } = storeIn(t);
  const [settled, silent, begun, later] = [1, 2, 3]
    .map((n) => `2026112108150000000${n}`)
    .concat('20261122081500000001') as [string, string, string, string];
  for (const jid of [settled, silent, begun, later])
    await store.saveJob(jid, dict({ fun: 'cmd.run' }), ['a', 'b']);
  const ret = { id: 'a', fun: 'cmd.run', return: 1, retcode: 0, success: true };
  for (const jid of [settled, begun, later]) await store.saveReturn({ jid, ...ret });
  await store.note(settled, [{ id: 'a', receivedMs: 1 }]);
  await store.note(begun, [
    { id: 'a', receivedMs: 1 },
    { id: 'b', receivedMs: 1 },
  ]);
  await store.note(later, [{ id: 'b', receivedMs: 1 }]);
  const reader = new SqliteJobStore({ directory, readOnly: true });
  t.after(() => reader.close());
  for (const each of [store, reader]) {
    assert.deepEqual([...(await each.unsettled([later, begun, silent, settled]))].sort(), [begun, later]);
    assert.deepEqual(
      [...(await each.unsettled([settled, later]))],
      [later],
      'only of those that were asked for',
    );
    assert.deepEqual([...(await each.unsettled(['20250101000000000000', 'req']))], []);
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

test('job cache - made-up jids bring in no file for each day; what comes late is kept', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-jobs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const directory = join(folder, 'job_cache');
  const nowMs = Date.UTC(2026, 10, 21, 12);
  const clock = fakeClock(nowMs);
  const stray: string[] = [];
  const store = new SqliteJobStore({
    directory,
    days: new DayWindow(clock, 86_400),
    onStrayDay: (jid, id) => stray.push(`${jid.slice(0, 8)} ${id ?? ''}`),
  });
  t.after(() => store.close());
  const ret = { fun: 'test.ping', return: true, retcode: 0, success: true, atMs: nowMs };
  const files = (): string[] => readdirSync(directory).filter((name) => name.endsWith('.sqlite'));
  const rest = '120000000000';
  for (const day of ['20261120', '20261121', '20261122'])
    assert.equal(await store.saveReturn({ ...ret, jid: day + rest, id: 'm' }), true);
  assert.deepEqual(files().sort(), ['20261120.sqlite', '20261121.sqlite', '20261122.sqlite']);
  for (const day of ['19700101', '20260230', '20261119', '20261199', '20261124', '99991231'])
    assert.equal(await store.saveReturn({ ...ret, jid: day + rest, id: 'm' }), true);
  assert.deepEqual(files().sort(), [
    '20261120.sqlite',
    '20261121.sqlite',
    '20261122.sqlite',
    'undated.sqlite',
  ]);
  assert.deepEqual(stray, ['19700101 m', '20261119 m', '20261124 m', '99991231 m']);
  assert.equal(store.counters.strayDays, 4);
  assert.equal((await store.returns(`20261119${rest}`)).length, 1, 'it is read back all the same');
  await clock.sleep(2 * 86_400_000);
  assert.equal(await store.saveReturn({ ...ret, jid: `20261121${rest}`, id: 'late' }), true);
  assert.equal((await store.returns(`20261121${rest}`)).length, 2, 'a day that is there takes what is late');
});

test('job cache - what has no day of its own is forgotten by age and number', async (t) => {
  const { store } = storeIn(t);
  const ret = { fun: 'test.ping', return: true, retcode: 0, success: true };
  const saves: Promise<unknown>[] = [];
  for (let n = 0; n < 10_020; n++)
    saves.push(
      store.saveJob(`job${String(n).padStart(5, '0')}`, dict({ fun: 'test.ping' }), []),
      store.saveReturn({ ...ret, jid: `job${String(n).padStart(5, '0')}`, id: 'm', atMs: n }),
    );
  await Promise.all(saves);
  const kept = (): number => store.keptAfter(new Map(), 20_000).length;
  assert.equal(await store.tidyUndated(), 40);
  assert.deepEqual(
    [kept(), (await store.jobs({})).length, store.counters.undatedForgotten],
    [10_000, 10_000, 40],
  );
  assert.equal(await store.job('job00019'), undefined);
  await store.removeOlderThan(10_000);
  assert.equal(kept(), 20);
  const last = store.lastRows();
  await store.removeOlderThan(20_000);
  await store.saveReturn({ ...ret, jid: 'new', id: 'm' });
  assert.deepEqual(
    store.keptAfter(last, 10).map(({ jid }) => jid),
    ['new'],
    'readers go on from where they were',
  );
});

test('job cache - two programs may begin the same day, and leave nothing but its file', async (t) => {
  const { directory, store } = storeIn(t);
  const other = new SqliteJobStore({ directory });
  t.after(() => other.close());
  const ret = { jid: JID, fun: 'test.ping', return: true, retcode: 0, success: true };
  await Promise.all([store.saveReturn({ ...ret, id: 'a' }), other.saveReturn({ ...ret, id: 'b' })]);
  assert.equal((await store.returns(JID)).length, 2);
  assert.deepEqual(
    readdirSync(directory).filter((name) => !/-(wal|shm)$/.test(name)),
    ['20261121.sqlite'],
  );
});
