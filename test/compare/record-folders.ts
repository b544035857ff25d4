/**
 * Records what a master and a minion of a real Salt keep below their `cachedir`, for `test/e2e/salts-folders.test.ts`:
 * `node scripts/run-ts.mjs test/compare/record-folders.ts 3006`. Keys, sockets, logs and what holds a secret are left
 * out; the test makes keys of its own.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { TestContext } from 'node:test';
import { Fleet, realSalt, until, namesIn } from '../support/fleet.ts';

/** Below the folder of the fleet. */
const KEPT = /^(m\/cache\/(jobs|minions|pillar_cache|extmods)\/|m1\/(cache\/|grains$|none\/))/;
/** Grains tell of the machine that this was recorded on. */
const LEFT_OUT = /\.pyc$|\/proc\/|data\.p$|grains\.cache\.p$/;

const [version = '3006'] = process.argv.slice(2);
const programs = realSalt(version);
if (programs === undefined) throw new Error(`no real Salt ${version} found`);
const ends: (() => unknown)[] = [];
try {
  const context = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext;
  const fleet = await Fleet.create(context, ['auto_accept: True', 'gather_job_timeout: 5']);
  fleet.configureMaster([
    ...['auto_accept: True', 'gather_job_timeout: 5', 'pillar_cache: True', 'id: m_master'],
    `file_roots: {base: [${fleet.path('srv')}]}`,
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
  ]);
  for (const [name, text] of [
    ['srv/_modules/hello.py', 'def hi():\n    return "hi"\n'],
    ['srv/_grains/place.py', 'def place():\n    return {"place": "here"}\n'],
    ['srv/a.sls', 'nothing:\n  test.nop: []\n'],
    ['pillar/top.sls', "base: {'*': [a]}\n"],
    ['pillar/a.sls', 'word: recorded\n'],
  ] as const) {
    mkdirSync(dirname(fleet.path(name)), { recursive: true });
    writeFileSync(fleet.path(name), text);
  }
  await fleet.startMaster(programs);
  const options = ['cache_jobs: True', 'grains: {kernel: Linux}', 'mine_functions: {test.echo: [mine]}'];
  await fleet.joinMinion('m1', options, programs);
  await until('the key is accepted', () => namesIn(fleet.path('m/pki/minions')).includes('m1'));
  for (const words of [
    ...[['test.ping'], ['saltutil.sync_all'], ['test.echo', 'kept'], ['test.retcode', '3'], ['mine.update']],
    ...[
      ['state.apply', 'a'],
      ['grains.setval', 'role', 'web'],
      ['data.update', 'count', '3'],
    ],
    ...[['schedule.add', 'hourly', 'function=test.ping', 'seconds=3600'], ['schedule.save']],
  ])
    await fleet.salt(['m1', ...words], programs);
  await fleet.run('salt-run', ['test.arg', 'a'], programs);
  const listed = await fleet.run('salt-run', ['--out', 'json', 'jobs.list_jobs'], programs);
  const jobs = JSON.parse(listed.stdout) as Record<string, unknown>;
  const results: Record<string, unknown> = {};
  for (const jid of Object.keys(jobs)) {
    const { stdout } = await fleet.run('salt-run', ['--out', 'json', 'jobs.list_job', jid], programs);
    results[jid] = JSON.parse(stdout);
  }
  await Promise.all(fleet.daemons.map((daemon) => daemon.stop()));
  const files = Object.fromEntries(
    filesBelow(fleet.folder)
      .map((path) => [relative(fleet.folder, path), readFileSync(path).toString('base64')] as const)
      .filter(([path]) => KEPT.test(path) && !LEFT_OUT.test(path)),
  );
  const place = join('test/fixtures', 'salts-folders', `${version}.json`);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, `${JSON.stringify({ folder: fleet.folder, jobs, results, files }, null, 1)}\n`);
} finally {
  for (const end of ends.reverse()) await end();
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = statSync(path);
    return stat.isDirectory() ? filesBelow(path) : stat.isFile() ? [path] : [];
  });
}
