/** The ledger of a job: what is kept, and the outcome that follows. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  judgeJob,
  outcomeDict,
  stampOf,
  type Evidence,
  type JobOutcome,
  type LedgerEntry,
} from '../../../../src/storage/jobs/ledger.ts';
import { progressOf } from '../../../../src/programs/api/v2/job-views.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { openSqlite } from '../../../../src/storage/jobs/sqlite.ts';
import { dict } from '../../../../src/python/values/value.ts';

const JID = '20261121081500000001';
const BEGAN = Date.UTC(2026, 10, 21, 8, 15, 0);

function judgeOne(entry: Omit<LedgerEntry, 'id'>, more: Partial<Evidence> = {}): JobOutcome {
  const [outcome] = judgeJob({
    publishedMs: BEGAN,
    minions: ['a'],
    returns: [],
    entries: [{ id: 'a', ...entry }],
    presence: new Map(),
    nowMs: BEGAN + 60_000,
    patienceMs: 5000,
    ...more,
  });
  return outcome as JobOutcome;
}

const back = {
  jid: JID,
  id: 'a',
  fun: 'test.ping',
  return: true,
  retcode: 0,
  success: true,
  atMs: BEGAN + 20,
};
const here = new Map([['a', { isConnected: true }]]);

test('ledger - a return decides, and is late when the minion was given up', () => {
  assert.equal(judgeOne({}, { returns: [back] }).kind, 'returned');
  assert.equal(judgeOne({}, { returns: [{ ...back, retcode: 1 }] }).kind, 'failed');
  assert.equal(judgeOne({}, { returns: [{ ...back, success: false }] }).kind, 'failed');
  const verdict = { kind: 'never received', atMs: BEGAN + 10 } as const;
  const late = judgeOne({ verdict }, { returns: [back] });
  assert.deepEqual(late, {
    id: 'a',
    kind: 'returned late',
    publishedMs: BEGAN,
    returnedMs: BEGAN + 20,
    retcode: 0,
    success: true,
    givenUpMs: BEGAN + 10,
  });
  // a function may fail with the code 0: whoever counts what came late sees it
  const failed = judgeOne({ verdict }, { returns: [{ ...back, success: false }] });
  assert.deepEqual([failed.kind, failed.success], ['returned late', false]);
  assert.equal(outcomeDict(failed).get('success'), false);
  const counts = { returned: 1, failed: 2, running: 0, silent: 0 };
  const code = judgeOne({ verdict }, { returns: [{ ...back, retcode: 1 }] });
  assert.deepEqual(progressOf([late, failed, code]).counts, { expected: 3, ...counts });
});

test('ledger - without a verdict the signs decide', () => {
  const lostBefore = new Map([['a', { isConnected: false, lostSince: stampOf(BEGAN - 1000) }]]);
  const lostSince = stampOf(BEGAN + 9000);
  const lostAfter = new Map([['a', { isConnected: true, lostSince }]]);
  const rows: [Omit<LedgerEntry, 'id'>, Partial<Evidence>, string][] = [
    [{}, { nowMs: BEGAN + 4000 }, 'published'],
    [{}, {}, 'no response'],
    [{}, { presence: here }, 'never received'],
    [{ absentSince: '2026-11-21T08:00:00' }, { presence: lostBefore }, 'never received'],
    [{ receivedMs: BEGAN + 500 }, { presence: here }, 'still running'],
    [{ receivedMs: BEGAN + 500 }, { presence: lostBefore }, 'still running'],
    [{ receivedMs: BEGAN + 500 }, { presence: lostAfter }, 'connection lost'],
    [{ receivedMs: BEGAN + 9500 }, { presence: lostAfter }, 'still running'],
    [{}, { presence: lostAfter }, 'connection lost'],
    [{ verdict: { kind: 'not known', atMs: BEGAN } }, { presence: here }, 'not known'],
    [{ verdict: { kind: 'never received', atMs: BEGAN }, receivedMs: BEGAN + 9 }, {}, 'still running'],
    [{ verdict: { kind: 'no response', atMs: BEGAN } }, {}, 'no response'],
  ];
  for (const [entry, more, kind] of rows)
    assert.equal(judgeOne(entry, more).kind, kind, JSON.stringify(entry));
  assert.equal(judgeOne({}, { presence: lostAfter }).detail, lostSince);
});

test('ledger - times are shown as events show them', () => {
  assert.equal(stampOf(1795248900000.001), '2026-11-21T08:15:00.000001');
  assert.deepEqual(
    outcomeDict({ id: 'a', kind: 'key not accepted', detail: 'pending', publishedMs: BEGAN }),
    dict({
      outcome: 'key not accepted',
      code: 'minion-key-not-accepted',
      key: 'pending',
      published: '2026-11-21T08:15:00.000000',
    }),
  );
});

function directory(t: TestContext): string {
  const path = join(mkdtempSync(join(tmpdir(), 'brine-ledger-')), 'job_cache');
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('ledger - what is noted adds up, is read beside the writer, and late returns are told once', async (t) => {
  const late: [string, string, string][] = [];
  const path = directory(t);
  const store = new SqliteJobStore({
    directory: path,
    onLate: (jid, { id, kind }) => late.push([jid, id, kind]),
  });
  t.after(() => store.close());
  await store.saveJob(JID, dict({ fun: 'test.ping' }), ['a', 'b']);
  await store.note(JID, [{ id: 'a', receivedMs: BEGAN + 500 }]);
  await store.note(JID, [{ id: 'a', verdict: { kind: 'still running', atMs: BEGAN + 700 } }]);
  await store.note(JID, [
    {
      id: 'a',
      receivedMs: BEGAN + 900,
      verdict: { kind: 'connection lost', atMs: BEGAN + 999, detail: 'T' },
    },
  ]);
  await store.note('20990101000000000000', [{ id: 'a', receivedMs: 1 }]);
  const reader = new SqliteJobStore({ directory: path, readOnly: true });
  t.after(() => reader.close());
  const verdict = { kind: 'connection lost', atMs: BEGAN + 700, detail: 'T' } as const;
  assert.deepEqual(await reader.ledger(JID), [{ id: 'a', receivedMs: BEGAN + 500, verdict }]);
  assert.deepEqual(await reader.ledger('20990101000000000000'), []);
  await store.saveReturn({ ...back, id: 'b' });
  await store.saveReturn(back);
  await store.saveReturn(back);
  assert.deepEqual(late, [[JID, 'a', 'returned late']]);
  await store.note(JID, [{ id: 'b', verdict: { kind: 'no response', atMs: BEGAN + 1 } }]);
  assert.deepEqual(late.slice(1), [[JID, 'b', 'returned late']]);
  assert.equal((await reader.returns(JID))[0]?.atMs, back.atMs);
});

test('ledger - a day file of an earlier version gets the new columns, and is read before it has them', async (t) => {
  const path = directory(t);
  const first = new SqliteJobStore({ directory: path });
  await first.saveJob(JID, dict({ fun: 'test.ping' }), ['a']);
  await first.close();
  const db = openSqlite(join(path, '20261121.sqlite'));
  db.exec('DROP TABLE ledger; ALTER TABLE returns DROP COLUMN at');
  db.close();
  const reader = new SqliteJobStore({ directory: path, readOnly: true });
  assert.deepEqual(await reader.ledger(JID), []);
  await reader.close();
  const second = new SqliteJobStore({ directory: path });
  t.after(() => second.close());
  await second.saveReturn(back);
  assert.deepEqual(await second.returns(JID), [back]);
});
