/** The built `salt-run` with a master and minions. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Fleet } from '../support/fleet.ts';

interface Listed {
  readonly [jid: string]: Record<string, unknown>;
}

/** What a runner returns. */
async function runner<T>(fleet: Fleet, ...args: string[]): Promise<T> {
  const { stdout, stderr, code } = await fleet.run('salt-run', ['--out', 'json', ...args]);
  if (code !== 0 || stdout === '')
    throw new Error(`salt-run ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

async function fleetOfTwo(
  t: Parameters<typeof Fleet.create>[0],
  options: readonly string[] = [],
): Promise<Fleet> {
  const fleet = await Fleet.create(t, ['auto_accept: True', 'gather_job_timeout: 2', ...options]);
  await fleet.startMaster();
  await Promise.all([fleet.joinMinion('m1'), fleet.joinMinion('m2')]);
  return fleet;
}

test('salt-run - jobs of minions are listed, looked up and found again', async (t) => {
  const fleet = await fleetOfTwo(t);
  await fleet.salt(['*', 'test.echo', 'hi', '--metadata', '{ticket: 7}']);
  await fleet.salt(['m1', 'test.retcode', '3']);
  const jobs = await runner<Listed>(fleet, 'jobs.list_jobs', 'search_function=test.*');
  const [first, second] = Object.keys(jobs) as [string, string];
  assert.deepEqual(
    Object.values(jobs).map((job) => job['Function']),
    ['test.echo', 'test.retcode'],
  );
  assert.deepEqual(jobs[first]?.['Metadata'], { ticket: 7 });
  assert.deepEqual(await runner(fleet, 'jobs.lookup_jid', first), { m1: 'hi', m2: 'hi' });
  assert.deepEqual(await runner(fleet, 'jobs.exit_success', second), { m1: true });
  const { Result: result } = await runner<{ Result: unknown }>(fleet, 'jobs.list_job', second);
  assert.deepEqual(result, { m1: { return: true, retcode: 3, success: false } });
  assert.deepEqual(Object.keys(await runner<Listed>(fleet, 'jobs.last_run', 'function=test.retcode')), [
    second,
  ]);
});

test('salt-run - running jobs are seen with who runs them', async (t) => {
  const fleet = await fleetOfTwo(t);
  const { stdout } = await fleet.salt(['--async', '*', 'test.sleep', '20']);
  const jid = /\d{20}/.exec(stdout)?.[0] as string;
  let active: Listed = {};
  while (active[jid] === undefined) active = await runner<Listed>(fleet, 'jobs.active');
  const running = active[jid]['Running'] as Record<string, number>[];
  assert.deepEqual(running.flatMap((entry) => Object.keys(entry)).sort(), ['m1', 'm2']);
  assert.equal(active[jid]['Function'], 'test.sleep');
  assert.deepEqual(await runner(fleet, 'jobs.lookup_jid', jid, 'missing=True'), {
    m1: 'Minion did not return',
    m2: 'Minion did not return',
  });
});

test('salt-run - who is up, who is down, and which version they have', async (t) => {
  const fleet = await fleetOfTwo(t, ['con_cache: True']);
  // as soon as they are connected, also where nothing of theirs is cached
  rmSync(join(fleet.masterDir, 'cache', 'minions'), { recursive: true, force: true });
  assert.deepEqual(await runner(fleet, 'manage.present'), ['m1', 'm2']);
  assert.deepEqual(await runner(fleet, 'manage.status'), { up: ['m1', 'm2'], down: [] });
  assert.deepEqual(await runner(fleet, 'manage.versions'), {
    'Up to date': { m1: '3006.16', m2: '3006.16' },
    Master: '3006.16',
  });
  await fleet.daemons[2]?.stop();
  const present = await runner<string[]>(fleet, 'manage.present');
  const { up, down } = await runner<{ up: string[]; down: string[] }>(fleet, 'manage.status', 'timeout=2');
  assert.deepEqual(present, up, 'the connections say who has gone, though both have the same address');
  assert.deepEqual(await runner(fleet, 'manage.not_present'), down);
  // a job tells of who is away without waiting for an answer
  const { stdout: told } = await fleet.salt(['*', 'test.ping']);
  assert.match(told, new RegExp(`${down[0]}:\\s+Minion did not return. .Not connected`));
  assert.equal(up.length, 1);
  assert.deepEqual([...up, ...down].sort(), ['m1', 'm2']);
  await fleet.run('salt-run', ['manage.down', 'removekeys=True', 'timeout=2']);
  const { stdout } = await fleet.run('salt-key', ['-l', 'acc']);
  assert.equal(stdout.includes(down[0] as string), false);
});

test('salt-run - runs are events and jobs; a background run is found again', async (t) => {
  const fleet = await Fleet.create(t);
  await fleet.startMaster();
  const watcher = fleet.start('salt-run', [
    '-c',
    fleet.masterDir,
    '-l',
    'quiet',
    'state.event',
    'salt/run/*/new',
  ]);
  // The watcher may or may not see its own start, so it is told to end and not by a count.
  while (!/"fun": "runner\.test\.arg"/.test(watcher.log))
    assert.equal((await fleet.run('salt-run', ['--quiet', 'test.arg', 'a'])).stdout, '');
  await watcher.stop('SIGINT');
  const { code, stderr, stdout } = await fleet.run('salt-run', ['--async', 'test.arg', 'later']);
  assert.deepEqual([code, stdout], [0, '']);
  const jid = /under tag salt\/run\/(\d{20})/.exec(stderr)?.[1] as string;
  let job: Record<string, unknown> = {};
  while (job['Function'] === undefined) job = await runner(fleet, 'jobs.list_job', jid);
  assert.equal(job['Function'], 'runner.test.arg');
});

test('salt-run - minions that answer alike are found', async (t) => {
  const fleet = await fleetOfTwo(t);
  assert.deepEqual(await runner(fleet, 'survey.hash', '*', 'test.ping'), [
    { pool: ['m1', 'm2'], result: 'True' },
  ]);
  const { stdout } = await fleet.run('salt-run', ['survey.diff', '*', 'grains.get', 'id']);
  assert.match(stdout, /differences from "m1" results :\n-+\n--- m1\n\+\+\+ m2\n@@ -1 \+1 @@\n-m1\n\+m2\n/);
  assert.deepEqual(await runner(fleet, 'salt.execute', 'm2', 'test.echo', 'arg=[hi]'), { m2: 'hi' });
});

test('salt-run - Ctrl-C ends a runner', async (t) => {
  const fleet = await Fleet.create(t);
  const command = fleet.start('salt-run', ['-c', fleet.masterDir, 'test.sleep', '600']);
  await command.logged('600');
  assert.equal(await command.stop('SIGINT'), 130);
  assert.match(command.log, /Exiting gracefully on Ctrl-c/);
});
