/**
 * Jobs of ours on their way back to Salt: byte for byte what a real Salt has written for the same jobs
 * (test/fixtures/salts-folders).
 */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { decode } from '../../../../src/formats/wire/msgpack.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict, toNumber, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { exportToSalt, type SaltsExport } from '../../../../src/storage/jobs/salts-export.ts';
import { SaltsJobs } from '../../../../src/storage/jobs/salts-jobs.ts';
import { saltsJobFolder } from '../../../../src/storage/jobs/salts-layout.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const JID = '20260311101500000001';
const AT_MS = Date.UTC(2026, 2, 11, 10, 15, 2);

interface Place {
  readonly cachedir: string;
  readonly store: SqliteJobStore;
  readonly write: (more?: { fromJid?: string; signal?: AbortSignal }) => Promise<SaltsExport>;
  /** The file of a job, decoded. */
  readonly read: (jid: string, ...names: string[]) => Value;
}

function place(t: TestContext): Place {
  const cachedir = mkdtempSync(join(tmpdir(), 'brine-export-'));
  const directory = join(cachedir, 'job_cache');
  const store = new SqliteJobStore({ directory });
  t.after(async () => {
    await store.close();
    rmSync(cachedir, { recursive: true, force: true });
  });
  const read = (jid: string, ...names: string[]): Value =>
    decode(readFileSync(join(saltsJobFolder(cachedir, 'sha256', jid), ...names)), 'local');
  const write = (more = {}): Promise<SaltsExport> =>
    exportToSalt({ cachedir, directory, hashType: 'sha256', ...more });
  return { cachedir, store, write, read };
}

const load = (jid: string, fun = 'test.ping'): Dict =>
  dict({ jid, fun, arg: [], tgt: '*', tgt_type: 'glob', user: 'root' });

const ret = (jid: string, id: string, value: Value = true): Parameters<SqliteJobStore['saveReturn']>[0] => ({
  ...{ jid, id, fun: 'test.ping', return: value, retcode: 0, success: true, atMs: AT_MS },
});

for (const version of ['3006', '3007'])
  test(`way back - jobs are written as Salt ${version} writes them, byte for byte`, async (t) => {
    const { cachedir, store, write } = place(t);
    const { files } = JSON.parse(
      readFileSync(join(ROOT, `test/fixtures/salts-folders/${version}.json`), 'utf8'),
    ) as { files: Record<string, string> };
    const recorded = new Map<string, string>();
    for (const [path, content] of Object.entries(files))
      if (path.startsWith('m/cache/jobs/')) recorded.set(path.slice('m/cache/'.length), content);
    const bytes = (path: string): Buffer => Buffer.from(recorded.get(path) ?? '', 'base64');
    const value = (path: string): Value => decode(bytes(path), 'local');
    for (const path of recorded.keys()) {
      const [folder = '', name = ''] = [path.slice(0, path.lastIndexOf('/')), path.split('/').at(-1)];
      if (name === 'jid') {
        const minions = value(`${folder}/.minions.p`) as string[];
        await store.saveJob(bytes(path).toString(), value(`${folder}/.load.p`) as Dict, minions);
      } else if (name === 'return.p') {
        const jid = bytes(`${folder.slice(0, folder.lastIndexOf('/'))}/jid`).toString();
        const data = value(path) as Dict;
        const out = recorded.has(`${folder}/out.p`) ? { out: String(value(`${folder}/out.p`)) } : {};
        await store.saveReturn({
          ...{ jid, id: folder.split('/').at(-1) ?? '', fun: '', return: data.get('return') ?? null, ...out },
          ...{ retcode: toNumber(data.get('retcode')) ?? 0, success: data.get('success') !== false },
        });
      }
    }
    const written = await write();
    assert.equal(written.leftOut, 0);
    for (const [path, content] of recorded) {
      // what a runner of Salt returns has no code; ours always says one
      const isRunner = path.endsWith('_master/return.p');
      const found = readFileSync(join(cachedir, path));
      if (isRunner)
        assert.deepEqual((decode(found, 'local') as Dict).get('return'), (value(path) as Dict).get('return'));
      else assert.equal(found.toString('base64'), content, path);
    }
    const all = readdirSync(join(cachedir, 'jobs'), { recursive: true, withFileTypes: true });
    assert.equal(all.filter((entry) => entry.isFile()).length, recorded.size, 'and nothing besides');
  });

test('way back - minions of syndics, times, what is there already, and what came since', async (t) => {
  const { cachedir, store, write, read } = place(t);
  await store.saveJob(JID, load(JID), ['m1']);
  await store.addMinions(JID, ['s1'], 'below');
  await store.saveReturn(ret(JID, 'm1', dict({ a: 1 })));
  // a minion that returns with the id of a job that Salt had published
  await store.saveReturn(ret('20260311101600000001', 'm9', 'late'));
  assert.deepEqual(await write(), { jobs: 2, returns: 2, returnsThere: 0, leftOut: 0 });
  assert.deepEqual(read(JID, '.minions.below.p'), ['s1']);
  assert.deepEqual(read(JID, 'm1', 'return.p'), dict({ return: dict({ a: 1 }), retcode: 0, success: true }));
  const folder = saltsJobFolder(cachedir, 'sha256', JID);
  assert.equal(statSync(join(folder, 'm1', 'return.p')).mtimeMs, AT_MS);
  assert.equal(statSync(join(folder, 'jid')).mtimeMs, AT_MS);
  assert.deepEqual(
    read('20260311101600000001', 'm9', 'return.p'),
    dict({ return: 'late', retcode: 0, success: true }),
  );
  const salts = new SaltsJobs({ cachedir, hashType: 'sha256', log: silentLogger });
  assert.deepEqual(salts.job(JID)?.get('Minions'), ['m1', 's1']);

  await store.saveReturn(ret(JID, 's1'));
  assert.deepEqual(await write(), { jobs: 2, returns: 1, returnsThere: 2, leftOut: 0 });
  assert.deepEqual((await salts.returns(JID)).map(({ id }) => id).sort(), ['m1', 's1']);
});

test('way back - names that Salt would take for something else, jobs it was told not to keep, and a stop', async (t) => {
  const { cachedir, store, write } = place(t);
  await store.saveJob(JID, load(JID), []);
  for (const id of ['.m', 'jid', 'endtime', '../../m', 'a/b', 'good']) await store.saveReturn(ret(JID, id));
  const other = '20260312101500000001';
  await store.saveJob(other, load(other), ['m1']);
  const folder = saltsJobFolder(cachedir, 'sha256', other);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'nocache'), '');
  assert.deepEqual(await write(), { jobs: 1, returns: 1, returnsThere: 0, leftOut: 6 });
  assert.deepEqual(readdirSync(saltsJobFolder(cachedir, 'sha256', JID)).sort(), [
    ...['.load.p', '.minions.p', 'good', 'jid'],
  ]);
  assert.ok(!existsSync(join(cachedir, 'm')));

  assert.deepEqual(await write({ fromJid: '20260313' }), {
    jobs: 0,
    returns: 0,
    returnsThere: 0,
    leftOut: 0,
  });
  assert.equal((await write({ signal: AbortSignal.abort() })).jobs, 0);
});
