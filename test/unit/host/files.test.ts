/** Writing over files. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { overwriteFile, writeFileIfChanged } from '../../../src/host/files.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-files-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('files - what is as long and has the mode is written over, everything else is replaced', (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'key');
  const inode = (): number => statSync(path).ino;
  const write = (text: string): number => {
    overwriteFile(path, text, { mode: 0o600 });
    assert.equal(readFileSync(path, 'utf8'), text);
    assert.equal(statSync(path).mode & 0o7777, 0o600);
    return inode();
  };
  const first = write('one');
  assert.equal(write('two'), first);
  // keeps the inode from being given out again
  linkSync(path, join(folder, 'kept'));
  const second = write('six');
  assert.notEqual(second, first, 'a file with a second name is not written to');
  assert.equal(readFileSync(join(folder, 'kept'), 'utf8'), 'two');
  linkSync(path, join(folder, 'kept too'));
  assert.notEqual(write('longer'), second);
  chmodSync(path, 0o644);
  write('others');
  assert.deepEqual(readdirSync(folder).sort(), ['kept', 'kept too', 'key'], 'nothing is left behind');
});

test('files - the same bytes are not written again, but the time is set', (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'data');
  const write = (text: string): boolean => writeFileIfChanged(path, Buffer.from(text), { mode: 0o600 });
  assert.equal(write('one'), true);
  const { ino } = statSync(path);
  utimesSync(path, 1_000, 1_000);
  assert.equal(write('one'), false);
  assert.equal(statSync(path).ino, ino);
  assert.ok(Math.abs(statSync(path).mtimeMs - Date.now()) < 60_000);
  for (const text of ['two', 'longer', '']) {
    assert.equal(write(text), true);
    assert.equal(readFileSync(path, 'utf8'), text);
  }
  chmodSync(path, 0o644);
  assert.equal(write(''), true, 'others could read it');
  assert.equal(statSync(path).mode & 0o7777, 0o600);
  assert.deepEqual(readdirSync(folder), ['data']);
});

test('files - a link is replaced, and what it points to stays', (t) => {
  const folder = folderOf(t);
  const target = join(folder, 'target');
  writeFileSync(target, 'old', { mode: 0o600 });
  symlinkSync(target, join(folder, 'link'));
  overwriteFile(join(folder, 'link'), 'new', { mode: 0o600 });
  assert.equal(readFileSync(target, 'utf8'), 'old');
  assert.ok(lstatSync(join(folder, 'link')).isFile());
});
