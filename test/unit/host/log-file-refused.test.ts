/** A log file on a disk that has no room. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setupLogging } from '../../../src/host/log-sinks.ts';

test('log file - lines that the disk refuses are told of on the terminal once, and in the file where they are missing', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-log-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'master');
  // a device that is always full, and opened by each user
  symlinkSync('/dev/full', path);
  const console: string[] = [];
  const { logger, close } = setupLogging({
    level: 'warning',
    file: path,
    fileForm: '%(levelname)s %(message)s',
    console: { write: (text) => void console.push(text) },
  });
  for (let number = 0; number < 3; number++) logger.warning(`line ${number}`);
  const told = console.filter((line) => line.includes('are lost'));
  assert.equal(told.length, 1, console.join(''));
  assert.match(
    told[0] ?? '',
    /^\[ERROR {3}\] Lines of the log file are lost until it can be written: \/\S+\/master cannot be written: no room is left /,
  );
  unlinkSync(path);
  // another process has written half a line before the disk was full
  writeFileSync(path, 'before\nhal');
  logger.warning('line 3');
  logger.warning('line 4');
  close();
  const lines = readFileSync(path, 'utf8').split('\n');
  assert.deepEqual(
    [...lines.slice(0, 2), ...lines.slice(3)],
    ['before', 'hal', 'WARNING line 3', 'WARNING line 4', ''],
  );
  assert.match(lines[2] ?? '', /^ERROR 3 lines are missing here: .* no room is left/);
});
