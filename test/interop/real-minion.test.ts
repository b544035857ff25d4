/** A real minion on our master. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { namesIn, ours, until, type Daemon, type Fleet, type Programs } from '../support/fleet.ts';
import {
  BusWatch,
  createFleet,
  interop,
  joinThroughPending,
  restartMaster,
  runOnMinion,
  untilAnswers,
} from './real-salt.ts';

/** A module of our own for the real minion: values that are hard to carry. */
const ODD_MODULE = `
import datetime

def values():
    return {
        1: "one", "10": 10.0, "pi": 3.5, "zero": -0.0, "none": None, "text": "gr\\u00fcn \\u2603",
        "big": 2**70, "least": -(2**63), "most": 2**64 - 1, "raw": b"\\xff\\xfe", True: False,
        "deep": {2: [1.0, {None: []}]}, "pair": (1, 2), "empty": {},
        "when": datetime.datetime(2024, 1, 2, 3, 4, 5, 678901),
    }
`;
const ODD_VALUES =
  "{'r1': {1: False, '10': 10.0, 'pi': 3.5, 'zero': -0.0, 'none': None, 'text': 'grün ☃', 'big': '1180591620717411303424', " +
  "'least': -9223372036854775808, 'most': 18446744073709551615, 'raw': b'\\xff\\xfe', " +
  "'deep': {2: [1.0, {None: []}]}, 'pair': [1, 2], 'empty': {}, 'when': datetime.datetime(2024, 1, 2, 3, 4, 5, 678901)}}\n";

interop('a real minion joins our master and answers', async (t, real) => {
  const fleet = await createFleet(t);
  await fleet.startMaster();
  const bus = await BusWatch.open(t, fleet);
  writeModule(fleet, 'r1', 'odd', ODD_MODULE);
  const minion = await joinThroughPending(fleet, 'r1', { minion: real, keys: ours });
  await untilAnswers(fleet, 'r1', ours);
  assert.equal((await bus.event('salt/minion/r1/start')).get('id'), 'r1');

  await t.test('commands', () => commandsAnswer(fleet));
  await t.test('values keep their types', async () => {
    const command = ['r1', 'odd.values', '--out', 'raw'];
    const [own, theirs] = await Promise.all([fleet.salt(command), fleet.salt(command, real)]);
    assert.equal(own.stdout, ODD_VALUES);
    assert.equal(theirs.stdout, ODD_VALUES);
  });
  await t.test('functions that ask the master', () => requestsAreServed(fleet, bus, real));
  await t.test('a running job is found and killed', () => jobIsKilled(fleet));
  await t.test('the master restarts', () => masterRestarts(t, fleet, minion));
});

interop(
  'a real minion is accepted by the real salt-key on our master, and follows a new key',
  async (t, real) => {
    const fleet = await createFleet(t);
    await fleet.startMaster();
    const bus = await BusWatch.open(t, fleet);
    await joinThroughPending(fleet, 'r1', { minion: real, keys: real });
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')), ['r1']);
    const other = await joinThroughPending(fleet, 'r2', { minion: ours, keys: real });
    await untilAnswers(fleet, 'r1', ours);
    await other.stop();
    const deleted = await fleet.run('salt-key', ['-y', '-d', 'r2'], real);
    assert.match(deleted.stdout, /Key for minion r2 deleted/);
    await bus.event('key');
    await untilAnswers(fleet, 'r1', ours);
    assert.deepEqual(namesIn(fleet.path('m', 'pki', 'minions')), ['r1']);
  },
);

function writeModule(fleet: Fleet, id: string, name: string, text: string): void {
  const folder = fleet.path(id, 'cache', 'extmods', 'modules');
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.py`, text);
}

async function commandsAnswer(fleet: Fleet): Promise<void> {
  const [listing, all, grains, several, unknown] = await Promise.all([
    fleet.json(['r1', 'cmd.run', 'ls /']),
    fleet.json(['r1', 'cmd.run_all', 'echo out; echo err >&2; exit 3', 'python_shell=True']),
    fleet.json(['r1', 'grains.items']),
    fleet.json(['r1', 'test.ping,cmd.run,test.echo', ',', 'echo there', ',', 'hello']),
    fleet.salt(['r1', 'no.such']),
  ]);
  assert.match(String(listing['r1']), /^bin$/m);
  const { pid, ...rest } = all['r1'] as Record<string, unknown>;
  assert.equal(typeof pid, 'number');
  assert.deepEqual(rest, { retcode: 3, stdout: 'out', stderr: 'err' });
  assert.equal((grains['r1'] as Record<string, unknown>)['id'], 'r1');
  assert.deepEqual(several['r1'], { 'test.ping': true, 'cmd.run': 'there', 'test.echo': 'hello' });
  assert.match(unknown.stdout, /'no\.such' is not available\./);
  assert.equal(unknown.code, 1);
  for (const target of [
    ['-L', 'r1,gone'],
    ['-E', 'r\\d'],
    ['-G', 'kernel:Linux'],
    ['-C', 'G@kernel:Linux and not x*'],
  ]) {
    const { stdout } = await fleet.salt(['-t', '3', '--out', 'txt', ...target, 'test.ping']);
    assert.match(stdout, /^r1: True$/m, `target ${target.join(' ')}`);
  }
}

/** Returns of salt-call, events, pillar, grains refresh and the mine. */
async function requestsAreServed(fleet: Fleet, bus: BusWatch, real: Programs): Promise<void> {
  const call = (...args: string[]): ReturnType<typeof runOnMinion> =>
    runOnMinion(fleet, 'r1', real, ['salt-call', '--out', 'json', ...args]);
  const echoed = await call('test.echo', 'from the minion');
  assert.deepEqual(JSON.parse(echoed.stdout), { local: 'from the minion' }, echoed.stderr);
  const returned = await bus.event(/^salt\/job\/\d{20}\/ret\/r1$/);
  assert.equal(returned.get('id'), 'r1');
  await until('the return of salt-call is on the bus', () =>
    bus.events.some(
      (event) => event.tag.endsWith('/ret/r1') && event.data.get('return') === 'from the minion',
    ),
  );
  const fired = await call('event.send', 'my/own/tag', '{a: 1, b: grün}');
  assert.deepEqual(JSON.parse(fired.stdout), { local: true });
  const event = await bus.event('my/own/tag');
  assert.equal(event.get('id'), 'r1');
  const data = event.get('data') as Map<string, unknown>;
  assert.equal(data.get('a'), 1);
  assert.equal(data.get('b'), 'grün');
  const answers = await fleet.json(['r1', 'pillar.items']);
  assert.deepEqual(answers['r1'], {});
  assert.deepEqual((await fleet.json(['r1', 'saltutil.refresh_pillar']))['r1'], true);
  const mine = await fleet.salt(['r1', 'mine.send', 'test.ping']);
  assert.match(mine.stdout, /^r1:/);
  assert.equal((await fleet.json(['r1', 'test.ping']))['r1'], true);
}

async function jobIsKilled(fleet: Fleet): Promise<void> {
  const { stdout } = await fleet.salt(['--async', 'r1', 'cmd.run', 'sleep 600']);
  const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
  await until('the job runs', () => namesIn(fleet.path('r1', 'cache', 'proc')).includes(jid));
  const found = (await fleet.json(['r1', 'saltutil.find_job', jid]))['r1'] as Record<string, unknown>;
  assert.equal(found['jid'], jid);
  assert.equal(found['fun'], 'cmd.run');
  const killed = (await fleet.json(['r1', 'saltutil.kill_job', jid]))['r1'];
  assert.match(String(killed), /Signal 9 sent to job/);
  assert.deepEqual((await fleet.json(['r1', 'saltutil.find_job', jid]))['r1'], {});
}

/** A restarted master has another shared key: the minion finds out and authenticates anew without another hand. */
async function masterRestarts(t: TestContext, fleet: Fleet, minion: Daemon): Promise<void> {
  await restartMaster(fleet, ours);
  const bus = await BusWatch.open(t, fleet);
  await untilAnswers(fleet, 'r1', ours);
  assert.equal((await bus.event('salt/auth')).get('act'), 'accept');
  assert.equal(minion.child.exitCode, null);
}
