import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { UnreachableError } from '../../src/errors/errors.ts';
import { systemClock } from '../../src/host/clock.ts';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import { Attacker, returnOf } from '../support/attacker.ts';
import { startBothWorkers } from '../support/both-workers.ts';
import { Fleet, until, type Daemon } from '../support/fleet.ts';
import { halt } from '../support/halt.ts';

const isLong = process.env['BRINE_LONG'] === '1';
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** Minions that hand in one return after the other until they are stopped. */
class ReturnStream {
  readonly acknowledged: { jid: string; id: string }[] = [];
  retries = 0;
  #stopped = false;
  #next = 0;
  readonly #done: Promise<unknown>;

  constructor(senders: readonly Attacker[]) {
    this.#done = Promise.all(senders.map((sender) => this.#run(sender)));
  }

  /** Resolves when so many more have been acknowledged. */
  async progress(count: number): Promise<void> {
    const goal = this.acknowledged.length + count;
    await until(`${count} more returns are acknowledged`, () => this.acknowledged.length >= goal);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #run(sender: Attacker): Promise<void> {
    while (!this.#stopped) {
      const jid = `20261121${String(++this.#next).padStart(12, '0')}`;
      await this.#deliver(sender, jid);
      this.acknowledged.push({ jid, id: sender.id });
    }
  }

  async #deliver(sender: Attacker, jid: string): Promise<void> {
    for (;;) {
      try {
        if ((await sender.call(returnOf(jid))) === null) return;
      } catch (error) {
        const isSessionOver = String(error).includes('an open reply');
        if (!(error instanceof UnreachableError) && !isSessionOver) throw error;
        // as a minion does
        if (isSessionOver) await sender.authenticate().catch(() => undefined);
      }
      this.retries++;
      await systemClock.sleep(10);
    }
  }
}

async function senders(t: TestContext, fleet: Fleet, count: number): Promise<Attacker[]> {
  const out = Array.from({ length: count }, (_, i) => new Attacker(t, `sender${i}`, fleet.retPort, 'sender'));
  for (const each of out) assert.equal((await each.authenticate()).kind, 'accepted');
  return out;
}

/** The returns that were acknowledged and are not in the job cache. */
async function missing(
  fleet: Fleet,
  acknowledged: readonly { jid: string; id: string }[],
): Promise<string[]> {
  const store = new SqliteJobStore({ directory: fleet.path('m', 'cache', 'job_cache'), readOnly: true });
  const out: string[] = [];
  for (const { jid, id } of acknowledged) {
    const found = (await store.returns(jid)).filter((ret) => ret.id === id);
    if (found.length !== 1) out.push(`${jid} of ${id}: ${found.length} times`);
  }
  await store.close();
  return out;
}

/** What each part says when it can do its work again. */
const READY: readonly (readonly [title: string, line: string])[] = [
  ['salt-master EventPublisher', 'Starting the Salt Event Publisher'],
  ['salt-master PubServer', 'Starting the Salt Puller'],
  ['salt-master Maintenance', 'Maintenance is ready'],
  ['salt-master ReqServer MWorkerQueue', 'Setting up the master communication server'],
  ['salt-master ReqServer MWorker-0', 'Worker 0 is ready'],
  ['salt-master ReqServer MWorker-1', 'Worker 1 is ready'],
];

function pidOf(master: Daemon, title: string): number {
  const pid = master.children().get(title);
  if (pid === undefined)
    throw new Error(`there is no ${title} in ${[...master.children().keys()].join(', ')}`);
  return pid;
}

test(
  'faults - kill -9 of each part under load loses no acknowledged return',
  { timeout: 120_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    const master = await fleet.startMaster();
    await fleet.joinMinion('web');
    const stream = new ReturnStream(await senders(t, fleet, 6));
    await startBothWorkers(master, () => stream.progress(50));
    for (const [title, line] of READY) {
      const before = master.log.split(line).length - 1;
      const killed = pidOf(master, title);
      const startMs = systemClock.monotonicMs();
      process.kill(killed, 'SIGKILL');
      await master.logged(line, before + 1);
      const tookMs = Math.round(systemClock.monotonicMs() - startMs);
      t.diagnostic(`${title} was back after ${tookMs} ms`);
      assert.ok(tookMs < 3000, `${title} was away for ${tookMs} ms`);
      assert.notEqual(pidOf(master, title), killed);
      await stream.progress(50);
      assert.deepEqual(await fleet.json(['web', 'test.ping']), { web: true }, `after the death of ${title}`);
    }
    await stream.stop();
    t.diagnostic(`${stream.acknowledged.length} returns were acknowledged, after ${stream.retries} retries`);
    assert.deepEqual(await missing(fleet, stream.acknowledged), []);
    assert.equal(master.children().size, 6);
  },
);

test(
  'faults - the main process killed leaves no orphan; SIGTERM ends everything in order',
  { timeout: 60_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    const master = await fleet.startMaster();
    await until('the pid file is there', () => existsSync(fleet.path('m', 'pid')));
    const orphans = [...master.children().values()];
    assert.equal(orphans.length, 5);
    const stream = new ReturnStream(await senders(t, fleet, 2));
    await stream.progress(20);
    await master.stop('SIGKILL');
    await until('every part has ended', () => !orphans.some(isAlive));
    const again = await fleet.startMaster();
    await stream.progress(20);
    await until('the pid file is there', () => existsSync(fleet.path('m', 'pid')));
    const parts = [...again.children().values()];
    const ended = again.stop('SIGTERM');
    assert.equal(await ended, 0);
    assert.deepEqual(parts.filter(isAlive), []);
    assert.equal(existsSync(fleet.path('m', 'pid')), false);
    assert.ok(again.log.includes('The salt master is shutdown. Master received a SIGTERM. Exited.'));
    await fleet.startMaster();
    await stream.progress(5);
    await stream.stop();
    assert.deepEqual(await missing(fleet, stream.acknowledged), []);
  },
);

test('faults - a worker that hangs holds up nobody for long', { timeout: 90_000 }, async (t) => {
  const fleet = await Fleet.create(t, ['auto_accept: True']);
  const master = await fleet.startMaster();
  await fleet.joinMinion('web');
  const all = await senders(t, fleet, 8);
  const hung = pidOf(master, 'salt-master ReqServer MWorker-0');
  halt(hung);
  t.after(() => isAlive(hung) && process.kill(hung, 'SIGCONT'));
  const deliver = async (sender: Attacker, jid: string): Promise<void> => {
    for (let attempt = 0; attempt < 4; attempt++) {
      const reply = await sender.send(sender.request(returnOf(jid)), 3000).catch(() => undefined);
      if (reply instanceof Uint8Array) return;
      if (reply === 'bad load') await sender.authenticate();
    }
    assert.fail(`${sender.id} was never served`);
  };
  await Promise.all(all.map((sender, i) => deliver(sender, `2026112200000000000${i}`)));
  assert.ok(isAlive(hung));
  const answer = fleet.json(['web', 'test.ping', '-t', '20']);
  assert.deepEqual(await answer, { web: true });
  if (isLong) {
    await master.logged('gives no sign of life');
    await until(
      'another worker is there',
      () => (master.children().get('salt-master ReqServer MWorker-0') ?? hung) !== hung,
    );
  } else process.kill(hung, 'SIGCONT');
  await Promise.all(all.map((sender, i) => deliver(sender, `2026112300000000000${i}`)));
});

test(
  'faults - a job cache that hangs is started anew, and nothing is acknowledged before',
  { skip: !isLong, timeout: 90_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    const master = await fleet.startMaster();
    const stream = new ReturnStream(await senders(t, fleet, 4));
    await stream.progress(20);
    halt(pidOf(master, 'salt-master Maintenance'));
    await master.logged('gives no sign of life');
    await stream.progress(20);
    await stream.stop();
    assert.deepEqual(await missing(fleet, stream.acknowledged), []);
  },
);
