/** `ret.*`: what a returner has kept is read through `salt-call`; what is said otherwise was answered by Salt 3006.16, too. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { runSaltCall } from '../../../../src/cli/call/salt-call.ts';
import { recordedIo } from '../../../support/command-io.ts';

type Call = (...argv: string[]) => Promise<{ code: number; local: unknown; stderr: string }>;

/** Calls on a minion that keeps its returns in SQLite. */
function minion(t: TestContext): Call {
  const folder = mkdtempSync(join(tmpdir(), 'brine-ret-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const places = ['pki_dir: /pki', 'cachedir: /cache', 'sock_dir: /s', 'log_file: /log'];
  const database = `sqlite3.database: ${join(folder, 'returns.db')}`;
  const lines = ['id: m1', `root_dir: ${folder}`, ...places, database, 'sqlite3.timeout: 5.0', ''];
  writeFileSync(join(folder, 'minion'), lines.join('\n'));
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
  const call = minion(t);
  const kept = await call('--return', 'sqlite3', 'test.echo', 'kept');
  assert.deepEqual([kept.code, kept.local], [0, 'kept'], kept.stderr);
  assert.deepEqual((await call('ret.get_minions', 'sqlite3')).local, ['m1']);
  const last = (await call('ret.get_fun', 'sqlite3', 'test.echo')).local as Record<
    string,
    { return: unknown; jid: string }
  >;
  assert.equal(last['m1']?.return, 'kept');
  const jid = last['m1']?.jid ?? '';
  const job = (await call('ret.get_jid', 'sqlite3', jid)).local as Record<
    string,
    { return: { return: unknown } }
  >;
  assert.equal(job['m1']?.return.return, 'kept');
  assert.deepEqual((await call('ret.get_fun', 'sqlite3', 'no.such')).local, {});
  assert.deepEqual((await call('ret.get_jid', 'sqlite3', '20240101000000000009')).local, {});
});

test('ret - a returner that is not there, or cannot be read, is a KeyError as in Salt', async (t) => {
  const call = minion(t);
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
