/** Minions of ours that are given one master of a cluster, and learn the others from it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import { CHOICE_MS, killMaster, startMembers, startNats, untilAllAnswer } from '../support/cluster/stage.ts';
import { until, type Fleet } from '../support/fleet.ts';

const skip = missingServers(['nats']).length > 0 ? 'did not run: nats-server is not installed' : false;
const IDS = ['w1', 'w2', 'w3', 'w4', 'w5'];

/** Which minions are connected to a master. */
async function connectedTo(fleet: Fleet): Promise<string[]> {
  const { stdout, stderr } = await fleet.run('salt-run', ['manage.list_state', '--out=json']);
  assert.notEqual(stdout, '', stderr);
  return (JSON.parse(stdout) as string[]).sort();
}

test(
  'faults - minions of a cluster: they learn the masters from one, spread themselves, and leave one that drains or dies',
  { skip, timeout: 180_000 },
  async (t) => {
    const members = await startMembers(t, await startNats(t, 1), ['a', 'b'], ['auto_accept: True']);
    const [a, b] = members.map(({ fleet }) => fleet);
    const [first] = members;
    assert.ok(a !== undefined && b !== undefined && first !== undefined);
    const told = [a, b].map(({ retPort }) => `127.0.0.1:${retPort}`).sort();
    for (const fleet of [a, b])
      await until(
        'each knows where both are',
        () => readMasters(fleet.path('m', 'cache', 'cluster', 'masters.json')).join() === told.join(),
      );
    const minions = IDS.map((id) => a.startMinion(id));
    const learned = IDS.map((id) => a.path(id, 'cache', 'masters_learned'));
    for (const path of learned)
      await until('the minion has learned both', () => readMasters(path).sort().join() === told.join());
    await untilAllAnswer(b, IDS, CHOICE_MS);

    const home = (id: string): string =>
      readMasters(a.path(id, 'cache', 'masters_learned'))[0] === `127.0.0.1:${a.retPort}` ? 'a' : 'b';
    await t.test('each is where its id says', async () => {
      for (const [index, minion] of minions.entries())
        if (home(IDS[index] ?? '') === 'b')
          await until(
            'it has moved',
            () => minion.log.split('Minion is ready to receive requests').length > 2,
          );
      for (const fleet of [a, b]) await untilAllAnswer(fleet, IDS, CHOICE_MS);
      assert.deepEqual(await connectedTo(a), IDS, 'connected somewhere');
    });
    await t.test('one that drains is left, and no job is missed', async () => {
      assert.match((await b.run('salt-run', ['cluster.drain'])).stdout, /takes no minions any more/);
      await untilAllAnswer(a, IDS, CHOICE_MS);
      await b.master?.stop();
      await untilAllAnswer(a, IDS, CHOICE_MS);
      await b.startMaster();
    });
    await t.test('one that dies is left', async () => {
      await until('a knows that b is back', () =>
        readMasters(a.path('m', 'cache', 'cluster', 'masters.json')).includes(`127.0.0.1:${b.retPort}`),
      );
      await killMaster(first);
      await untilAllAnswer(b, IDS, CHOICE_MS);
    });
    await t.test('a minion that starts while its configured master is away finds another', async () => {
      await minions[0]?.stop();
      const again = a.start('salt-minion', ['-c', a.path('w1'), '-l', 'info']);
      await again.logged('Minion is ready to receive requests');
      await untilAllAnswer(b, ['w1'], CHOICE_MS);
    });
  },
);

function readMasters(path: string): string[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as string[];
  } catch {
    return [];
  }
}
