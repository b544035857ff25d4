import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import type { QueueBackend } from '../../../../src/plugins/shared/queue/queue-backend.ts';
import { sqliteQueues } from '../../../../src/plugins/sqlite3/queue.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { openSqlite } from '../../../../src/storage/jobs/sqlite.ts';

interface Place {
  readonly folder: string;
  readonly open: () => QueueBackend;
}

function place(t: TestContext): Place {
  const folder = join(mkdtempSync(join(tmpdir(), 'queues-')), 'queues');
  t.after(() => rmSync(join(folder, '..'), { recursive: true, force: true }));
  const opts = dict({ sqlite_queue_dir: folder });
  return { folder, open: () => sqliteQueues.open({ opts, clock: systemClock, log: silentLogger }) };
}

const ALL = { quantity: 'all', isRunner: false } as const;
const given = (items: Value[]): Promise<Value[]> => Promise.resolve(items);

test('sqlite queues - each item is given to one of many that take at once', async (t) => {
  const { open } = place(t);
  const items = Array.from({ length: 40 }, (_, at) => `web${at}`);
  await open().insert('q', items);
  const taken = await Promise.all(
    Array.from({ length: 25 }, () => open().take('q', { quantity: 2, isRunner: false }, given)),
  );
  assert.deepEqual(taken.flat().sort(), [...items].sort());
  assert.deepEqual(await open().items('q'), []);
});

test('sqlite queues - items are back when what they were taken for fails', async (t) => {
  const { open } = place(t);
  await open().insert('q', ['a', 'b']);
  const failing = open().take('q', ALL, () => Promise.reject(new Error('no master')));
  await assert.rejects(failing, /no master/);
  assert.deepEqual(await open().items('q'), ['a', 'b']);
});

test('sqlite queues - a mapping that a real Salt has put in is taken out, quotes and all', async (t) => {
  const { folder, open } = place(t);
  const call = dict({ fun: 'test.arg', args: [`it's "so" \\`], kwargs: { a: null, b: 2.5 } });
  await open().insert('q', call);
  const db = openSqlite(join(folder, 'q.db'));
  const { name } = db.prepare('SELECT name FROM q').get() as { readonly name: string };
  db.close();
  // what a real Salt makes of the text
  assert.deepEqual(JSON.parse(name.replaceAll("'", '"')), {
    fun: 'test.arg',
    args: [`it's "so" \\`],
    kwargs: { a: null, b: 2.5 },
  });
  assert.deepEqual(await open().take('q', { quantity: 1, isRunner: true }, given), [call]);
});

test('sqlite queues - what is no call of a runner stays in the queue and is named', async (t) => {
  const { open } = place(t);
  await open().insert('q', 'plain');
  await assert.rejects(
    open().take('q', { quantity: 1, isRunner: true }, given),
    /The item plain of the queue q is no call/,
  );
  assert.equal(await open().length('q'), 1);
});

for (const name of ['../q', 'a/b', 'q; DROP TABLE x', '1q', '', 'a'.repeat(201), 'a"b'])
  test(`sqlite queues - ${JSON.stringify(name.slice(0, 20))} is no name of a queue`, async (t) => {
    const { open } = place(t);
    await assert.rejects(open().insert(name, 'a'), /cannot be the name of a queue/);
    assert.deepEqual(await open().queues(), []);
  });

test('sqlite queues - a queue may have the name of an SQL word', async (t) => {
  const { open } = place(t);
  await open().insert('order', 'a');
  assert.deepEqual(await open().take('order', ALL, given), ['a']);
});
