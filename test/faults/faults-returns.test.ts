/**
 * Returns that meet a dead master, a dead network or a dead minion: each is in the job cache exactly once in the end.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import { Fleet, namesIn, until, type Daemon } from '../support/fleet.ts';
import { Wire } from '../support/wire.ts';

const isLong = process.env['BRINE_LONG'] === '1';
const JOBS = 100;

/** Publishes jobs that wait for the file `gate` before they return their number. @returns their jids */
async function publish(fleet: Fleet, count: number, gate: string): Promise<string[]> {
  const jids: string[] = [];
  const one = async (index: number): Promise<void> => {
    const command = `echo run >> ${fleet.path(`ran${index}`)}; while [ ! -e ${gate} ]; do sleep 0.2; done; echo ${index}`;
    const { stdout, stderr } = await fleet.salt(['--async', 'far', 'cmd.run', command, 'python_shell=True']);
    const jid = /job ID: (\d{20})/.exec(stdout)?.[1];
    assert.ok(jid !== undefined, stderr);
    jids[index] = jid;
  };
  for (let index = 0; index < count; index += 4)
    await Promise.all([0, 1, 2, 3].filter((i) => index + i < count).map((i) => one(index + i)));
  return jids;
}

/** How many returns the job cache has of each job, with what they said. */
async function cached(fleet: Fleet, jids: readonly string[]): Promise<string[][]> {
  const store = new SqliteJobStore({ directory: fleet.path('m', 'cache', 'job_cache'), readOnly: true });
  try {
    return await Promise.all(
      jids.map(async (jid) =>
        (await store.returns(jid)).map(({ id, return: value }) => `${id}: ${String(value)}`),
      ),
    );
  } finally {
    await store.close();
  }
}

async function eachOnce(fleet: Fleet, jids: readonly string[]): Promise<void> {
  await until('nothing waits on disk', () => waiting(fleet) === 0);
  assert.deepEqual(
    await cached(fleet, jids),
    jids.map((_, index) => [`far: ${index}`]),
  );
  for (const index of jids.keys()) assert.equal(readFileSync(fleet.path(`ran${index}`), 'utf8'), 'run\n');
}

function waiting(fleet: Fleet): number {
  return namesIn(fleet.path('far', 'cache', 'returns')).length;
}

function running(fleet: Fleet): number {
  return namesIn(fleet.path('far', 'cache', 'proc')).length;
}

async function open(fleet: Fleet, gate: string): Promise<void> {
  fleet.write(fleet.folder, gate, ['']);
}

async function fleetBehindWires(t: TestContext): Promise<{ fleet: Fleet; wires: Wire[]; minion: Daemon }> {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  await fleet.startMaster();
  const wires = [await Wire.to(t, fleet.retPort), await Wire.to(t, fleet.publishPort)];
  const minion = await fleet.joinMinion('far', [
    `master_port: ${(wires[0] as Wire).port}`,
    `publish_port: ${(wires[1] as Wire).port}`,
    'return_retry_timer: 1',
    'return_retry_timer_max: 2',
  ]);
  return { fleet, wires, minion };
}

test('faults - the master is killed in the middle of a hundred returns', { timeout: 180_000 }, async (t) => {
  const { fleet } = await fleetBehindWires(t);
  const jids = await publish(fleet, JOBS, fleet.path('gate'));
  await until('all jobs run', () => running(fleet) === JOBS);
  await open(fleet, 'gate');
  // some returns are committed, others under way, others not yet made
  await (fleet.master as Daemon).logged('Got return from far', 10);
  await (fleet.master as Daemon).stop('SIGKILL');
  await until('all jobs have ended', () => running(fleet) === 0);
  assert.ok(waiting(fleet) > 0, 'the master was killed too late for this test');
  await fleet.startMaster();
  await eachOnce(fleet, jids);
});

test(
  "faults - the minion's network is gone while its jobs return",
  { timeout: isLong ? 600_000 : 180_000 },
  async (t) => {
    const { fleet, wires, minion } = await fleetBehindWires(t);
    const jids = await publish(fleet, 20, fleet.path('gate'));
    await until('all jobs run', () => running(fleet) === 20);
    for (const wire of wires) wire.cut();
    await open(fleet, 'gate');
    await until('every return waits on disk', () => running(fleet) === 0 && waiting(fleet) === 20);
    if (isLong) for (let minute = 0; minute < 5; minute++) await t.test(`minute ${minute}`, () => aMinute());
    else await minion.logged('failed to take the return of job', 10);
    for (const wire of wires) wire.mend();
    await eachOnce(fleet, jids);
  },
);

test(
  'faults - the minion is killed while returns wait for a master that is away',
  { timeout: 180_000 },
  async (t) => {
    const { fleet, minion } = await fleetBehindWires(t);
    const jids = await publish(fleet, 20, fleet.path('gate'));
    await until('all jobs run', () => running(fleet) === 20);
    await (fleet.master as Daemon).stop('SIGKILL');
    await open(fleet, 'gate');
    await until('every return waits on disk', () => running(fleet) === 0 && waiting(fleet) === 20);
    await minion.stop('SIGKILL');
    assert.equal(waiting(fleet), 20);
    // once more, before it could send anything
    const second = fleet.start('salt-minion', ['-c', fleet.path('far'), '-l', 'info']);
    await second.logged('did not answer the authentication');
    await second.stop('SIGKILL');
    assert.equal(waiting(fleet), 20);
    const third = fleet.start('salt-minion', ['-c', fleet.path('far'), '-l', 'info']);
    await fleet.startMaster();
    await third.logged('Minion is ready to receive requests');
    await eachOnce(fleet, jids);
  },
);

/** The network is away for a real time: there is nothing to wait for but the clock. */
async function aMinute(): Promise<void> {
  const { systemClock } = await import('../../src/host/clock.ts');
  await systemClock.sleep(60_000);
}
