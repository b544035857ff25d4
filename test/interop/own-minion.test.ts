/** Our minion on a real master, driven by the real salt command and by ours. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  namesIn,
  ours,
  until,
  type Daemon,
  type Finished,
  type Fleet,
  type Programs,
} from '../support/fleet.ts';
import {
  BusWatch,
  createFleet,
  interop,
  joinThroughPending,
  restartMaster,
  runOnMinion,
  untilAnswers,
} from './real-salt.ts';

const ODD =
  '{1: one, "10": ten, f: 8.0, big: 123456789012345678901, n: null, u: grün, l: [1, [2.5]], b: true}';

interop('our minion joins a real master and answers', async (t, real) => {
  const fleet = await createFleet(t, ['gather_job_timeout: 5', 'loop_interval: 2']);
  await fleet.startMaster(real);
  const bus = await BusWatch.open(t, fleet);
  const minion = await joinThroughPending(fleet, 'o1', { minion: ours, keys: real });
  await untilAnswers(fleet, 'o1', real);

  await t.test('our reader reads its bus', async () => {
    const start = await bus.event('salt/minion/o1/start');
    assert.equal(start.get('id'), 'o1');
    assert.match(String(start.get('data')), /^Minion o1 started at /);
    assert.equal((await bus.event('salt/auth')).get('result'), true);
    const returned = await bus.event(/^salt\/job\/\d{20}\/ret\/o1$/);
    assert.equal(returned.get('return'), true);
    assert.equal(returned.get('retcode'), 0);
  });
  await t.test('commands print the same from both salt commands', () => bothPrintTheSame(fleet, real));
  await t.test('targets', () => targetsMatch(fleet, real));
  await t.test('salt-call of ours works with the real master', () => saltCall(fleet, bus));
  await t.test('a slow job is waited for, found and killed', () => slowJobs(fleet, real));
  await t.test('a key is deleted and the shared key changes', () => keyChanges(fleet, bus, real));
  await t.test('the master restarts', () => masterRestarts(t, fleet, minion, real));
  await t.test('a dead minion is reported', () => deadMinion(fleet, minion, real));
});

/** Runs a command with the real salt and with ours, on the real master's configuration. */
async function both(fleet: Fleet, real: Programs, args: readonly string[]): Promise<[Finished, Finished]> {
  const [theirs, own] = await Promise.all([fleet.salt(args, real), fleet.salt(args)]);
  return [withoutJids(theirs), withoutJids(own)];
}

function withoutJids(finished: Finished): Finished {
  return { ...finished, stdout: finished.stdout.replaceAll(/\b\d{20}\b/g, 'JID') };
}

async function bothPrintTheSame(fleet: Fleet, real: Programs): Promise<void> {
  for (const args of [
    ['o1', 'cmd.run', 'ls /; exit 3', 'python_shell=True'],
    ['o1', 'test.ping,cmd.run,test.echo', ',', 'echo there', ',', 'hello'],
    ['o1', 'test.echo', ODD, '--out', 'raw'],
    ['o1', 'test.arg', '1', 'two', 'x=3', ODD],
    ['o1', 'no.such'],
  ]) {
    const [theirs, own] = await both(fleet, real, args);
    assert.equal(own.stdout, theirs.stdout, `stdout of ${args.join(' ')}`);
    assert.equal(own.code, theirs.code, `exit code of ${args.join(' ')}`);
    assert.match(theirs.stdout, /o1/);
  }
  const all = (await fleet.json(['o1', 'cmd.run_all', 'echo hi'], real))['o1'] as Record<string, unknown>;
  assert.equal(all['stdout'], 'hi');
  assert.equal(all['retcode'], 0);
  const grains = (await fleet.json(['o1', 'grains.items']))['o1'] as Record<string, unknown>;
  assert.equal(grains['id'], 'o1');
  assert.equal(grains['kernel'], 'Linux');
}

async function targetsMatch(fleet: Fleet, real: Programs): Promise<void> {
  const matching = [
    ['-L', 'o1,x9'],
    ['-E', 'o\\d$'],
    ['-G', 'kernel:Lin*'],
    ['-P', 'kernel:^Linux$'],
    ['-C', '( G@kernel:Linux and E@o.* ) or x9'],
  ];
  const asked = matching.map(async (target, index) => {
    const programs = index % 2 === 0 ? real : ours;
    const { stdout } = await fleet.salt(['-t', '10', '--out', 'txt', ...target, 'test.ping'], programs);
    assert.match(stdout, /^o1: True$/m, `${programs.name}, target ${target.join(' ')}`);
  });
  await Promise.all(asked);
  const nobody = await fleet.salt(['-C', 'G@kernel:Plan9', 'test.ping'], real);
  assert.doesNotMatch(nobody.stdout, /True/);
}

async function saltCall(fleet: Fleet, bus: BusWatch): Promise<void> {
  const call = (...args: string[]): Promise<Finished> =>
    runOnMinion(fleet, 'o1', ours, ['salt-call', '--out', 'json', ...args]);
  const echoed = await call('test.echo', 'from the minion');
  assert.deepEqual(JSON.parse(echoed.stdout), { local: 'from the minion' }, echoed.stderr);
  await until('its return is on the bus', () =>
    bus.events.some(({ tag, data }) => tag.endsWith('/ret/o1') && data.get('return') === 'from the minion'),
  );
  const fired = await call('event.send', 'my/own/tag', '{a: 1, b: grün}');
  assert.deepEqual(JSON.parse(fired.stdout), { local: true }, fired.stderr);
  const data = (await bus.event('my/own/tag')).get('data') as Map<string, unknown>;
  assert.equal(data.get('a'), 1);
  assert.equal(data.get('b'), 'grün');
}

async function slowJobs(fleet: Fleet, real: Programs): Promise<void> {
  // slower than the time-out: the command asks with find_job and goes on waiting
  const [theirs, own] = await Promise.all([
    fleet.salt(['-t', '1', '--out', 'txt', 'o1', 'cmd.run', 'sleep 4; echo late', 'python_shell=True'], real),
    fleet.salt(['-t', '1', '--out', 'txt', 'o1', 'cmd.run', 'sleep 4; echo late', 'python_shell=True']),
  ]);
  assert.equal(theirs.stdout, 'o1: late\n');
  assert.equal(own.stdout, 'o1: late\n');
  const { stdout } = await fleet.salt(['--async', 'o1', 'cmd.run', 'sleep 600'], real);
  const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
  await until('the job runs', () => namesIn(fleet.path('o1', 'cache', 'proc')).includes(jid));
  const found = (await fleet.json(['o1', 'saltutil.find_job', jid], real))['o1'] as Record<string, unknown>;
  assert.equal(found['jid'], jid);
  const killed = (await fleet.json(['o1', 'saltutil.kill_job', jid], real))['o1'];
  assert.match(String(killed), /Signal 9 sent to job/);
  await until('the job has gone', () => !namesIn(fleet.path('o1', 'cache', 'proc')).includes(jid));
}

async function keyChanges(fleet: Fleet, bus: BusWatch, real: Programs): Promise<void> {
  const other = await joinThroughPending(fleet, 'o2', { minion: ours, keys: ours });
  await other.stop();
  const deleted = await fleet.run('salt-key', ['-y', '-d', 'o2']);
  assert.match(deleted.stdout, /Key for minion o2 deleted\./);
  await bus.event('key');
  await untilAnswers(fleet, 'o1', real);
  await untilAnswers(fleet, 'o1', ours);
}

async function masterRestarts(t: TestContext, fleet: Fleet, minion: Daemon, real: Programs): Promise<void> {
  await restartMaster(fleet, real);
  const bus = await BusWatch.open(t, fleet);
  await untilAnswers(fleet, 'o1', ours);
  assert.equal((await bus.event('salt/auth')).get('id'), 'o1');
  assert.equal(minion.child.exitCode, null);
}

async function deadMinion(fleet: Fleet, minion: Daemon, real: Programs): Promise<void> {
  await minion.stop();
  const [theirs, own] = await both(fleet, real, ['-t', '1', 'o1', 'test.ping']);
  assert.match(theirs.stdout, /Minion did not return\./);
  // ours says more: the reason, and by its exit code that it is one of a minion that did not answer
  const reason = /^ {4}Nothing has been heard of the minion since the job was published: .*\n/m;
  assert.match(own.stdout, reason);
  assert.equal(own.stdout.replace(reason, ''), theirs.stdout);
  assert.equal(theirs.code, 1);
  assert.equal(own.code, 3);
}
