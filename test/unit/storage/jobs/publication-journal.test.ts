import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { PublicationJournal } from '../../../../src/storage/jobs/publication-journal.ts';
import { folder, keptLog } from '../../../support/attacker.ts';

const MARK = 'a'.repeat(32);
const jidOf = (n: number): string => `20261121${String(n).padStart(12, '0')}`;

function bench(t: TestContext, jobsMax = 100) {
  const path = join(folder(t), 'publications');
  const { log, lines } = keptLog();
  const open = (): PublicationJournal => new PublicationJournal({ path, jobsMax, log });
  return { path, open, lines };
}

test('publication journal - what was noted is there for the next process, however this one ends', async (t) => {
  const { path, open, lines } = bench(t);
  const first = open();
  first.noteSerial(MARK, 7);
  await first.noteJob(jidOf(1));
  first.noteSerial(MARK, 9);
  const second = open(); // the first was not closed
  assert.equal(second.lastSerial(MARK), 9);
  assert.equal(second.lastSerial('b'.repeat(32)), 0);
  assert.ok(second.hasJob(jidOf(1)));
  assert.ok(!second.hasJob(jidOf(2)));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(lines, []);
});

test('publication journal - a lower serial of the same key does not take back a higher one', (t) => {
  const { open } = bench(t);
  const journal = open();
  journal.noteSerial(MARK, 9);
  journal.noteSerial(MARK, 3);
  assert.equal(journal.lastSerial(MARK), 9);
  assert.equal(open().lastSerial(MARK), 9);
});

test('publication journal - it does not grow without end, and forgets the oldest jobs and keys only', async (t) => {
  const { path, open } = bench(t, 10);
  const journal = open();
  for (let i = 0; i < 20_000; i++) journal.noteSerial(MARK, i);
  for (let i = 0; i < 600; i++) journal.noteSerial(`k${i}`, 1);
  await Promise.all(Array.from({ length: 100 }, (_, i) => journal.noteJob(jidOf(i))));
  assert.ok(statSync(path).size < 300_000, `${statSync(path).size} bytes`);
  const next = open();
  assert.deepEqual(
    [jidOf(89), jidOf(90), jidOf(99)].map((jid) => next.hasJob(jid)),
    [false, true, true],
  );
  assert.deepEqual(
    [MARK, 'k0', 'k599'].map((mark) => next.lastSerial(mark)),
    [0, 0, 1],
  );
});

test('publication journal - half a line and foreign lines cost only themselves', async (t) => {
  const { path, open } = bench(t);
  writeFileSync(path, `serial ${MARK} 5\nfoo\n\0\0\0\nserial ${MARK} x\njob ${jidOf(1)}\njob 2026`);
  const journal = open();
  assert.equal(journal.lastSerial(MARK), 5);
  assert.ok(journal.hasJob(jidOf(1)));
  await journal.noteJob(jidOf(2));
  assert.deepEqual(readFileSync(path, 'utf8'), `serial ${MARK} 5\njob ${jidOf(1)}\njob ${jidOf(2)}\n`);
});

test('publication journal - a file that somebody has removed is written anew, whole', async (t) => {
  const { path, open } = bench(t);
  const journal = open();
  await journal.noteJob(jidOf(1));
  rmSync(path);
  await journal.noteJob(jidOf(2));
  assert.ok(open().hasJob(jidOf(1)) && open().hasJob(jidOf(2)));
});

test('publication journal - a disk that takes nothing keeps no job waiting, and is told of', async (t) => {
  const { path, open, lines } = bench(t);
  mkdirSync(path);
  const journal = open();
  await journal.noteJob(jidOf(1));
  journal.noteSerial(MARK, 4);
  assert.ok(journal.hasJob(jidOf(1)));
  assert.equal(journal.counters.notWritten, 2);
  assert.match(
    lines.join('\n'),
    /warning: What was published cannot be kept in .*recorded jobs could run again/,
  );
  rmSync(path, { recursive: true });
  await journal.noteJob(jidOf(2));
  assert.ok(open().hasJob(jidOf(1)), 'what only memory held is written when it can be');
  assert.equal(open().lastSerial(MARK), 4);
});

test('publication journal - lines that others append are no reason to fail', async (t) => {
  const { path, open } = bench(t);
  await open().noteJob(jidOf(1));
  appendFileSync(path, 'x'.repeat(5 * 1024 * 1024));
  assert.equal(open().hasJob(jidOf(1)), false, 'only the end of a file is read');
});
