/**
 * `ret.*`: what a returner has kept is read through `salt-call`; what is said otherwise was answered by Salt 3006.16,
 * too.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { runSaltCall } from '../../../../src/cli/call/salt-call.ts';
import { runSaltRun } from '../../../../src/cli/run/salt-run.ts';
import { recordedIo } from '../../../support/command-io.ts';

type Call = (...argv: string[]) => Promise<{ code: number; local: unknown; stderr: string }>;

/** Calls on a minion that keeps its returns in SQLite. */
async function minion(t: TestContext): Promise<Call> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-ret-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const places = ['pki_dir: /pki', 'cachedir: /cache', 'sock_dir: /s', 'log_file: /log'];
  const database = `sqlite3.database: ${join(folder, 'returns.db')}`;
  const lines = ['id: m1', `root_dir: ${folder}`, ...places, database, 'sqlite3.timeout: 5.0', ''];
  for (const name of ['minion', 'master']) writeFileSync(join(folder, name), lines.join('\n'));
  assert.equal(await runSaltRun(['-c', folder, 'returner.create_schema', 'sqlite3'], recordedIo('')), 0);
  return async (...argv) => {
    const io = recordedIo('');
    const words = ['-c', folder, '--local', '--out=json', ...argv];
    const code = await runSaltCall(words, io, { grainsScript: '/nonexistent' });
    const { stdout, stderr } = io.written;
    return {
      code,
      local: stdout.startsWith('{') ? (JSON.parse(stdout) as { local: unknown }).local : stdout,
      stderr,
    };
  };
}

test('ret - what a returner keeps is read through it', async (t) => {
  const call = await minion(t);
  const kept = await call('--return', 'sqlite3', '--metadata', 'test.echo', 'kept');
  assert.equal(kept.code, 0, kept.stderr);
  assert.deepEqual((await call('ret.get_minions', 'sqlite3')).local, ['m1']);
  assert.deepEqual((await call('ret.get_fun', 'sqlite3', 'test.echo')).local, { m1: 'kept' });
  const { jid } = kept.local as { jid: string };
  const job = (await call('ret.get_jid', 'sqlite3', jid)).local as Record<string, { return: unknown }>;
  assert.equal(job['m1']?.return, 'kept');
  assert.deepEqual((await call('ret.get_jids', 'sqlite3')).local, {}, 'jobs are kept by the master');
  assert.deepEqual((await call('ret.get_fun', 'sqlite3', 'no.such')).local, {});
  assert.deepEqual((await call('ret.get_jid', 'sqlite3', '20240101000000000009')).local, {});
});

test('ret - a returner that is not there, or cannot be read, is a KeyError as in Salt', async (t) => {
  const call = await minion(t);
  for (const [fun, returner] of [
    ['get_jids', 'nosuch'],
    ['get_minions', 'rawfile_json'],
    ['get_minions', 'local'],
  ] as const) {
    const got = await call(`ret.${fun}`, returner);
    assert.equal(got.code, 1);
    assert.match(got.stderr, new RegExp(`KeyError: '${returner}\\.${fun}'`));
  }
});
