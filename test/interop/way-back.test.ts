/**
 * Salt, then Brine, then Salt again, on the same folders of a master and a minion: each finds what it needs, and
 * nothing it chokes on.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatePair } from '../../src/storage/keys/generate.ts';
import { namesIn, ours, until, type Daemon, type Fleet, type Programs } from '../support/fleet.ts';
import {
  createFleet,
  interop,
  joinThroughPending,
  restartMaster,
  runOnMinion,
  untilAnswers,
} from './real-salt.ts';

/** Undecided and refused keys, in the folder that says so. */
const KEYS = { minions_pre: 'waits', minions_rejected: 'refused', minions_denied: 'denied' };

interop('Salt, Brine and Salt again use the same folders', async (t, real) => {
  const fleet = await createFleet(t, [
    'gather_job_timeout: 5',
    'loop_interval: 3',
    'pillar_cache: True',
    'file_recv: True',
    'master_sign_pubkey: False',
    `file_roots: {base: [SRV/files]}`,
    `pillar_roots: {base: [SRV/pillar]}`,
  ]);
  serve(fleet);
  await fleet.startMaster(real);
  await putKeys(fleet);
  let minion = await joinThroughPending(fleet, 'm1', { minion: real, keys: real, options: MINION });
  await untilAnswers(fleet, 'm1', real);
  await t.test('what Salt leaves', () => leave(fleet, real));
  const jobs = await listedJobs(fleet, real);
  const jid = Object.keys(jobs).find((id) => jobs[id]?.['Function'] === 'test.echo') ?? '';
  const keys = await listedKeys(fleet, real);
  const held = await heldBy(fleet, real);

  await t.test('ours on the folders of Salt', async () => {
    minion = await takeOver(fleet, minion, ours);
    const seen = await listedJobs(fleet, ours);
    for (const [id, job] of Object.entries(jobs)) assert.deepEqual(seen[id], job, id);
    for (const fun of ['jobs.lookup_jid', 'jobs.list_job'])
      assert.deepEqual(await run(fleet, ours, fun, jid), await run(fleet, real, fun, jid), fun);
    assert.deepEqual(await listedKeys(fleet, ours), keys);
    assert.deepEqual(await heldBy(fleet, ours), held);
    await fleet.json(['m1', 'saltutil.sync_all']);
    assert.deepEqual(await fleet.json(['m1', 'hello.hi']), { m1: 'hi' }, "the site's own Python runs");
    // real commands beside our master
    assert.equal((await fleet.run('salt-run', ['jobs.list_jobs'], real)).code, 0);
    assert.match((await fleet.salt(['m1', 'test.echo', 'beside'], real)).stdout, /beside/);
    const orchestrated = await fleet.run('salt-run', ['state.orchestrate', 'orch'], real);
    assert.match(orchestrated.stdout, /Succeeded: 1/, orchestrated.stdout + orchestrated.stderr);
    assert.ok(!namesIn(fleet.path('m/cache/jobs')).some((name) => name.length !== 2));
    assert.ok(!existsSync(fleet.path('m/cache/jobs/.minions.p')));
  });

  let changed: unknown;
  let ran: JobsShown = { listed: {}, shown: {} };
  await t.test('what ours change, and the jobs that ran under it, are written for Salt', async () => {
    await change(fleet);
    changed = await changedBy(fleet, ours);
    ran = await jobsSince(fleet, ours, jobs);
    assert.ok(Object.keys(ran.listed).length >= 10, JSON.stringify(Object.keys(ran.listed)));
    const written = (await run(fleet, ours, 'jobs.export_to_salt')) as Record<string, number>;
    assert.ok((written['jobs'] ?? 0) >= Object.keys(ran.listed).length, JSON.stringify(written));
    assert.equal(written['left_out'], 0);
  });

  await t.test('Salt again, on the folders of ours', async () => {
    minion = await takeOver(fleet, minion, real);
    assert.deepEqual(await fleet.json(['m1', 'hello.hi'], real), { m1: 'hi' });
    const seen = await listedJobs(fleet, real);
    for (const [id, job] of Object.entries({ ...jobs, ...ran.listed })) assert.deepEqual(seen[id], job, id);
    assert.deepEqual(await run(fleet, real, 'jobs.lookup_jid', jid), { m1: 'kept' });
    for (const [id, shown] of Object.entries(ran.shown))
      assert.deepEqual(await shownBy(fleet, real, id), shown);
    assert.deepEqual(await listedKeys(fleet, real), keys);
    assert.deepEqual(await changedBy(fleet, real), changed);
    assert.deepEqual(await heldBy(fleet, real), held);
    const cleaned = namesIn(fleet.path('m/cache/jobs')).length;
    assert.ok(cleaned > 0);
    assert.doesNotMatch(fleet.master?.log ?? '', /Traceback|NotADirectory|Exception/);
    assert.doesNotMatch(minion.log, /Traceback/);
  });
});

const MINION = [
  // where a schedule is kept
  'default_include: minion.d/*.conf',
  'cache_jobs: True',
  'mine_functions: {test.echo: [mine]}',
  'mine_interval: 60',
];

function serve(fleet: Fleet): void {
  const path = fleet.path('m', 'master');
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('SRV', fleet.path('srv')));
  for (const [name, text] of [
    ['files/_modules/hello.py', 'def hi():\n    return "hi"\n'],
    ['files/_grains/place.py', 'def place():\n    return {"place": "here"}\n'],
    ['files/kept.txt', 'kept\n'],
    ['files/later.txt', 'later\n'],
    ['files/orch.sls', 'ping:\n  salt.function:\n    - name: test.ping\n    - tgt: m1\n'],
    ['files/a.sls', 'nothing:\n  test.nop: []\n'],
    ['pillar/top.sls', "base: {'*': [a]}\n"],
    ['pillar/a.sls', 'word: secret\n'],
  ] as const) {
    mkdirSync(dirname(fleet.path('srv', name)), { recursive: true });
    writeFileSync(fleet.path('srv', name), text);
  }
}

async function putKeys(fleet: Fleet): Promise<void> {
  for (const [folder, id] of Object.entries(KEYS))
    writeFileSync(fleet.path('m', 'pki', folder, id), (await generatePair(2048)).publicKey);
}

/** Things that a fleet has after a while. */
async function leave(fleet: Fleet, programs: Programs): Promise<void> {
  const functions =
    'grains.setval,data.update,mine.update,state.apply,cp.cache_file,schedule.add,schedule.save';
  const args = 'role web , count 3 , , a , salt://kept.txt , hourly function=test.ping seconds=3600 ,';
  for (const words of [['saltutil.sync_all'], ['test.echo', 'kept'], [functions, ...args.split(' ')]]) {
    const { code, stdout, stderr } = await fleet.salt(['m1', ...words], programs);
    assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
  }
  assert.deepEqual(await fleet.json(['m1', 'hello.hi'], programs), { m1: 'hi' });
}

/** What master and minion know besides jobs and keys, asked by these programs' commands. */
async function heldBy(fleet: Fleet, programs: Programs): Promise<unknown> {
  const functions = 'grains.get,data.get,pillar.get,schedule.list';
  const args = 'role , count , word , return_yaml=False';
  const { m1 } = await fleet.json(['m1', functions, ...args.split(' ')], programs);
  const known = m1 as Record<string, unknown>;
  const schedule = known['schedule.list'] as Record<string, Record<string, unknown>>;
  const local = await runOnMinion(fleet, 'm1', programs, [
    'salt-call',
    '--local',
    '--out',
    'json',
    'grains.get',
    'role',
  ]);
  return {
    role: known['grains.get'],
    count: known['data.get'],
    pillar: known['pillar.get'],
    cached: existsSync(fleet.path('m1/cache/files/base/kept.txt')),
    synced: namesIn(fleet.path('m1/cache/extmods/modules')).filter((name) => name.endsWith('.py')),
    scheduled: [schedule['hourly']?.['function'], schedule['hourly']?.['seconds']],
    mine: await run(fleet, programs, 'mine.get', 'm1', 'test.echo'),
    roleAlone: JSON.parse(local.stdout) as unknown,
    grainsOfMaster: (
      (await run(fleet, programs, 'cache.grains', 'm1')) as Record<string, Record<string, unknown>>
    )['m1']?.['role'],
  };
}

/** What an operator changes while Brine runs. */
async function change(fleet: Fleet): Promise<void> {
  for (const words of [
    ['grains.setval', 'place', 'there'],
    ['data.update', 'count2', '4'],
    ['schedule.add', 'daily', 'function=test.ping', 'seconds=86400'],
    ['schedule.disable_job', 'daily'],
    [
      'beacons.add',
      'load',
      '[{averages: {1m: [0.0, 200.0], 5m: [0.0, 200.0], 15m: [0.0, 200.0]}}, {interval: 3600}]',
    ],
    ['beacons.save'],
    ['mine.send', 'test.arg', 'mined', '7'],
    ['cp.cache_file', 'salt://later.txt'],
    ['cp.push', fleet.path('srv/files/later.txt')],
    ['state.apply', 'a'],
    ['test.retcode', '3'],
  ])
    await fleet.salt(['m1', ...words]);
}

/** What of it master and minion know, asked by these programs' commands. */
async function changedBy(fleet: Fleet, programs: Programs): Promise<unknown> {
  const functions = 'grains.get,data.get,schedule.list,beacons.list';
  const args = 'place , count2 , return_yaml=False , return_yaml=False';
  const { m1 } = await fleet.json(['m1', functions, ...args.split(' ')], programs);
  const known = m1 as Record<string, unknown>;
  const { daily } = known['schedule.list'] as Record<string, Record<string, unknown>>;
  return {
    place: known['grains.get'],
    count: known['data.get'],
    scheduled: [daily?.['function'], daily?.['seconds'], daily?.['enabled']],
    beacons: known['beacons.list'],
    mine: await run(fleet, programs, 'mine.get', 'm1', 'test.arg'),
    pillarOfMaster: await run(fleet, programs, 'cache.pillar', 'm1'),
    placeOfMaster: (
      (await run(fleet, programs, 'cache.grains', 'm1')) as Record<string, Record<string, unknown>>
    )['m1']?.['place'],
    cached: existsSync(fleet.path('m1/cache/files/base/later.txt')),
    pushed: namesIn(fleet.path('m/cache/minions/m1/files', fleet.path('srv/files'))),
  };
}

/** Jobs by their ids: as lists show them, and as each is shown. */
interface JobsShown {
  readonly listed: Record<string, Record<string, unknown>>;
  readonly shown: Record<string, unknown>;
}

/** The jobs that ran since. */
async function jobsSince(
  fleet: Fleet,
  programs: Programs,
  before: Record<string, unknown>,
): Promise<JobsShown> {
  const listed = Object.fromEntries(
    Object.entries(await listedJobs(fleet, programs)).filter(([id]) => !(id in before)),
  );
  const shown: Record<string, unknown> = {};
  for (const [id, { Function: fun }] of Object.entries(listed))
    if (['state.apply', 'test.retcode', 'grains.setval'].includes(String(fun)))
      shown[id] = await shownBy(fleet, programs, id);
  return { listed, shown };
}

async function shownBy(fleet: Fleet, programs: Programs, id: string): Promise<unknown> {
  const out: Record<string, unknown> = {};
  for (const fun of ['jobs.lookup_jid', 'jobs.list_job', 'jobs.exit_success'])
    out[fun] = await run(fleet, programs, fun, id);
  return out;
}

async function listedJobs(
  fleet: Fleet,
  programs: Programs,
): Promise<Record<string, Record<string, unknown>>> {
  return (await run(fleet, programs, 'jobs.list_jobs', 'search_target=m1')) as Record<
    string,
    Record<string, unknown>
  >;
}

async function listedKeys(fleet: Fleet, programs: Programs): Promise<unknown> {
  const { stdout } = await fleet.run('salt-key', ['-F', '--out', 'json'], programs);
  return JSON.parse(stdout);
}

async function run(fleet: Fleet, programs: Programs, ...words: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await fleet.run('salt-run', ['--out', 'json', ...words], programs);
  assert.equal(code, 0, `${programs.name} salt-run ${words.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** Ends master and minion, and starts those of these programs on the same folders. */
async function takeOver(fleet: Fleet, minion: Daemon, programs: Programs): Promise<Daemon> {
  await minion.stop();
  await restartMaster(fleet, programs);
  const next = fleet.startMinion('m1', MINION, programs);
  await next.logged('Minion is ready to receive requests');
  await until('the minion is known', () => namesIn(fleet.path('m', 'pki', 'minions')).includes('m1'));
  await untilAnswers(fleet, 'm1', programs);
  return next;
}
