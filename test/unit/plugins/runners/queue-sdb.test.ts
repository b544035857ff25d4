/** `queue.*` and `sdb.*` against recorded runs of Salt 3006.16, on the same files and the same web server. */
import assert, { AssertionError } from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { runSaltCall } from '../../../../src/cli/call/salt-call.ts';
import { runSaltRun } from '../../../../src/cli/run/salt-run.ts';
import { recordedIo } from '../../../support/command-io.ts';
import {
  neutral,
  prepareQueueSdb,
  QUEUE_SDB_FIXTURE,
  startQueueSdbServer,
  type QueueSdbRecorded,
} from '../../../support/queue-sdb-place.ts';
import { QUEUE_SDB_DIFFERENCES, type QueueSdbDifference } from '../../../support/queue-sdb-differences.ts';

const recorded = JSON.parse(readFileSync(QUEUE_SDB_FIXTURE, 'utf8')) as QueueSdbRecorded[];

/** The usage is each program's own. */
function comparable(stdout: string): string {
  return /^(\nPassed invalid arguments[^]*?\n\nUsage:)/.exec(stdout)?.[1] ?? stdout;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
}

function compare(
  got: Ended,
  { code, stdout }: QueueSdbRecorded,
  explained: QueueSdbDifference | undefined,
): void {
  if (explained?.stdout instanceof RegExp) assert.match(got.stdout, explained.stdout);
  else if (explained !== undefined) assert.equal(got.stdout, explained.stdout);
  // a sentence in place of a traceback or of nothing at all; that of salt-call is in the log, which is quiet
  else if (code === 1) assert.doesNotMatch(got.stdout, /Traceback|Exception/);
  // nor does ours say that a function that is not there has done well
  else assert.equal(comparable(got.stdout), comparable(stdout));
  const isRefused = /is not available\.|^\nPassed invalid arguments/m.test(stdout);
  assert.equal(got.code, explained?.code ?? (isRefused ? 1 : code));
}

for (const scenario of new Set(recorded.map((one) => one.scenario)))
  test(`queue and sdb - the recorded calls of ${scenario} end as in Salt 3006.16`, async (t) => {
    const { port } = await startQueueSdbServer(t);
    const folder = mkdtempSync(join(tmpdir(), 'queue-sdb-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    prepareQueueSdb(folder, port, ['runner_returns: False']);
    process.env['QUEUE_SDB_WORD'] = 'from the environment';
    t.after(() => {
      delete process.env['QUEUE_SDB_WORD'];
      delete process.env['NOT_SET_AT_ALL'];
    });
    const calls = recorded.filter((one) => one.scenario === scenario);
    for (const [at, call] of calls.entries()) {
      const io = recordedIo('');
      const argv = ['-c', folder, '-l', 'quiet', '--exit-codes=salt', ...call.argv];
      const code =
        call.program === 'salt-run'
          ? await runSaltRun(argv, io)
          : await runSaltCall(argv, io, { grainsScript: '/nonexistent' });
      // a process for each call in Salt
      delete process.env['NOT_SET_AT_ALL'];
      const stdout = neutral(io.written.stdout + (code === 0 ? '' : io.written.stderr), folder, port);
      const words = `${call.program} ${call.argv.join(' ')}`;
      try {
        compare({ code, stdout }, call, QUEUE_SDB_DIFFERENCES.get(`${scenario} ${at}`));
      } catch (error) {
        throw new AssertionError({
          message: `${scenario} ${at}: ${words}: ${String(error)}${io.written.stderr}`,
        });
      }
    }
  });

test('queue and sdb - what salt-run gets and sets of sdb is in its output alone, not in the job cache', async (t) => {
  const { port } = await startQueueSdbServer(t);
  const folder = mkdtempSync(join(tmpdir(), 'queue-sdb-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  prepareQueueSdb(folder, port);
  for (const words of [
    ['sdb.set', 'sdb://lite/k', 'canary-one'],
    ['sdb.set', 'sdb://lite/n', 'value=canary-two'],
    ['sdb.get', 'sdb://lite/k'],
    ['sdb.get_or_set_hash', 'sdb://lite/n'],
    ['sdb.get', 'sdb://myvault/secret/app/pw'],
  ]) {
    const io = recordedIo('');
    assert.equal(await runSaltRun(['-c', folder, '--out=json', ...words], io), 0, words.join(' '));
    assert.doesNotMatch(io.written.stderr, /canary/);
    if (words[0] !== 'sdb.set') assert.match(io.written.stdout, /canary|one/);
  }
  const kept = readdirSync(join(folder, 'cache'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'))
    .join('');
  assert.match(kept, /runner\.sdb\.get/);
  assert.doesNotMatch(kept, /canary/);
});
