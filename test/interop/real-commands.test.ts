/** The real salt, salt-key and salt-run on our master's configuration, with our minions. */
import assert from 'node:assert/strict';
import { namesIn, ours, until, type Fleet, type Programs } from '../support/fleet.ts';
import { createFleet, interop, untilAnswers } from './real-salt.ts';

interop('the real commands drive our master and minions', async (t, real) => {
  const fleet = await createFleet(t);
  await fleet.startMaster();
  const minions = ['o1', 'o2'].map((id) => fleet.startMinion(id));
  await until('both keys wait', () => namesIn(fleet.path('m', 'pki', 'minions_pre')).length === 2);

  await t.test('salt-key lists, accepts and prints', () => keysAreManaged(fleet, real));
  await Promise.all(minions.map((minion) => minion.logged('Minion is ready')));
  await untilAnswers(fleet, 'o1', ours);
  await t.test('salt prints what our salt prints', () => printsTheSame(fleet, real));
  await t.test('salt-run looks a job up', () => jobIsLookedUp(fleet, real));
  await t.test('salt-run reads our event bus', () => eventsAreRead(fleet, real));
  await t.test('a dead minion did not return', async () => {
    await minions[1]?.stop();
    const [theirs, own] = await both(fleet, real, ['-t', '1', '*', 'test.ping']);
    assert.match(theirs.stdout, /^o1:\n {4}True\n/m);
    assert.match(theirs.stdout, /^o2:\n {4}Minion did not return\./m);
    assert.equal(theirs.code, 1);
    // ours says more: since when the minion is away, and by its exit code that it was silence and no failure
    assert.match(own.stdout, /^o2:\n {4}Minion did not return\. \[Not connected\]/m);
    assert.equal(own.code, 3);
  });
  await t.test('salt-key rejects and deletes', async () => {
    assert.match((await fleet.run('salt-key', ['-y', '-d', 'o2'], real)).stdout, /Key for minion o2 deleted/);
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')), ['o1']);
    const gone = await fleet.salt(['-L', 'o2', 'test.ping'], real);
    assert.notEqual(gone.code, 0);
    await untilAnswers(fleet, 'o1', real);
  });
});

interface Shown {
  readonly stdout: string;
  readonly code: number | null;
}

async function both(fleet: Fleet, real: Programs, args: readonly string[]): Promise<[Shown, Shown]> {
  const [theirs, own] = await Promise.all([fleet.salt(args, real), fleet.salt(args)]);
  return [shown(theirs), shown(own)];
}

function shown({ stdout, code }: Shown): Shown {
  return { stdout: stdout.replaceAll(/\b\d{20}\b/g, 'JID').replaceAll(/pid: \d+/g, 'pid: PID'), code };
}

/** Minions answer in any order: what each of them printed, in one. */
function sorted({ stdout, code }: Shown): unknown {
  return { minions: stdout.split(/^(?=\w+:|\{)/m).sort(), code };
}

async function keysAreManaged(fleet: Fleet, real: Programs): Promise<void> {
  const [theirs, own] = await Promise.all([
    fleet.run('salt-key', ['-L'], real),
    fleet.run('salt-key', ['-L']),
  ]);
  assert.equal(own.stdout, theirs.stdout);
  assert.match(theirs.stdout, /Unaccepted Keys:\no1\no2\n/);
  assert.match((await fleet.run('salt-key', ['-y', '-a', 'o1'], real)).stdout, /Key for minion o1 accepted/);
  assert.match((await fleet.run('salt-key', ['-y', '-A'], real)).stdout, /Key for minion o2 accepted/);
  const [theirFingers, ownFingers] = await Promise.all([
    fleet.run('salt-key', ['-F'], real),
    fleet.run('salt-key', ['-F']),
  ]);
  assert.equal(ownFingers.stdout, theirFingers.stdout);
  assert.match(theirFingers.stdout, /o2: {2}([0-9a-f]{2}:){31}/);
}

async function printsTheSame(fleet: Fleet, real: Programs): Promise<void> {
  for (const args of [
    ['*', 'cmd.run', 'echo one; echo two', 'python_shell=True'],
    ['o1', 'cmd.run_all', 'exit 4', 'python_shell=True', '--out', 'yaml'],
    ['o?', 'test.echo', '{1: [1.0, null, grün], "1": {}}', '--out', 'json'],
    ['o1', 'test.ping,test.echo', ',', 'x', '--out', 'raw'],
    ['nobody', 'test.ping'],
    ['o1', 'no.such'],
    ['o1', 'test.echo'],
  ]) {
    const [theirs, own] = await both(fleet, real, args);
    assert.deepEqual(sorted(own), sorted(theirs), args.join(' '));
  }
  const all = (await fleet.json(['o1', 'cmd.run_all', 'exit 4', 'python_shell=True'], real))['o1'];
  assert.equal((all as Record<string, unknown>)['retcode'], 4);
  const failed = await fleet.salt(['o1', 'cmd.run', 'exit 4', 'python_shell=True'], real);
  assert.equal(failed.code, 1);
}

/** Salt reads the load of a job from files; those that we write for it are enough for this. */
async function jobIsLookedUp(fleet: Fleet, real: Programs): Promise<void> {
  const { stdout } = await fleet.salt(['--async', 'o1', 'test.ping'], real);
  const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
  const looked = await fleet.run('salt-run', ['jobs.print_job', jid], real);
  assert.match(looked.stdout, new RegExp(jid));
  assert.match(looked.stdout, /test\.ping/);
}

async function eventsAreRead(fleet: Fleet, real: Programs): Promise<void> {
  const reading = fleet.run('salt-run', ['state.event', 'salt/job/*/ret/*', 'count=1', 'quiet=False'], real);
  const isDone = reading.then(() => true);
  // it says nowhere when it listens, so there is something to hear until it has heard it
  for (let attempt = 0; attempt < 30; attempt++) {
    await fleet.salt(['o1', 'test.echo', 'heard']);
    if (await Promise.race([isDone, Promise.resolve(false)])) break;
  }
  const { stdout, code } = await reading;
  assert.equal(code, 0);
  const [, tag, data] = /^(salt\/job\/\d{20}\/ret\/o1)\t(\{.*\})$/m.exec(stdout) as RegExpExecArray;
  assert.ok(tag);
  const event = JSON.parse(data as string) as Record<string, unknown>;
  assert.equal(event['id'], 'o1');
  assert.equal(event['return'], 'heard');
  assert.equal(event['retcode'], 0);
  assert.match(String(event['_stamp']), /^\d{4}-\d\d-\d\dT/);
}
