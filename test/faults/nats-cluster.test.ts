/** A cluster of masters on three NATS servers, of which each is killed in turn, and then a master. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import {
  CHOICE_MS,
  killMaster,
  pinged,
  startMembers,
  startNats,
  untilAllAnswer,
  untilComplete,
} from '../support/cluster/stage.ts';
import { namesIn, until } from '../support/fleet.ts';

const skip = missingServers(['nats']).length > 0 ? 'did not run: nats-server is not installed' : false;

test('faults - each NATS server of three and a master are killed', { skip, timeout: 300_000 }, async (t) => {
  const servers = await startNats(t, 3);
  const members = await startMembers(t, servers, ['a', 'b']);
  const [a, b] = members;
  assert.ok(a !== undefined && b !== undefined);
  for (const { name, fleet } of members) {
    const minion = fleet.startMinion(`w${name}`);
    await until('the key waits', () => namesIn(a.fleet.path('m', 'pki', 'minions_pre')).includes(`w${name}`));
    await a.fleet.run('salt-key', ['-y', '-a', `w${name}`]);
    await minion.logged('Minion is ready to receive requests');
  }
  const both = ['wa', 'wb'];
  for (const { fleet } of members) await untilAllAnswer(fleet, both, CHOICE_MS);

  for (const [index, server] of servers.entries()) {
    await server.kill();
    for (const { fleet } of members) {
      const tookMs = await untilAllAnswer(fleet, both, CHOICE_MS);
      t.diagnostic(`without n${index}: all answer after ${tookMs} ms`);
    }
    // nothing waits for the dead server: its readers have been made anew elsewhere
    for (const { fleet } of members) assert.equal(await pinged(fleet), both.join(' '));
    await server.start();
    await untilComplete(servers);
  }

  await killMaster(b);
  await untilAllAnswer(a.fleet, ['wa'], CHOICE_MS);
  const status = await a.fleet.run('salt-run', ['cluster.status', '--out=json']);
  assert.equal(status.code, 0, status.stderr);
  assert.deepEqual(Object.keys((JSON.parse(status.stdout) as { members: object }).members), ['a']);
  const { stdout } = await a.fleet.salt(['wa', 'test.ping', '--out=txt']);
  assert.equal(stdout.trim(), 'wa: True');
});
