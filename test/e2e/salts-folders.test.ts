/**
 * Our programs on folders that a real Salt has left, as `test/compare/record-folders.ts` has recorded them; the keys
 * are made here.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { generatePair } from '../../src/storage/keys/generate.ts';
import { encode } from '../../src/formats/wire/msgpack.ts';
import { Fleet } from '../support/fleet.ts';

interface Recorded {
  /** `jobs.list_jobs` and `jobs.list_job` of each, as Salt showed them. */
  readonly jobs: Record<string, unknown>;
  readonly results: Record<string, unknown>;
  /** Below the fleet's folder: base64. */
  readonly files: Record<string, string>;
}

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
/** Two hours; a load that our master lends to Salt's commands would be gone. */
const LONG_AGO_S = systemClock.nowMs() / 1000 - 7200;
const KEYS = { minions_pre: 'waits', minions_rejected: 'refused', minions_denied: 'denied' };

for (const version of ['3006', '3007'])
  test(`salts folders - the jobs, modules, keys and caches of Salt ${version} are used, and stay for it`, async (t) => {
    const recorded = JSON.parse(
      readFileSync(join(ROOT, `test/fixtures/salts-folders/${version}.json`), 'utf8'),
    ) as Recorded;
    const fleet = await fleetOn(t, recorded);
    await fleet.startMaster();
    await fleet.joinMinion('m1', ['mine_functions: {test.echo: [mine]}']);

    const listed = await runner<Record<string, unknown>>(fleet, 'jobs.list_jobs');
    for (const [jid, job] of Object.entries(recorded.jobs)) assert.deepEqual(listed[jid], job, jid);
    for (const [jid, job] of Object.entries(recorded.results))
      assert.deepEqual(await runner(fleet, 'jobs.list_job', jid), job, jid);
    const [newest] = await runner<{ JID: string }[]>(fleet, 'jobs.list_jobs_filter', '1');
    assert.ok(newest !== undefined && newest.JID > (Object.keys(recorded.jobs).sort().at(-1) ?? ''));
    for (const [path, content] of saltsJobs(recorded))
      assert.equal(readFileSync(fleet.path(path)).toString('base64'), content, 'nothing of Salt was touched');
    assert.ok(!existsSync(fleet.path('m/cache/jobs/.minions.p')), 'what an earlier version left is gone');

    const keys = JSON.parse((await fleet.run('salt-key', ['-L', '--out', 'json'])).stdout) as unknown;
    const folders = Object.fromEntries(Object.entries(KEYS).map(([folder, id]) => [folder, [id]]));
    assert.deepEqual(keys, { ...folders, minions: ['m1'] });

    const python = ['extmods/modules/hello.py', 'extmods/grains/place.py'];
    const all = (await fleet.json(['m1', 'saltutil.sync_all']))['m1'] as Record<string, unknown>;
    assert.equal(all['not_loaded'], undefined, 'no key that Salt does not have');
    for (const path of python) assert.ok(existsSync(fleet.path('m1/cache', path)), path);
    assert.deepEqual(await fleet.json(['m1', 'hello.hi']), { m1: 'hi' });
    assert.deepEqual(await fleet.json(['m1', 'grains.get', 'place']), { m1: 'here' });
    const known = await fleet.json([
      'm1',
      'grains.get,data.get,pillar.get',
      'role',
      ',',
      'count',
      ',',
      'word',
    ]);
    assert.deepEqual(known['m1'], { 'grains.get': 'web', 'data.get': 3, 'pillar.get': 'recorded' });
  });

function saltsJobs({ files }: Pick<Recorded, 'files'>): [string, string][] {
  return Object.entries(files).filter(([path]) => path.startsWith('m/cache/jobs/'));
}

async function runner<T>(fleet: Fleet, ...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await fleet.run('salt-run', ['--out', 'json', ...words]);
  assert.equal(code, 0, `salt-run ${words.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

/**
 * The recorded files with this fleet's paths, keys of every kind, and what an earlier version of ours left among the
 * jobs.
 */
async function fleetOn(t: TestContext, { files }: Recorded): Promise<Fleet> {
  const fleet = await Fleet.create(t, ['gather_job_timeout: 2', 'loop_interval: 1', 'pillar_cache: True']);
  fleet.configureMaster([
    ...['gather_job_timeout: 2', 'loop_interval: 1', 'pillar_cache: True', 'keep_jobs_seconds: 86400'],
    `file_roots: {base: [${fleet.path('srv')}]}`,
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
  ]);
  for (const [path, content] of Object.entries(files)) put(fleet, path, Buffer.from(content, 'base64'));
  // Salt's jobs are kept for a day, however long ago something happened to them
  for (const [path] of saltsJobs({ files })) utimesSync(dirname(fleet.path(path)), LONG_AGO_S, LONG_AGO_S);
  put(fleet, 'm/cache/jobs/.minions.p', encode([], 'local'));
  put(fleet, 'srv/_modules/hello.py', 'def hi():\n    return "hi"\n');
  put(fleet, 'srv/_grains/place.py', 'def place():\n    return {"place": "here"}\n');
  put(fleet, 'pillar/top.sls', "base: {'*': [a]}\n");
  put(fleet, 'pillar/a.sls', 'word: recorded\n');
  const pair = await generatePair(2048);
  put(fleet, 'm1/pki/minion.pem', pair.privateKey);
  put(fleet, 'm1/pki/minion.pub', pair.publicKey);
  put(fleet, 'm/pki/minions/m1', pair.publicKey);
  for (const [folder, id] of Object.entries(KEYS))
    put(fleet, `m/pki/${folder}/${id}`, (await generatePair(2048)).publicKey);
  return fleet;
}

function put(fleet: Fleet, path: string, content: string | Uint8Array): void {
  const place = fleet.path(path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content, { mode: 0o600 });
}
