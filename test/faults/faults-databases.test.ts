/**
 * A database that goes away under load, and parts of the master that die meanwhile: every return and event is there
 * once in the end. With `BRINE_LONG=1` also one that is away for a minute, and one that stands still for a minute.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { missingServers } from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import { STORE_KINDS } from '../../src/plugins/registry/returner/store-kinds.generated.ts';
import type { Value } from '../../src/python/values/value.ts';
import {
  DATABASE_PASSWORD,
  DATABASE_USER,
  startDatabase,
  type DatabaseServer,
  type DatabaseServerName,
} from '../support/database-servers.ts';
import { Fleet, type Daemon } from '../support/fleet.ts';

const isLong = process.env['BRINE_LONG'] === '1';
const JOBS = 20;
/** How long a database is away. */
const AWAY_MS = 60_000;
const MINIONS = ['one.example.com', 'two.example.com'];
const WAIT_MS = 60_000;

interface Subject {
  readonly server: DatabaseServerName;
  readonly kind: string;
  readonly prefix: string;
  readonly options: (server: DatabaseServer) => Record<string, string | number>;
  /** Rows of returns, and how many differ by job and minion; the same of the events of returns. */
  readonly rows?: (server: DatabaseServer) => Promise<readonly Record<string, unknown>[]>;
}

const COUNTS = [
  'SELECT count(*) AS n, count(DISTINCT concat(jid, id)) AS d FROM salt_returns',
  "SELECT count(*) AS n, count(DISTINCT tag) AS d FROM salt_events WHERE tag LIKE 'salt/job/%/ret/%'",
];
const account = { user: DATABASE_USER, database: 'salt' };
const login = ({ port, host }: DatabaseServer): Record<string, string | number> => ({
  host,
  port,
  user: DATABASE_USER,
  pass: DATABASE_PASSWORD,
  db: 'salt',
});

const SUBJECTS: readonly Subject[] = [
  {
    server: 'mariadb',
    kind: 'mysql',
    prefix: 'mysql',
    options: login,
    rows: async ({ port, host }) => {
      const connection = await createConnection({ host, port, password: DATABASE_PASSWORD, ...account });
      const out: Record<string, unknown>[] = [];
      for (const sql of COUNTS) out.push((await connection.query(sql))[0] as never);
      await connection.end();
      return out.flat();
    },
  },
  {
    server: 'postgres',
    kind: 'pgjsonb',
    prefix: 'returner.pgjsonb',
    options: login,
    rows: async ({ port, host }) => {
      const client = new Client({ host, port, password: DATABASE_PASSWORD, ...account });
      await client.connect();
      const out: Record<string, unknown>[] = [];
      for (const sql of COUNTS) out.push(...((await client.query(sql)).rows as Record<string, unknown>[]));
      await client.end();
      return out;
    },
  },
  { server: 'redis', kind: 'redis', prefix: 'redis', options: ({ port, host }) => ({ host, port }) },
];

for (const subject of SUBJECTS) {
  const { server: name } = subject;
  const skip = missingServers([name]).length > 0 ? `${name} is not installed` : false;
  test(
    `faults - ${name} is killed under load, then parts of the master; every return is there once`,
    { skip, timeout: 180_000 },
    async (t) => {
      const { server, options, fleet, master } = await startOn(t, subject);
      const jids: string[] = [];
      for (let index = 0; index < JOBS; index++) {
        if (index === 5) await server.kill();
        if (index === 6) await master.logged('cannot be written to');
        if (index === 10) kill(master, 'salt-master Returners');
        if (index === 15) kill(master, 'salt-master Maintenance');
        jids.push(await publish(fleet, index));
      }
      await server.start();
      await allThere(subject, options, jids);
      await master.logged(`${subject.kind} is back`);
      assert.ok(master.log.split('cannot be written to').length - 1 <= 2, 'told once in each life');
      // what is on the bus while nobody listens, between a death and the new life, is kept by nobody
      await eventsThere(subject, server, (JOBS * MINIONS.length) / 2);
    },
  );
  for (const how of ['is down', 'stands still'] as const)
    test(
      `faults - ${name} ${how} for a minute under load; every return and event is there once`,
      { skip: isLong ? skip : 'takes minutes (BRINE_LONG=1)', timeout: 300_000 },
      async (t) => {
        const { server, options, fleet, master } = await startOn(t, subject);
        const jids = [await publish(fleet, 0)];
        await allThere(subject, options, jids);
        if (how === 'is down') await server.kill();
        else server.pause();
        const endMs = systemClock.monotonicMs() + AWAY_MS;
        while (systemClock.monotonicMs() < endMs) jids.push(await publish(fleet, jids.length));
        if (how === 'is down') await server.start();
        else server.resume();
        jids.push(await publish(fleet, jids.length));
        await allThere(subject, options, jids);
        await master.logged(`${subject.kind} is back`);
        assert.equal(master.log.split('cannot be written to').length - 1, 1, 'told once');
        await eventsThere(subject, server, jids.length * MINIONS.length);
        t.diagnostic(`${jids.length} jobs`);
      },
    );
}

/** A database with its schema, and a master with minions that writes to it. */
async function startOn(
  t: TestContext,
  subject: Subject,
): Promise<{
  readonly server: DatabaseServer;
  readonly options: Record<string, string | number>;
  readonly fleet: Fleet;
  readonly master: Daemon;
}> {
  const server = await startDatabase(t, subject.server);
  const options = subject.options(server);
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    `master_job_cache: ${subject.kind}`,
    `event_return: ${subject.kind}`,
    'event_return_queue: 5',
    'event_return_queue_max_seconds: 1',
    ...Object.entries(options).map(([name, value]) => `${subject.prefix}.${name}: ${value}`),
  ]);
  const made = await fleet.run('salt-run', ['returner.create_schema']);
  assert.equal(made.code, 0, made.stdout + made.stderr);
  const master = await fleet.startMaster();
  for (const id of MINIONS) await fleet.joinMinion(id);
  return { server, options, fleet, master };
}

/** @returns the job's id */
async function publish(fleet: Fleet, index: number): Promise<string> {
  const { stdout, stderr } = await fleet.salt(['--async', '*', 'test.echo', `n${index}`]);
  return /\d{20}/.exec(stdout)?.[0] ?? assert.fail(stderr);
}

async function allThere(
  subject: Subject,
  options: Readonly<Record<string, Value>>,
  jids: readonly string[],
): Promise<void> {
  assert.deepEqual(
    await returnsIn(subject, options, jids),
    jids.map((_, index) => MINIONS.map((id) => `${id}: n${index}`)),
  );
}

/** Waits for the events of so many returns, and finds no row twice. */
async function eventsThere({ rows }: Subject, server: DatabaseServer, events: number): Promise<void> {
  if (rows === undefined) return;
  const endMs = systemClock.monotonicMs() + WAIT_MS;
  let found = await rows(server);
  while (Number(found[1]?.['n']) < events && systemClock.monotonicMs() < endMs) {
    await systemClock.sleep(200);
    found = await rows(server);
  }
  for (const { n, d } of found) assert.equal(Number(n), Number(d), 'no row is there twice');
  assert.ok(Number(found[1]?.['n']) >= events);
}

function kill(master: Daemon, title: string): void {
  const pid = master.children().get(title);
  assert.ok(pid !== undefined, `${title} runs`);
  process.kill(pid, 'SIGKILL');
}

/** What the database has of each job, when it has all. */
async function returnsIn(
  { kind: name }: Subject,
  options: Readonly<Record<string, Value>>,
  jids: readonly string[],
): Promise<string[][]> {
  const kind = await STORE_KINDS.find((entry) => entry.name === name)?.load();
  assert.ok(kind !== undefined);
  const all = new Map<string, Value>();
  for (const [option, fallback] of kind.defaults) if (fallback !== undefined) all.set(option, fallback);
  for (const [option, value] of Object.entries(options)) all.set(option, value);
  const store = kind.open({ options: all, timeoutMs: 10_000, connectionsMax: 1, clock: systemClock });
  try {
    const endMs = systemClock.monotonicMs() + WAIT_MS;
    for (;;) {
      const found: string[][] = [];
      for (const jid of jids) {
        const returns = [...(await store.returns(jid))];
        found.push(returns.map(([id, ret]) => `${id}: ${String(ret.get('return'))}`).sort());
      }
      if (found.every((ids) => ids.length === MINIONS.length) || systemClock.monotonicMs() > endMs)
        return found;
      await systemClock.sleep(100);
    }
  } finally {
    await store.close();
  }
}
