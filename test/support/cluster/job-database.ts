/** A cluster whose masters write to one database, and the check that everything is there once. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../src/host/clock.ts';
import { Attacker, returnOf } from '../attacker.ts';
import type { AskDatabase } from '../sql-store-checks.ts';
import { killMaster, startMembers, startNats } from './stage.ts';

const MINIONS = ['m0', 'm1', 'm2'];
const ROUNDS = 20;
const WRITTEN_MS = 60_000;

/** What is asked of a database. */
export interface ClusterDatabase {
  /** Lines of the masters' configuration. */
  readonly options: readonly string[];
  /** `master_job_cache` */
  readonly kind: string;
  /** Rows of a statement. */
  readonly ask: AskDatabase;
}

/** Sends each return to all three masters at once, kills one of them, and looks for what was acknowledged by any. */
export async function checkClusterDatabase(t: TestContext, database: ClusterDatabase): Promise<void> {
  const members = await startMembers(
    t,
    await startNats(t, 1),
    ['a', 'b', 'c'],
    ['auto_accept: True', `master_job_cache: ${database.kind}`, ...database.options],
  );
  const fleets = members.map(({ fleet }) => fleet);
  const [first, , third] = members;
  assert.ok(first !== undefined && third !== undefined);
  const made = await first.fleet.run('salt-run', ['returner.create_schema', database.kind]);
  assert.equal(made.code, 0, made.stdout + made.stderr);
  const minions = MINIONS.map((id) => fleets.map((fleet) => new Attacker(t, id, fleet.retPort)));
  for (const each of minions)
    for (const at of each)
      // the others hear of a new key a moment later
      while ((await at.authenticate()).kind !== 'accepted') await systemClock.sleep(50);
  const acknowledged = new Set<string>();
  const round = async (number: number, alive: readonly number[]): Promise<void> => {
    const jid = `20261121${String(number).padStart(12, '0')}`;
    await Promise.all(
      minions.flatMap((each) =>
        alive.map(async (at) => {
          const minion = each[at];
          assert.ok(minion !== undefined);
          const reply = await minion.send(minion.request(returnOf(jid, `of ${minion.id}`)), WRITTEN_MS);
          if (reply instanceof Uint8Array) acknowledged.add(`${jid} ${minion.id}`);
        }),
      ),
    );
  };
  for (let number = 0; number < ROUNDS; number++) await round(number, [0, 1, 2]);
  await killMaster(third);
  for (let number = ROUNDS; number < 2 * ROUNDS; number++) await round(number, [0, 1]);
  await third.fleet.startMaster();
  const job = await first.fleet.salt(['--async', '--out=json', 'nobody*', 'test.ping']);
  assert.equal(acknowledged.size, 2 * ROUNDS * MINIONS.length);
  const expected = [...acknowledged].sort();
  const found = async (): Promise<string[]> =>
    (await database.ask("SELECT jid, id FROM salt_returns WHERE fun = 'test.ping'"))
      .map(({ jid, id }) => `${String(jid)} ${String(id)}`)
      .sort();
  const untilMs = systemClock.monotonicMs() + WRITTEN_MS;
  while ((await found()).length < expected.length && systemClock.monotonicMs() < untilMs)
    await systemClock.sleep(100);
  // whoever is behind writes what he has before he ends
  for (const { master } of fleets) await master?.stop();
  assert.deepEqual(await found(), expected);
  const jobs = (await database.ask('SELECT jid FROM jids')).map(({ jid }) => String(jid));
  assert.equal(new Set(jobs).size, jobs.length, 'each job is there once');
  assert.ok(jobs.length > 0, job.stderr);
}
