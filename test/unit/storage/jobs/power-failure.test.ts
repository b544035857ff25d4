/**
 * What a failure of power leaves. The disk of these tests has of the log what it had when it was last told to bring it,
 * and nothing that was written since: a copy is made at each such moment, and what is acknowledged has to be in the
 * last of them.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { DiskSync } from '../../../../src/host/disk-sync.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { Journal } from '../../../../src/programs/reactor/journal.ts';
import { dict } from '../../../../src/python/values/value.ts';

const JID = '20261121081500000001';
const NEXT_DAY = '20261122081500000001';
const RETURN = { fun: 'test.ping', return: true, retcode: 0, success: true };

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-power-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A disk that keeps the files of a folder as they were when the last flush began that has ended. */
class CopyingDisk implements DiskSync {
  flushes = 0;
  #survivor: string | undefined;
  readonly #from: string;
  readonly #to: string;

  constructor(from: string, to: string) {
    this.#from = from;
    this.#to = to;
  }

  async data(): Promise<void> {
    const copy = join(this.#to, String(++this.flushes));
    mkdirSync(copy, { recursive: true });
    // without the index of the log, which is memory that programs share
    for (const name of readdirSync(this.#from).filter((each) => !each.endsWith('-shm')))
      copyFileSync(join(this.#from, name), join(copy, name));
    await new Promise((resolve) => setImmediate(resolve));
    this.#survivor = copy;
  }

  /** What is there when the machine starts again. */
  get survivor(): string {
    assert.ok(this.#survivor !== undefined, 'nothing was brought to the disk');
    return this.#survivor;
  }
}

test('power failure - a return is acknowledged when the disk has it, and its job with it', async (t) => {
  const folder = folderOf(t);
  const directory = join(folder, 'job_cache');
  const disk = new CopyingDisk(directory, join(folder, 'copies'));
  const store = new SqliteJobStore({ directory, disk });
  t.after(() => store.close());

  const survives = async (jid: string, id: string): Promise<void> => {
    // opened for writing, as a master does that starts again; each look has a copy of its own, since that changes it
    const look = mkdtempSync(join(folder, 'look-'));
    for (const name of readdirSync(disk.survivor)) copyFileSync(join(disk.survivor, name), join(look, name));
    const after = new SqliteJobStore({ directory: look });
    assert.ok(after.returned(jid, id) !== undefined, `the return of ${id} for ${jid} is gone`);
    assert.ok((await after.job(jid)) !== undefined, `the job ${jid} is gone`);
    await after.close();
  };
  await store.saveJob(JID, dict({ fun: 'test.ping' }), ['m1']);
  const ids = Array.from({ length: 12 }, (_, index) => `m${index}`);
  await Promise.all(
    ids.map(async (id, index) => {
      for (let turn = 0; turn < index; turn++) await new Promise((resolve) => setImmediate(resolve));
      await store.saveReturn({ jid: JID, id, ...RETURN });
      await survives(JID, id);
    }),
  );
  // a file that is new, and one whose log was moved into it
  await store.saveJob(NEXT_DAY, dict({ fun: 'test.ping' }), ['m1']);
  store.checkpoint();
  await store.saveReturn({ jid: NEXT_DAY, id: 'm1', ...RETURN });
  await survives(NEXT_DAY, 'm1');
});

test('power failure - what comes together is brought to the disk together, what comes meanwhile with the next flush', async (t) => {
  const directory = join(folderOf(t), 'job_cache');
  const held: (() => void)[] = [];
  const began: (() => void)[] = [];
  const disk = {
    data: (): Promise<void> => {
      began.shift()?.();
      return new Promise((resolve) => held.push(resolve));
    },
  };
  const flush = (): Promise<void> => new Promise((resolve) => began.push(resolve));
  const store = new SqliteJobStore({ directory, disk });
  let acknowledged = 0;
  const first = flush();
  const save = (id: string): Promise<void> =>
    store.saveReturn({ jid: JID, id, ...RETURN }).then(() => void acknowledged++);
  const early = [save('a'), save('b'), save('c')];
  await first;
  const late = [save('d'), save('e')];
  assert.equal(acknowledged, 0, 'the disk has none of them');
  const second = flush();
  held.shift()?.();
  await Promise.all(early);
  assert.equal(acknowledged, 3);
  await second;
  held.shift()?.();
  await Promise.all(late);
  assert.equal(held.length, 0, 'two flushes served all five');
  await store.close();
});

test('power failure - a disk that refuses acknowledges nothing, and what it lost is written anew before the next', async (t) => {
  const folder = folderOf(t);
  const directory = join(folder, 'job_cache');
  let refuses = true;
  const copying = new CopyingDisk(directory, join(folder, 'copies'));
  const disk = {
    data: async (): Promise<void> => {
      if (refuses) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      await copying.data();
    },
  };
  const store = new SqliteJobStore({ directory, disk });
  await assert.rejects(store.saveReturn({ jid: JID, id: 'a', ...RETURN }), {
    message: /job_cache\/20261121\.sqlite could not be brought to the disk: EIO.*dmesg/,
    errorCode: 'disk-refuses',
  });
  refuses = false;
  // the minion, whose return was not acknowledged, sends it again; the row is there already
  assert.equal(await store.saveReturn({ jid: JID, id: 'a', ...RETURN }), false);
  // the first copy was made after the log had been moved into the file: it needs no log
  rmSync(join(copying.survivor, '20261121.sqlite-wal'));
  const after = new SqliteJobStore({ directory: copying.survivor });
  assert.ok(after.returned(JID, 'a') !== undefined);
  await after.close();
  await store.close();
});

test('power failure - with no disk to wait for, a return is acknowledged with its commit', async (t) => {
  const store = new SqliteJobStore({ directory: join(folderOf(t), 'job_cache') });
  assert.equal(await store.saveReturn({ jid: JID, id: 'a', ...RETURN }), true);
  await store.close();
});

test('power failure - the reactor has on the disk what it has taken on, and what it is to do', async (t) => {
  const folder = folderOf(t);
  const place = join(folder, 'reactor');
  const disk = new CopyingDisk(place, join(folder, 'copies'));
  const journal = new Journal(join(place, 'journal.db'), disk);
  t.after(() => journal.close());
  const [entry] = journal.take([{ tag: 'my/tag', data: dict({ number: 1 }) }], { stream: 'aa', last: 1 });
  assert.ok(entry);
  await journal.secured();
  const taken = new Journal(join(disk.survivor, 'journal.db'));
  assert.deepEqual(
    taken.unfinished().map(({ tag }) => tag),
    ['my/tag'],
  );
  taken.close();
  await journal.keepPlan(entry.id, { steps: [dict({ jid: '1' })], states: ['planned'] });
  const planned = new Journal(join(disk.survivor, 'journal.db'));
  assert.deepEqual(planned.unfinished()[0]?.plan?.states, ['planned']);
  planned.close();
  await journal.finish(entry.id);
  const finished = new Journal(join(disk.survivor, 'journal.db'));
  assert.deepEqual(finished.unfinished(), []);
  finished.close();
});
