/** A master of a cluster that is taken out of service in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import {
  CHOICE_MS,
  killMaster,
  startMembers,
  startNats,
  untilAllAnswer,
  type MemberMaster,
} from '../support/cluster/stage.ts';
import { namesIn, until } from '../support/fleet.ts';

const skip = missingServers(['nats']).length > 0 ? 'did not run: nats-server is not installed' : false;

test('faults - a master that is drained gives its minions away', { skip, timeout: 120_000 }, async (t) => {
  const members = await startMembers(t, await startNats(t, 1), ['a', 'b']);
  const [a, b] = members.map(({ fleet }) => fleet);
  assert.ok(a !== undefined && b !== undefined);
  const masters = [b, a].map(({ retPort }) => `'127.0.0.1:${retPort}'`).join(', ');
  const words = [`master: [${masters}]`, 'master_type: failover', 'master_alive_interval: 1'];
  const minion = a.startMinion('mover', words);
  await until('the key waits', () => namesIn(a.path('m', 'pki', 'minions_pre')).includes('mover'));
  await a.run('salt-key', ['-y', '-a', 'mover']);
  await minion.logged('Minion is ready to receive requests');
  await untilAllAnswer(a, ['mover'], CHOICE_MS);
  // two of them: one that runs while its minion leaves its master, one that is given while it is on its way
  const running = a.run('salt', ['mover', 'test.sleep', '4', '--out=json']);
  await minion.logged('Executing command test.sleep');
  const drained = await b.run('salt-run', ['cluster.drain']);
  assert.match(drained.stdout, /The master b takes no minions any more, and has let go of 1 connections\./);
  await minion.logged('Minion is ready to receive requests', 2);
  assert.deepEqual(JSON.parse((await running).stdout), { mover: true }, 'the job that ran meanwhile');
  for (const fleet of [a, b]) await untilAllAnswer(fleet, ['mover'], CHOICE_MS);
  const status = JSON.parse((await a.run('salt-run', ['cluster.status', '--out=json'])).stdout) as {
    readonly members: Record<string, { readonly draining: boolean; readonly duty: boolean }>;
  };
  assert.deepEqual(
    Object.entries(status.members).map(([name, { draining, duty }]) => [name, draining, duty]),
    [
      ['a', false, true],
      ['b', true, false],
    ],
  );
  await b.master?.stop();
  await untilAllAnswer(a, ['mover'], CHOICE_MS);
  const alone = await a.run('salt-run', ['cluster.drain']);
  assert.match(alone.stdout + alone.stderr, /would have nowhere to go\. Nothing was done/);
  await b.startMaster();
  const { stdout } = await a.run('salt-run', ['cluster.status', '--out=json']);
  assert.equal((JSON.parse(stdout) as typeof status).members['b']?.draining, false, 'a new start ends it');

  process.kill(minion.child.pid ?? 0, 'SIGSTOP');
  await killMaster(members[0] as MemberMaster);
  const given = b.run('salt', ['mover', 'test.ping', '--out=json']);
  await b.master?.logged('Published command test.ping');
  process.kill(minion.child.pid ?? 0, 'SIGCONT');
  assert.deepEqual(JSON.parse((await given).stdout), { mover: true }, 'the job that was given meanwhile');
});
