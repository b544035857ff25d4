/** What the log says of a job cache whose disk takes nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrineError } from '../../../../src/errors/errors.ts';
import { createLogger } from '../../../../src/host/log.ts';
import { JobCacheLines } from '../../../../src/programs/master/job-cache-lines.ts';

test('job cache lines - a full disk is a line a minute, and one when nothing was refused for a minute', () => {
  let nowMs = 0;
  const written: string[] = [];
  const sink = {
    level: 0,
    write: ({ level, message }: { level: string; message: string }) =>
      void written.push(`${level} ${message}`),
  };
  const lines = new JobCacheLines({ monotonicMs: () => nowMs }, createLogger('t', [sink]));
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', path: '/var/none/job_cache/x.sqlite' });
  lines.taken();
  for (; nowMs < 90_000; nowMs += 1_000) {
    lines.watching(() => assert.fail(full));
    lines.taken(); // what is small enough still has room
  }
  assert.equal(written.length, 2, written.join('\n'));
  assert.match(
    written[0] ?? '',
    /^error The disk refuses what the job cache is to keep\. Jobs are not published, and minions keep their returns, until it takes them: \/var\/none\/job_cache\/x\.sqlite cannot be written: no room/,
  );
  nowMs = 200_000;
  lines.taken();
  lines.taken();
  assert.deepEqual(written.slice(2), [
    'warning The disk takes again what the job cache is to keep (attempts that it refused: 90).',
  ]);
  assert.throws(() => lines.watching(() => assert.fail('a slip')), /a slip/);
  lines.refused(Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY', rawCode: 5 }));
  assert.match(written[3] ?? '', /^error The job cache could not keep something\. .*: database is locked$/);
  lines.refused(new BrineError('x-wal could not be brought to the disk', { code: 'disk-refuses' }));
  assert.match(written[4] ?? '', /^error The disk refuses what the job cache is to keep\./);
});
