/**
 * A minion with several masters: one is killed, one stands still, one has another key; it answers whichever is left.
 */
import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import { Fleet, namesIn, until, type Daemon } from '../support/fleet.ts';
import { copyKey, signalTree, startMasters, type OneOfMany } from '../support/masters.ts';

/** Asks until the minion answers. */
async function answers({ fleet }: OneOfMany, id = 'far', attempts = 20): Promise<void> {
  let last = '';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { stdout } = await fleet.salt([id, 'test.ping', '--out', 'txt', '-t', '2']);
    if (stdout === `${id}: True\n`) return;
    last = stdout;
  }
  assert.fail(`${id} does not answer: ${last}`);
}

test(
  'faults - two masters at once: one killed, one standing still, one with a changed key, in turn',
  { timeout: 300_000 },
  async (t) => {
    const [a, b] = (await startMasters(t, 2)) as [OneOfMany, OneOfMany];
    const minion = await a.fleet.joinMinion('far', [
      `master: ['${a.address}', '${b.address}']`,
      'return_retry_timer: 1',
      'return_retry_timer_max: 2',
    ]);
    await minion.logged('Minion is ready to receive requests', 2);
    await answers(a);
    await answers(b);

    await t.test('the first is killed: the other is answered at once; the first recovers', async () => {
      await (a.fleet.master as Daemon).stop('SIGKILL');
      await answers(b, 'far', 1);
      await a.fleet.startMaster();
      await answers(a);
      await answers(b, 'far', 1);
    });

    await t.test('the second is killed, and a job of the first runs meanwhile', async () => {
      await (b.fleet.master as Daemon).stop('SIGKILL');
      await answers(a, 'far', 1);
      await b.fleet.startMaster();
      await answers(b);
    });

    await t.test(
      'one stands still: the other is answered at once; it is noticed, and mends itself',
      async () => {
        const master = a.fleet.master as Daemon;
        signalTree(master, 'SIGSTOP');
        try {
          await answers(b, 'far', 1);
          await minion.logged('the peer gives no sign of life');
          await answers(b, 'far', 1);
        } finally {
          signalTree(master, 'SIGCONT');
        }
        await answers(a);
        await answers(b, 'far', 1);
      },
    );

    await t.test(
      'one has another key: it is not trusted, the other is answered; with its key it is back',
      async () => {
        await (b.fleet.master as Daemon).stop();
        for (const name of ['master.pem', 'master.pub'])
          renameSync(b.fleet.path('m', 'pki', name), b.fleet.path('m', `${name}.kept`));
        await b.fleet.startMaster();
        await minion.logged(`The master at ${b.address} could not be trusted`);
        await answers(a, 'far', 1);
        const asked = await b.fleet.salt(['far', 'test.ping', '-t', '2']);
        assert.doesNotMatch(asked.stdout, /True/);
        await (b.fleet.master as Daemon).stop();
        copyKey(a.fleet, b.fleet);
        await b.fleet.startMaster();
        await answers(b);
        await answers(a, 'far', 1);
      },
    );

    await t.test(
      'one rejects the minion: it stays with the other, and comes back once it is accepted',
      async () => {
        await b.fleet.run('salt-key', ['-y', '-d', 'far']);
        b.fleet.configureMaster(['auto_accept: False']);
        await (b.fleet.master as Daemon).stop();
        await b.fleet.startMaster();
        await minion.logged('has cached the public key');
        await b.fleet.run('salt-key', ['-y', '-r', 'far']);
        await minion.logged("has rejected this minion's public key");
        await answers(a, 'far', 1);
        assert.doesNotMatch(minion.log, /will now exit/);
        await b.fleet.run('salt-key', ['-y', '--include-rejected', '-a', 'far']);
        await answers(b);
      },
    );

    await t.test('returns go to the master that asked, and wait for it', async () => {
      const { stdout } = await b.fleet.salt([
        '--async',
        'far',
        'cmd.run',
        'sleep 2; echo late',
        'python_shell=True',
      ]);
      const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
      await (b.fleet.master as Daemon).stop('SIGKILL');
      await minion.logged(`failed to take the return of job ${jid}`);
      await answers(a, 'far', 1);
      const again = await b.fleet.startMaster();
      await again.logged(`Got return from far for job ${jid}`);
      // acknowledged is what is committed
      await until(
        'nothing waits on disk',
        () => namesIn(a.fleet.path('far', 'cache', 'returns')).length === 0,
      );
      for (const [fleet, count] of [
        [a.fleet, 0],
        [b.fleet, 1],
      ] as const) {
        const store = new SqliteJobStore({
          directory: fleet.path('m', 'cache', 'job_cache'),
          readOnly: true,
        });
        assert.equal((await store.returns(jid)).length, count);
        await store.close();
      }
    });
    assert.equal(minion.child.exitCode, null);
  },
);

test(
  'faults - failover: the next master is served when one is gone, the first when it is back; returns of the lost one wait',
  { timeout: 300_000 },
  async (t) => {
    const [a, b] = (await startMasters(t, 2)) as [OneOfMany, OneOfMany];
    const minion = await a.fleet.joinMinion('far', [
      `master: ['${a.address}', '${b.address}']`,
      'master_type: failover',
      'master_alive_interval: 1',
      'master_failback: True',
      'master_failback_interval: 1',
      'auth_timeout: 2',
      'return_retry_timer: 1',
      'return_retry_timer_max: 2',
    ]);
    await answers(a);
    const nobody = await b.fleet.salt(['far', 'test.ping', '-t', '2']);
    assert.doesNotMatch(nobody.stdout, /True/);

    const { stdout } = await a.fleet.salt([
      '--async',
      'far',
      'cmd.run',
      'sleep 2; echo late',
      'python_shell=True',
    ]);
    const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
    await (a.fleet.master as Daemon).stop('SIGKILL');
    await minion.logged(`Connection to master ${a.address} lost`);
    await answers(b);
    const again = await a.fleet.startMaster();
    await again.logged(`Got return from far for job ${jid}`);
    await minion.logged(`Master ${a.address} is back`);
    await answers(a);

    signalTree(again, 'SIGSTOP');
    try {
      await minion.logged(`Connection to master ${a.address} lost`, 2);
      await answers(b);
    } finally {
      signalTree(again, 'SIGCONT');
    }
    await minion.logged(`Master ${a.address} is back`, 2);
    await answers(a);
    assert.equal(minion.child.exitCode, null);
  },
);

test(
  'faults - a minion whose key is rejected ends with 77, before it was accepted and while it runs; with rejected_retry it stays',
  { timeout: 180_000 },
  async (t) => {
    const fleet = await Fleet.create(t);
    await fleet.startMaster();
    const minion = fleet.startMinion('far');
    const stays = fleet.startMinion('stays', ['rejected_retry: True']);
    for (const one of [minion, stays]) await one.logged('has cached the public key');
    await fleet.run('salt-key', ['-y', '-A']);
    for (const one of [minion, stays]) await one.logged('Minion is ready to receive requests');
    await fleet.run('salt-key', ['-y', '--include-accepted', '-R']);
    await (fleet.master as Daemon).stop();
    await fleet.startMaster(); // so that they authenticate anew
    await minion.logged('The Salt Minion will now exit');
    assert.equal(await minion.exited, 77);
    await stays.logged('will attempt to re-authenicate');
    const early = fleet.start('salt-minion', ['-c', fleet.path('far'), '-l', 'info']);
    assert.equal(await early.exited, 77);
    assert.match(early.log, /has rejected this minion's public key/);
    await fleet.run('salt-key', ['-y', '--include-rejected', '-a', 'stays']);
    await answers({ fleet, address: '' }, 'stays');
    rmSync(fleet.path('far'), { recursive: true });
  },
);
