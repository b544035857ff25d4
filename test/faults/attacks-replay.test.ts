import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { Attacker, returnOf } from '../support/attacker.ts';
import { startBothWorkers } from '../support/both-workers.ts';
import { Fleet, until, type Daemon } from '../support/fleet.ts';

const WORKER = 'salt-master ReqServer MWorker-';
const QUEUE = 'salt-master ReqServer MWorkerQueue';

/** A master whose parts can be stopped and killed, and a minion whose requests are recorded. */
class Stage {
  readonly fleet: Fleet;
  master: Daemon;
  readonly victim: Attacker;
  readonly recorded: Buffer[] = [];
  #serial = 0;

  private constructor(fleet: Fleet, master: Daemon, victim: Attacker) {
    this.fleet = fleet;
    this.master = master;
    this.victim = victim;
  }

  static async set(t: TestContext): Promise<Stage> {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    const master = await fleet.startMaster();
    const victim = new Attacker(t, 'victim', fleet.retPort);
    assert.equal((await victim.authenticate()).kind, 'accepted');
    const stage = new Stage(fleet, master, victim);
    await startBothWorkers(master, () =>
      victim.send(victim.request(returnOf('20261121000000000555')), 60_000),
    );
    return stage;
  }

  /** A request of the victim that is served, and recorded on the way. */
  async served(): Promise<void> {
    const request = this.victim.request(
      returnOf(`2026112100000000${String(++this.#serial).padStart(4, '0')}`),
    );
    assert.notEqual(await this.victim.send(request, 60_000), 'bad load');
    this.recorded.push(request);
  }

  /** Plays everything that was recorded once more. */
  async replay(when: string): Promise<void> {
    for (const [index, request] of this.recorded.entries())
      assert.equal(await this.victim.send(request, 60_000), 'bad load', `request ${index}, ${when}`);
  }

  workers(): number[] {
    return [...this.master.children()].filter(([name]) => name.startsWith(WORKER)).map(([, pid]) => pid);
  }

  pid(name: string): number {
    const pid = this.master.children().get(name);
    assert.ok(pid !== undefined, `${name} runs`);
    return pid;
  }

  /** Its session may have ended: whatever the master says, it authenticates and goes on. */
  async goesOn(): Promise<void> {
    assert.equal((await this.victim.authenticate()).kind, 'accepted');
    await this.served();
  }
}

test(
  'attacks - a recorded request is refused when its worker stalls, by its stand-in, and when it is back',
  { timeout: 180_000 },
  async (t) => {
    const stage = await Stage.set(t);
    await stage.served();
    await stage.replay('at once');
    for (const pid of stage.workers()) {
      process.kill(pid, 'SIGSTOP');
      try {
        // whoever has the victim's requests: a stalled worker keeps what it has, and the next request gets a stand-in
        const kept = stage.victim.send(stage.victim.request(returnOf('20261121000000999999')), 60_000);
        const first = await Promise.race([kept, systemClock.sleep(4_000).then(() => 'stalled')]);
        await stage.served();
        await stage.replay(
          first === 'stalled' ? 'at the stand-in of a stalled worker' : 'beside a stalled worker',
        );
        process.kill(pid, 'SIGCONT');
        assert.notEqual(await kept, 'bad load', 'what a stalled worker had is served when it is back');
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await stage.served();
      await stage.replay('when the worker is back');
    }
  },
);

test(
  'attacks - a recorded request is refused after its worker, the queue or the master was killed',
  { timeout: 180_000 },
  async (t) => {
    const stage = await Stage.set(t);
    await stage.served();
    for (const pid of stage.workers()) {
      process.kill(pid, 'SIGKILL');
      await stage.replay('right after a worker was killed');
      await until('the worker is back', () => stage.workers().length === 2 && !stage.workers().includes(pid));
      await stage.goesOn();
      await stage.replay('with another worker');
    }
    const queue = stage.pid(QUEUE);
    process.kill(queue, 'SIGKILL');
    await until('the queue is back', () => (stage.master.children().get(QUEUE) ?? queue) !== queue);
    await stage.replay('after the queue was killed');
    await stage.goesOn();
    await stage.replay('after the queue was killed and the victim authenticated');
    await stage.master.stop('SIGKILL');
    stage.master = await stage.fleet.startMaster();
    await stage.replay('after the master was killed');
    await stage.goesOn();
    await stage.replay('after the master was killed and the victim authenticated');
  },
);

test(
  'attacks - a request that a worker took to its death is not served to whoever recorded it',
  { timeout: 120_000 },
  async (t) => {
    const stage = await Stage.set(t);
    await stage.served();
    const workers = stage.workers();
    for (const pid of workers) process.kill(pid, 'SIGSTOP');
    const request = stage.victim.request(returnOf('20261121000000000777'));
    const lost = stage.victim.send(request, 60_000);
    assert.equal(await stage.victim.send(request, 60_000), 'bad load', 'it is under way');
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    assert.equal(await lost, 'Some exception handling minion payload');
    await until('the workers are back', () => stage.workers().length === 2);
    assert.equal(await stage.victim.send(request, 60_000), 'bad load');
    await stage.goesOn();
  },
);
