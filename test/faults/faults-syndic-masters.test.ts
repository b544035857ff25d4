/** Several masters above one syndic: who of them gets a return, and who when that one is gone. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import type { Daemon, Fleet } from '../support/fleet.ts';
import { startMasters, type OneOfMany } from '../support/masters.ts';
import { cachedReturns, createBelow, joinSyndic, ORDERS, publishAll } from '../support/tree.ts';

interface Place {
  readonly uppers: readonly OneOfMany[];
  readonly low: Fleet;
  readonly syndic: Daemon;
}

/** Two masters that know their own addresses, and one below both with a minion. @param options of the one below */
async function grow(t: TestContext, options: readonly string[]): Promise<Place> {
  const uppers = await startMasters(t, 2, ORDERS, (address) => [`master_id: '${address}'`]);
  const above = uppers.map(({ address }) => address);
  const low = await createBelow(t, above, ['auto_accept: True', ...options]);
  await low.startMaster();
  const syndic = await joinSyndic(low, 's');
  await syndic.logged('Syndic successfully connected to', 2);
  await low.joinMinion('m');
  return { uppers, low, syndic };
}

/** How many of these jobs each of the masters above has a return of, as soon as they have `count` together. */
async function shares({ uppers }: Place, jids: readonly string[], count = jids.length): Promise<number[]> {
  for (let tries = 0; ; tries++) {
    const found = await Promise.all(
      uppers.map(async ({ fleet }) => new Set((await cachedReturns(fleet, jids)).map(({ jid }) => jid)).size),
    );
    if (found.reduce((sum, each) => sum + each, 0) >= count || tries > 200) return found;
    await systemClock.sleep(50);
  }
}

const echoes = (count: number): ['test.echo', string][] =>
  Array.from({ length: count }, (_, n) => ['test.echo', `n${n}`]);

test('faults - of several masters the one that asked gets the return, also when the syndic has died since', async (t) => {
  const place = await grow(t, []);
  const { uppers, low, syndic } = place;
  for (const [index, { fleet }] of uppers.entries())
    assert.deepEqual(
      await shares(place, await publishAll(fleet, echoes(5))),
      [0, 1].map((each) => (each === index ? 5 : 0)),
    );
  const jids: string[] = [];
  for (const { fleet } of uppers) jids.push(...(await publishAll(fleet, [['test.sleep', 1]])));
  for (const jid of jids)
    while ((await low.run('salt-run', ['--out=json', 'jobs.list_job', jid])).stdout.includes('Error'))
      await systemClock.sleep(20);
  await syndic.stop('SIGKILL');
  await joinSyndic(low, 's');
  assert.deepEqual(await shares(place, jids), [1, 1]);
  for (const [index, { fleet }] of uppers.entries())
    assert.deepEqual(
      (await cachedReturns(fleet, jids)).map(({ jid }) => jid),
      [jids[index]],
    );
});

test('faults - who of several masters gets what none of them has asked for, and what the one that asked cannot get', async (t) => {
  const cluster = ['syndic_mode: cluster'];
  const [ordered, random] = await Promise.all([
    grow(t, [...cluster, 'syndic_failover: ordered']),
    grow(t, [...cluster, 'syndic_failover: random']),
  ]);
  assert.deepEqual(await shares(ordered, await publishAll(ordered.low, echoes(20))), [20, 0]);
  const jids = await publishAll(random.low, echoes(60));
  const [first = 0, second = 0] = await shares(random, jids);
  assert.equal(first + second, 60);
  assert.ok(first > 0 && second > 0, `${first} and ${second}`);
  for (const place of [ordered, random]) {
    const [gone] = place.uppers;
    const asked = await publishAll((gone as OneOfMany).fleet, [['test.sleep', 1]]);
    await gone?.fleet.master?.stop('SIGKILL');
    await place.syndic.logged('above cannot be reached');
    assert.deepEqual(await shares(place, [...asked, ...(await publishAll(place.low, echoes(5)))]), [0, 6]);
  }
});
