import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createLogger, LOG_LEVELS, type LogRecord } from '../../../../src/host/log.ts';
import { countedLines } from '../../../../src/programs/master/counted-log.ts';
import { PublishSerial } from '../../../../src/programs/master/publish-serial.ts';
import { fakeClock } from '../../../support/module-context.ts';

function file(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bs-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'publish_serial');
}

function logger(): { log: ReturnType<typeof createLogger>; records: LogRecord[] } {
  const records: LogRecord[] = [];
  const log = createLogger('test', [{ level: LOG_LEVELS.info, write: (record) => records.push(record) }]);
  return { log, records };
}

test('publish serial - it begins at the time and grows, over restarts with a clock that was set back too', (t) => {
  const path = file(t);
  const { log, records } = logger();
  const day = 86_400_000;
  let last = 0;
  for (const startMs of [20 * day, 10 * day, 0, 20 * day, 30 * day]) {
    const serial = new PublishSerial({ path, clock: fakeClock(startMs), log });
    for (let i = 0; i < 3; i++) {
      const next = serial.next();
      assert.ok(next > last, `${next} after ${last}`);
      assert.ok(next >= startMs * 1000);
      last = next;
    }
  }
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(records, []);
});

test('publish serial - a file that cannot be read or written is told, and publications go on', (t) => {
  const { log, records } = logger();
  const path = file(t);
  writeFileSync(path, 'garbage');
  const clock = fakeClock(1000);
  assert.equal(new PublishSerial({ path, clock, log }).next(), 1_000_001);
  const serial = new PublishSerial({ path: join(path, 'below', 'a', 'file'), clock, log });
  assert.deepEqual([serial.next(), serial.next()], [1_000_001, 1_000_002]);
  assert.equal(records.length, 1);
});

test('counted log - a flood about one minion is counted, and does not hide another', () => {
  const { log, records } = logger();
  const tell = countedLines(log, 'error');
  for (let i = 0; i < 2500; i++) tell('a', 'no match for a');
  tell('b', 'no match for b');
  assert.deepEqual(
    records.map(({ level, message }) => `${level}: ${message}`),
    [
      'error: no match for a',
      ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 1000, 2000].map((n) => `error: no match for a (${n} times so far)`),
      'error: no match for b',
    ],
  );
});
