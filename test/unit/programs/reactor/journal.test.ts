/** The reactor's journal: what a reactor that is killed leaves to the next. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Journal } from '../../../../src/programs/reactor/journal.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { SmallDisk } from '../../../support/cluster/small-disk.ts';

test('reactor journal - what is kept together is there when the promise says so, and what is finished is gone', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-journal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'reactor', 'journal.db');
  const journal = new Journal(path);
  const events = [1, 2, 3].map((number) => ({ tag: 'my/tag', data: dict({ number }) }));
  const [first, second, third] = journal.take(events, { stream: 'aa', last: 3 });
  assert.ok(first && second && third);
  const kept = journal.keepPlan(first.id, {
    steps: [dict({ jid: '1' }), dict({ jid: '2' })],
    states: ['planned', 'planned'],
  });
  assert.equal(journal.keepStates(first.id, ['done', 'started']), kept, 'one commit for both');
  void journal.finish(second.id);
  assert.equal(journal.backlog, 3);
  const other = new Journal(path);
  assert.equal(other.unfinished().length, 3, 'nothing is there before the commit');
  await kept;
  assert.equal(journal.backlog, 0);
  const { stream, last } = other.place() ?? {};
  assert.deepEqual([stream, last], ['aa', 3]);
  const left = other.unfinished();
  assert.deepEqual(
    left.map(({ id, plan }) => [id, plan?.states, plan?.steps.length]),
    [
      [first.id, ['done', 'started'], 2],
      [third.id, undefined, undefined],
    ],
  );
  void journal.finish(third.id);
  journal.close();
  assert.equal(other.unfinished().length, 1, 'closing commits');
  other.close();
});

test('reactor journal - one whose disk is full can be ended, and what it could not keep is not acted on', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-journal-'));
  const disk = SmallDisk.mount(t, join(folder, 'disk'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  if (disk === undefined) return t.skip('nothing can be mounted here');
  const paused = { refused: 0, isKept: false, next: (): void => undefined };
  const journal = new Journal(join(disk.folder, 'journal.db'), undefined, {
    refused: () => void paused.refused++,
    taken: () => undefined,
    pause: () => new Promise((resolve) => (paused.next = resolve)),
  });
  const [entry] = journal.take([{ tag: 'a', data: dict() }], { stream: 'aa', last: 1 });
  assert.ok(entry);
  disk.fill();
  const kept = journal.keepPlan(entry.id, { steps: [dict({ x: 'y'.repeat(100_000) })], states: ['planned'] });
  void kept.then(() => (paused.isKept = true));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.equal(paused.refused, 1);
  const abandoned = journal.abandon();
  paused.next();
  await abandoned;
  journal.close();
  paused.next();
  await new Promise(setImmediate);
  assert.equal(paused.isKept, false);
});
