import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import { Fleet, namesIn, until, type Daemon } from '../support/fleet.ts';
import { bothWays, cachedOutcome, receipts } from '../support/ledger.ts';
import { Wire } from '../support/wire.ts';

const isLong = process.env['BRINE_LONG'] === '1';

async function behindWires(
  t: TestContext,
  fleet: Fleet,
  id: string,
): Promise<{ wires: Wire[]; minion: Daemon }> {
  const wires = [await Wire.to(t, fleet.retPort), await Wire.to(t, fleet.publishPort)] as const;
  const { retPort } = fleet;
  fleet.retPort = wires[0].port;
  const minion = fleet.startMinion(id, [`publish_port: ${wires[1].port}`]);
  fleet.retPort = retPort;
  await minion.logged('Minion is ready to receive requests');
  return { wires: [...wires], minion };
}

/** Asks until the minion answers: a publication that was sent while it was away is nobody's fault. */
async function answers(fleet: Fleet, id: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const { stdout } = await fleet.salt([id, 'test.ping', '--out', 'txt', '-t', '2']);
    if (stdout === `${id}: True\n`) return;
  }
  assert.fail(`${id} does not answer any more`);
}

test(
  'faults - a lost network, a lost master and a lost minion mend themselves',
  { timeout: 120_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    await fleet.startMaster();
    const { wires, minion } = await behindWires(t, fleet, 'far');
    const [requests, publications] = wires as [Wire, Wire];
    await answers(fleet, 'far');

    await t.test('both connections are cut, and mended', async () => {
      for (const wire of wires) wire.cut();
      await minion.logged("connection to the master's publish port was lost");
      for (const wire of wires) wire.mend();
      await minion.logged('Connected to the master again');
      await answers(fleet, 'far');
    });

    await t.test('a job under way, and one that comes meanwhile, tell the cut', async () => {
      const args = ['far', 'cmd.run', 'sleep 30'];
      const told = bothWays(fleet, args, 'far', 'connection lost');
      await until('both jobs are acknowledged', () => receipts(fleet) === 2);
      for (const wire of wires) wire.cut();
      const lost = await told;
      assert.match(lost.plain.stdout, /The connection was lost at .* UTC, while the job was under way/);
      assert.match(String(lost.json['far']), /\[Not connected\]/);
      assert.deepEqual([lost.plain.code, lost.strict.code], [1, 3]);
      const never = await bothWays(fleet, ['far', 'test.ping'], 'far', 'never received');
      assert.match(never.plain.stdout, /The connection was lost at .* UTC, before the job was published/);
      assert.deepEqual([never.plain.code, never.strict.code], [1, 3]);
      for (const wire of wires) wire.mend();
      await minion.logged('Connected to the master again', 2);
      await fleet.salt(['far', 'saltutil.kill_all_jobs']);
      await cachedOutcome(fleet, lost.jid, 'far', 'returned late');
      await answers(fleet, 'far');
    });

    await t.test('each alone', async () => {
      publications.cut();
      publications.mend();
      await answers(fleet, 'far');
      requests.cut();
      requests.mend();
      await answers(fleet, 'far');
    });

    await t.test('a return sent while the master was away arrives once, and the job ran once', async () => {
      const gate = fleet.path('gate');
      const ran = fleet.path('ran');
      const command = `echo run >> ${ran}; while [ ! -e ${gate} ]; do sleep 0.05; done; echo done`;
      const { stdout } = await fleet.salt(['--async', 'far', 'cmd.run', command, 'python_shell=True']);
      const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
      await until('the job runs', () => existsSync(ran));
      assert.equal(await (fleet.master as Daemon).stop('SIGKILL'), null);
      writeFileSync(gate, '');
      await until('the job has ended', () => !namesIn(fleet.path('far', 'cache', 'proc')).includes(jid));
      const again = await fleet.startMaster();
      await again.logged(`Got return from far for job ${jid}`);
      await answers(fleet, 'far');
      const store = new SqliteJobStore({ directory: fleet.path('m', 'cache', 'job_cache'), readOnly: true });
      const returns = await store.returns(jid);
      await store.close();
      assert.deepEqual(
        returns.map(({ id, return: value }) => [id, value]),
        [['far', 'done']],
      );
      assert.equal(again.log.split(`Got return from far for job ${jid}`).length - 1, 1);
      assert.equal(readFileSync(ran, 'utf8'), 'run\n');
    });

    await t.test('the master restarts in order, and restarts again at once', async () => {
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await (fleet.master as Daemon).stop(signal);
        await fleet.startMaster();
        await answers(fleet, 'far');
      }
    });

    await t.test('the minion is killed and starts again', async () => {
      await minion.stop('SIGKILL');
      const again = fleet.start('salt-minion', ['-c', fleet.path('far'), '-l', 'info']);
      await again.logged('Minion is ready to receive requests');
      await answers(fleet, 'far');
      assert.equal(await again.stop('SIGTERM'), 0);
      assert.equal(existsSync(fleet.path('far', 'pid')), false);
    });
  },
);

test(
  'faults - a connection that is silently dead is noticed',
  { skip: !isLong, timeout: 120_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True']);
    await fleet.startMaster();
    const { wires, minion } = await behindWires(t, fleet, 'far');
    for (const wire of wires) wire.goDead();
    await minion.logged('the peer gives no sign of life');
    await minion.logged('Connected to the master again');
    await answers(fleet, 'far');
  },
);
