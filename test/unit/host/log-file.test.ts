import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { LogFile } from '../../../src/host/log-file.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'brine-log-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const line = (number: number): string => `line ${number} ${'x'.repeat(90)}`;

test('log file - is put aside at its size, and only so many are kept', (t) => {
  const at = folder(t);
  const file = new LogFile(join(at, 'log'), { maxBytes: 250, backups: 2 });
  for (let number = 1; number <= 9; number++) file.append(line(number), true);
  file.close();
  assert.deepEqual(readdirSync(at).sort(), ['log', 'log.1', 'log.2']);
  assert.match(readFileSync(join(at, 'log'), 'utf8'), /^line 9 /);
  assert.match(readFileSync(join(at, 'log.1'), 'utf8'), /^line 7 [^]*\nline 8 /);
});

test('log file - two processes rotate it once, and both go on in the new one', (t) => {
  const at = folder(t);
  const rotation = { maxBytes: 250, backups: 5 };
  const [first, second] = [new LogFile(join(at, 'log'), rotation), new LogFile(join(at, 'log'), rotation)];
  first.append(line(1), true);
  second.append(line(2), true);
  first.append(line(3), true);
  second.append(line(4), true);
  first.close();
  second.close();
  assert.deepEqual(readdirSync(at).sort(), ['log', 'log.1']);
  assert.match(readFileSync(join(at, 'log'), 'utf8'), /^line 3 [^]*\nline 4 /);
});

test('log file - neither number alone rotates, and a lock that was left behind is taken away', (t) => {
  const at = folder(t);
  for (const rotation of [
    { maxBytes: 100, backups: 0 },
    { maxBytes: 0, backups: 3 },
  ]) {
    const file = new LogFile(join(at, 'log'), rotation);
    for (let number = 1; number <= 3; number++) file.append(line(number), true);
    file.close();
  }
  assert.deepEqual(readdirSync(at), ['log']);
  writeFileSync(join(at, 'log.lock'), '');
  utimesSync(join(at, 'log.lock'), 1, 1);
  const file = new LogFile(join(at, 'log'), { maxBytes: 100, backups: 1 });
  for (let number = 1; number <= 3; number++) file.append(line(number), true);
  file.close();
  assert.deepEqual(readdirSync(at).sort(), ['log', 'log.1']);
});
