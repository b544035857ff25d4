/**
 * A tree of masters under load whose link is cut, and whose syndic is killed: every return on top, and once. With
 * `BRINE_LONG=1` each lasts for a minute, and the load with it.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { systemClock } from '../../src/host/clock.ts';
import { SqliteJobStore } from '../../src/storage/jobs/sqlite-store.ts';
import { Fleet, until, type Daemon } from '../support/fleet.ts';
import {
  cachedReturns,
  configureSyndic,
  createBelow,
  joinSyndic,
  ORDERS,
  publishAll,
  startSyndic,
} from '../support/tree.ts';
import { Wire } from '../support/wire.ts';

const isLong = process.env['BRINE_LONG'] === '1';
const MINIONS = ['a', 'b', 'c'];
/** Jobs of one round, and how long they take at most. */
const JOBS = 60;
const LONGEST_S = 3;
/** How long a link is cut and a syndic is dead, at least; for so long jobs are published below. */
const AWAY_MS = isLong ? 60_000 : 0;
/** How long everything may take to come up after that, and how often to look: this process carries the link, too. */
const PATIENCE_MS = isLong ? 240_000 : 60_000;
const LOOK_MS = isLong ? 1000 : 50;

/** Publishes jobs that end at different times, as fast as the master takes them. @returns their ids */
function publishMany(fleet: Fleet, count: number): Promise<string[]> {
  return publishAll(
    fleet,
    Array.from({ length: count }, (_, index) => ['test.sleep', (LONGEST_S * (index + 1)) / count] as const),
  );
}

/** Publishes rounds of jobs for as long as something is to be away, one at least. @param sinceMs when it went */
async function publishMeanwhile(fleet: Fleet, sinceMs: number): Promise<string[]> {
  const jids: string[] = [];
  do jids.push(...(await publishMany(fleet, JOBS)), ...(await pauseOf(LONGEST_S * 1000)));
  while (systemClock.monotonicMs() - sinceMs < AWAY_MS);
  return jids;
}

/** So long that the jobs of a round are over; nothing in the short form. */
async function pauseOf(delayMs: number): Promise<[]> {
  if (isLong) await systemClock.sleep(delayMs);
  return [];
}

/** Counts events of returns by tag. */
async function countReturns(t: TestContext, fleet: Fleet): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const reader = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    (tag) => tag.startsWith('salt/job/') && tag.includes('/ret/'),
    ({ tag }) => counts.set(tag, (counts.get(tag) ?? 0) + 1),
  );
  t.after(() => reader.close());
  return counts;
}

async function returnsOf(fleet: Fleet, jids: readonly string[]): Promise<string[]> {
  return (await cachedReturns(fleet, jids)).map(({ jid, id }) => `salt/job/${jid}/ret/${id}`);
}

/** Waits until every return of these jobs is there, and finds each told once. */
async function allOnce(
  fleet: Fleet,
  jids: readonly string[],
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const wanted = jids.flatMap((jid) => MINIONS.map((id) => `salt/job/${jid}/ret/${id}`)).sort();
  const endMs = systemClock.monotonicMs() + PATIENCE_MS;
  let found = await returnsOf(fleet, jids);
  // the event of a return comes when the job cache has it
  const isThere = (): boolean => found.length >= wanted.length && wanted.every((tag) => counts.has(tag));
  while (!isThere() && systemClock.monotonicMs() < endMs) {
    await systemClock.sleep(LOOK_MS);
    found = await returnsOf(fleet, jids);
  }
  assert.deepEqual(found.sort(), wanted);
  assert.deepEqual(
    wanted.filter((tag) => counts.get(tag) !== 1).map((tag) => `${tag}: ${counts.get(tag) ?? 0}`),
    [],
  );
}

test(
  'faults - a syndic that is cut off or killed under load loses no return and doubles none',
  { timeout: 600_000 },
  async (t) => {
    const top = await Fleet.create(t, ORDERS);
    await top.startMaster();
    const wires = [await Wire.to(t, top.retPort), await Wire.to(t, top.publishPort)] as const;
    const low = await createBelow(t, [`127.0.0.1:${wires[0].port}`]);
    await low.startMaster();
    const ports = [`publish_port: ${wires[1].port}`];
    let syndic: Daemon = await joinSyndic(low, 's', ports);
    await Promise.all(MINIONS.map((id) => low.joinMinion(id)));
    const counts = await countReturns(t, top);
    await allOnce(top, await publishMany(top, 1), counts);

    await t.test('the link is cut while jobs return, those of above and those of below', async (inner) => {
      const jids = await publishMany(top, JOBS);
      for (const wire of wires) wire.cut();
      const below = await publishMeanwhile(low, systemClock.monotonicMs());
      const all = [...jids, ...below];
      await until('everything has returned below', () => returnedBelow(low, all));
      assert.ok((await returnsOf(top, all)).length < all.length * MINIONS.length);
      for (const wire of wires) wire.mend();
      const mendedMs = systemClock.monotonicMs();
      await allOnce(top, all, counts);
      const seconds = Math.round(systemClock.monotonicMs() - mendedMs) / 1000;
      inner.diagnostic(`${all.length * MINIONS.length} returns, all there after ${seconds} s`);
    });

    await t.test('the syndic is killed while jobs return, and started again', async (inner) => {
      const jids = await publishMany(top, JOBS);
      // a job that dies with the syndic before the master below has it returns nothing, and its command says so
      await until('the master below has all jobs', () => hasJobs(low, jids));
      await syndic.stop('SIGKILL');
      const below = await publishMeanwhile(low, systemClock.monotonicMs());
      syndic = startSyndic(low, 's', ports);
      await allOnce(top, [...jids, ...below], counts);
      inner.diagnostic(`${(jids.length + below.length) * MINIONS.length} returns`);
    });

    await t.test('killed again and again', async () => {
      const jids: string[] = [];
      for (let round = 0; round < 4; round++) {
        jids.push(...(await publishMany(low, JOBS / 4)));
        await syndic.stop('SIGKILL');
        syndic = startSyndic(low, 's', ports);
        if (round % 2 === 0) await syndic.logged('Syndic successfully connected to');
      }
      await allOnce(top, jids, counts);
    });

    await t.test('the master below is restarted', async () => {
      await low.master?.stop();
      await low.startMaster();
      configureSyndic(low, 's', ports);
      await until('minions are back', () => MINIONS.every((id) => isBack(low, id)));
      await allOnce(top, await publishMany(low, 3), counts);
    });
  },
);

const looking = new Map<Fleet, number>();
const known = new Set<string>();

/** Whether the master below has taken these jobs. */
function hasJobs(low: Fleet, jids: readonly string[]): boolean {
  const store = new SqliteJobStore({ directory: low.path('m', 'cache', 'job_cache'), readOnly: true });
  const work = jids.map(async (jid) => (await store.job(jid)) !== undefined && known.add(jid));
  void Promise.all(work).finally(() => store.close());
  return jids.every((jid) => known.has(jid));
}

function returnedBelow(low: Fleet, jids: readonly string[]): boolean {
  void returnsOf(low, jids).then(({ length }) => looking.set(low, length));
  return (looking.get(low) ?? 0) >= jids.length * MINIONS.length;
}

/** A minion that was connected before the restart says so again. */
function isBack(low: Fleet, id: string): boolean {
  const daemon = low.daemons.find(({ child }) => child.spawnargs.includes(low.path(id)));
  return daemon?.log.includes('Connected to the master again') ?? false;
}
