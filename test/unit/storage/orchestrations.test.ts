/** The journal of an orchestration: what a run that was killed leaves, and who may go on with it. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dict } from '../../../src/python/values/value.ts';
import { OrchestrationJournal } from '../../../src/storage/orchestrations/journal.ts';
import { dropLock } from '../../../src/host/owner-lock.ts';

test('orchestration journal - keeps what succeeded, forgets what failed, and takes a torn end for nothing', (t) => {
  const cachedir = mkdtempSync(join(tmpdir(), 'orchestrations-'));
  t.after(() => rmSync(cachedir, { recursive: true }));
  const low = dict({ state: 'salt', fun: 'state', name: 'a', sls: 'x', __id__: 'a', order: 1 });
  const first = OrchestrationJournal.begin(cachedir, '1', dict({ mods: 'm' }));
  first?.keepJob('a', '11');
  first?.keepResult('a', low, dict({ result: true, comment: 'done' }));
  first?.keepJob('b', '12');
  first?.keepResult('b', low, dict({ result: false }));
  first?.keepJob('c', '13');
  assert.equal(OrchestrationJournal.begin(cachedir, '1', dict()), undefined);
  assert.deepEqual(OrchestrationJournal.resume(cachedir, '1', '2'), { refusal: 'running', pid: process.pid });
  const file = join(cachedir, 'orchestrations', '1.steps');
  dropLock(`${file}.lock`); // as if that process were dead
  appendFileSync(file, 'half a record');
  const resumed = OrchestrationJournal.resume(cachedir, '1', '2');
  assert.ok('journal' in resumed);
  const { journal, asked } = resumed;
  assert.deepEqual(asked, dict({ mods: 'm' }));
  assert.equal(journal.result('a', new Map([...low, ['order', 7]]))?.get('comment'), 'done');
  assert.equal(journal.result('a', new Map([...low, ['sls', 'y']])), undefined);
  assert.equal(journal.result('b', low), undefined);
  assert.equal(journal.takeJob('b'), undefined);
  assert.equal(journal.takeJob('c'), '13');
  journal.close(false);
  const once = OrchestrationJournal.resume(cachedir, '2', '3');
  assert.ok('journal' in once && once.journal.jid === '1');
  once.journal.close(true);
  assert.deepEqual(OrchestrationJournal.resume(cachedir, '1', '4'), { refusal: 'unknown' });
});
