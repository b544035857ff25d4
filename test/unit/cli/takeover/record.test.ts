/** The record of a takeover: what is read again, and what is not trusted. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseRecord, RecordFile, type TakeoverRecord } from '../../../../src/cli/takeover/record.ts';
import { recordedDaemon } from './recorded-daemon.ts';

const RECORD: TakeoverRecord = {
  state: 'taking',
  daemons: [recordedDaemon('master', { unit: 'salt-master.service' }), recordedDaemon('minion')],
  answered: ['a', 'b'],
  steps: [{ name: 'Stopping', at: '2026-11-30T01:00:00.000Z' }],
};

function place(t: TestContext): RecordFile {
  const folder = mkdtempSync(join(tmpdir(), 'brine-record-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = new RecordFile(folder);
  file.prepare();
  return file;
}

test('takeover record - what was written is read again, by its owner alone', (t) => {
  const file = place(t);
  assert.equal(file.read(), undefined);
  file.write(RECORD);
  assert.deepEqual(file.read(), RECORD);
  assert.equal(statSync(file.path).mode & 0o777, 0o600);
  assert.equal(statSync(file.folder).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(file.folder), ['record.json']);
  file.remove();
  file.tidy();
  assert.equal(file.read(), undefined);
});

test('takeover record - one that others may write to is not trusted', (t) => {
  const file = place(t);
  file.write(RECORD);
  chmodSync(file.path, 0o622);
  assert.throws(() => file.read(), { errorCode: 'takeover-refused', message: /is not trusted/ });
  chmodSync(file.path, 0o600);
  chmodSync(file.folder, 0o777);
  assert.throws(() => file.read(), { message: /is not trusted/ });
});

test('takeover record - one of another form is told, and not guessed at', (t) => {
  for (const text of ['', '{', '[]', '{"version": 2}', '{"version": 1, "state": "taken"}'])
    assert.equal(parseRecord(text), undefined, text);
  const daemon = recordedDaemon('minion');
  const whole = { version: 1, state: 'taken', daemons: [daemon], steps: [] };
  assert.notEqual(parseRecord(JSON.stringify(whole)), undefined);
  for (const change of [
    { role: 'proxy' },
    { command: 'x' },
    { uid: '0' },
    { env: { A: 1 } },
    { links: [{}] },
  ])
    assert.equal(parseRecord(JSON.stringify({ ...whole, daemons: [{ ...daemon, ...change }] })), undefined);
  const file = place(t);
  writeFileSync(file.path, 'x', { mode: 0o600 });
  assert.throws(() => file.read(), { message: /is no record of a takeover that this Brine can read/ });
});
