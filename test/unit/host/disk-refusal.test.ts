/** What the system and SQLite say of a disk that takes nothing, as one error with its path. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BrineError, DiskRefusesError } from '../../../src/errors/errors.ts';
import { diskRefusal, writing, type Room } from '../../../src/host/disk-refusal.ts';
import { createFile } from '../../../src/host/files.ts';
import { rareLines } from '../../../src/host/rare-lines.ts';
import { osErrorText } from '../../../src/python/os-errors.ts';
import { openSqlite } from '../../../src/storage/jobs/sqlite.ts';

const PATH = '/var/cache/salt/jobs.sqlite';
const ROOM: Room = { mount: '/var', bytes: 4096, inodes: 10 };

function said(fields: object, room: Room | undefined = ROOM, path: string | undefined = PATH) {
  const error = Object.assign(new Error('as the system says'), fields);
  return diskRefusal(error, path, () => room)?.message;
}

test('disk refusal - errors of the system name the path, the reason and what to do', () => {
  assert.equal(
    said({ code: 'ENOSPC' }),
    `${PATH} cannot be written: no room is left on its file system, which has 4096 bytes for this account. Make room on /var (df -h /var).`,
  );
  assert.match(said({ code: 'ENOSPC' }, { ...ROOM, inodes: 0 }) ?? '', /no inode .* \(df -i \/var\)/);
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  const unseen = diskRefusal(full, PATH, () => undefined)?.message ?? '';
  assert.match(unseen, /Make room on \/var\/cache\/salt \(/);
  assert.match(said({ code: 'EDQUOT' }) ?? '', /the quota of its owner is used up\. Make room on \/var/);
  assert.match(said({ code: 'EROFS' }) ?? '', /read only\. Mount \/var to be written/);
  assert.match(said({ code: 'EIO' }) ?? '', /the disk fails \(as the system says\).*\(dmesg\)/);
});

test('disk refusal - errors of either driver of SQLite are read by their numbers, also the extended ones', () => {
  assert.match(said({ code: 'SQLITE_FULL', rawCode: 13 }) ?? '', /no room is left/);
  assert.match(said({ code: 'ERR_SQLITE_ERROR', errcode: 13 }) ?? '', /no room is left/);
  assert.match(said({ code: 'SQLITE_READONLY', rawCode: 8 | (3 << 8) }) ?? '', /it is read only/);
  // an error of input and output is mostly a full disk
  const failing = { code: 'SQLITE_IOERR', rawCode: 10 | (3 << 8) };
  assert.match(said(failing, { ...ROOM, bytes: 0 }) ?? '', /no room is left/);
  assert.match(said(failing) ?? '', /the disk fails/);
  assert.match(said({ errcode: 14 }) ?? '', /cannot be opened\. See that \/var\/cache\/salt is there/);
  const opening = new Error('ConnectionFailed("Unable to open connection to local database /none/q.db: 14")');
  assert.match(diskRefusal(opening, PATH, () => ROOM)?.message ?? '', /cannot be opened/);
  assert.match(diskRefusal(opening, PATH, () => ({ ...ROOM, inodes: 0 }))?.message ?? '', /no inode/);
});

test('disk refusal - a path that cannot be looked at hides no refusal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-refusal-'));
  try {
    symlinkSync('loop', join(folder, 'loop'));
    const path = join(folder, 'loop', 'x');
    const message = diskRefusal(Object.assign(new Error('full'), { code: 'ENOSPC' }), path)?.message ?? '';
    assert.match(message, /^.*loop\/x cannot be written: no (room|inode) is left on its file system/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('disk refusal - what says nothing of a disk stays as it is', () => {
  assert.equal(said({ code: 'EACCES' }), undefined);
  assert.equal(said({ code: 'SQLITE_BUSY', rawCode: 5 }), undefined);
  assert.equal(said({ code: 'SQLITE_CONSTRAINT', rawCode: 19 }), undefined);
  assert.equal(said({ code: 'ENOSPC', syscall: 'watch' }), undefined, 'too many watched folders');
  assert.equal(diskRefusal(Object.assign(new Error('x'), { code: 'ENOSPC' })), undefined, 'no path');
  assert.equal(diskRefusal(new BrineError('x'), PATH), undefined);
  assert.equal(diskRefusal('text', PATH), undefined);
});

test('disk refusal - it is still an error of the system, names where a file was moved to, and is read once', () => {
  const cause = Object.assign(new Error('EROFS'), {
    ...{ code: 'EROFS', errno: -30, syscall: 'rename', path: '/a', dest: '/b' },
  });
  const refusal = diskRefusal(cause, undefined, () => ROOM);
  assert.ok(refusal !== undefined);
  assert.deepEqual([refusal.path, refusal.errorCode, refusal.code], ['/b', 'disk-refuses', 'EROFS']);
  assert.equal(osErrorText(refusal), "[Errno 30] Read-only file system: '/b'");
  assert.equal(diskRefusal(refusal, '/elsewhere'), refusal);
  const named = refusal.keepingFrom('The key of web1 is not accepted');
  assert.match(named.message, /^The key of web1 is not accepted: \/b cannot be written/);
  assert.throws(() => writing('/b', () => assert.fail(cause)), DiskRefusesError);
  assert.throws(() => createFile('/proc/none', 'x', { mode: 0o600 }), { code: 'ENOENT' });
});

test('disk refusal - a database that may only be read names its file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-refusal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'q.db');
  const database = openSqlite(path);
  database.exec('CREATE TABLE a (b)');
  database.exec('PRAGMA query_only = 1');
  const insert = database.prepare('INSERT INTO a VALUES (?)');
  const isNamed = (error: unknown): boolean =>
    error instanceof DiskRefusesError && error.path === path && error.message.startsWith(`${path} cannot`);
  assert.throws(() => insert.run(1), isNamed);
  assert.throws(() => database.exec('INSERT INTO a VALUES (1)'), isNamed);
  assert.throws(() => openSqlite(join(folder, 'none', 'q.db')), { code: 'ENOENT' });
  database.close();
});

test('rare lines - the first of a kind at once, then one a minute with the count', () => {
  let nowMs = 0;
  const lines: string[] = [];
  const tell = rareLines({ monotonicMs: () => nowMs }, (text) => void lines.push(text));
  for (nowMs = 0; nowMs < 150_000; nowMs += 1_000) tell('full', 'no room');
  tell('other', 'fails');
  assert.deepEqual(lines, ['no room', 'no room (61 times so far)', 'no room (121 times so far)', 'fails']);
  // over only when it has not come for a minute
  assert.equal(tell.over('full'), 0);
  nowMs = 209_000;
  assert.equal(tell.over('full'), 150);
  assert.equal(tell.over('full'), 0);
  tell('full', 'no room');
  assert.equal(lines.pop(), 'no room');
  // beyond so many kinds they share one
  for (let kind = 0; kind < 1_000; kind++) tell(`kind ${kind}`, 'x');
  assert.ok(lines.length < 80, String(lines.length));
});
