/** Queues in PostgreSQL. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { pgjsonbQueues } from '../../src/plugins/postgres/queue.ts';
import type { QueueBackend } from '../../src/plugins/shared/queue/queue-backend.ts';
import { dict, type Value } from '../../src/python/values/value.ts';
import { DATABASE_PASSWORD, DATABASE_USER, startDatabase } from '../support/database-servers.ts';

const ALL = { quantity: 'all', isRunner: false } as const;
const given = (items: Value[]): Promise<Value[]> => Promise.resolve(items);

test('postgresql - queues', async (t) => {
  const { host, port } = await startDatabase(t, 'postgres');
  const login = { host, port, user: DATABASE_USER, password: DATABASE_PASSWORD, database: 'postgres' };
  const admin = new pg.Client(login);
  await admin.connect();
  // the server ends first
  admin.on('error', () => undefined);
  t.after(() => admin.end());
  const open = (inner: TestContext, more: Record<string, Value> = {}): QueueBackend => {
    const options = {
      host,
      port,
      dbname: 'postgres',
      user: DATABASE_USER,
      password: DATABASE_PASSWORD,
      ...more,
    };
    const opts = dict(
      Object.fromEntries(Object.entries(options).map(([name, value]) => [`queue.pgjsonb.${name}`, value])),
    );
    const queues = pgjsonbQueues.open({ opts, clock: systemClock, log: silentLogger });
    inner.after(() => queues.close());
    return queues;
  };

  await t.test('are tables as Salt makes and reads them', async (inner) => {
    const queues = open(inner);
    const call = dict({ fun: 'test.arg', args: ["it's"], kwargs: {} });
    assert.equal(await queues.insert('Calls', call), true);
    assert.equal(await queues.insert('calls', ['a', 2, null]), true);
    assert.deepEqual(await queues.queues(), ['calls']);
    const { rows } = await admin.query<{ data: unknown }>('SELECT data FROM calls ORDER BY id');
    assert.deepEqual(
      rows.map(({ data }) => data),
      [{ fun: 'test.arg', args: ["it's"], kwargs: {} }, 'a', 2, null],
    );
    await admin.query(`INSERT INTO calls(data) VALUES('{"by": "salt"}')`);
    await queues.delete('calls', [2, call]);
    assert.equal(await queues.length('calls'), 3);
    assert.deepEqual(await queues.take('calls', { quantity: 1, isRunner: false }, given), ['a']);
    assert.deepEqual(await queues.take('calls', ALL, given), [null, dict({ by: 'salt' })]);
    assert.deepEqual(await queues.items('calls'), []);
  });

  await t.test('give each item to one of many that take at once', async (inner) => {
    const items = Array.from({ length: 40 }, (_, at) => `web${at}`);
    await open(inner).insert('many', items);
    const takers = Array.from({ length: 12 }, () => open(inner));
    const taken = await Promise.all(
      takers.flatMap((one) => [1, 2].map(() => one.take('many', { quantity: 2, isRunner: false }, given))),
    );
    assert.deepEqual(taken.flat().sort(), [...items].sort());
  });

  await t.test('have their items back when what they were taken for fails', async (inner) => {
    const queues = open(inner);
    await queues.insert('kept', ['a', 'b']);
    await assert.rejects(
      queues.take('kept', ALL, () => Promise.reject(new Error('no master'))),
      /no master/,
    );
    assert.deepEqual(await queues.items('kept'), ['a', 'b']);
  });

  await t.test('are no other tables of the database', async (inner) => {
    await admin.query('CREATE TABLE salt_events (id integer, tag text, data jsonb)');
    const queues = open(inner);
    await assert.rejects(
      queues.take('salt_events', ALL, given),
      /The table salt_events of the database is no queue/,
    );
    await assert.rejects(queues.insert('salt_events', 'a'), /is no queue/);
    await assert.rejects(queues.items('nothing'), /There is no queue nothing/);
    await assert.rejects(queues.insert('a"b', 'a'), /cannot be the name of a queue/);
    assert.ok(!(await queues.queues()).includes('salt_events'));
  });

  await t.test('say what is wrong, and never the password', async (inner) => {
    const wrong = open(inner, { password: 'canary-password' });
    const missing = open(inner, { dbname: 'nothing' });
    await assert.rejects(missing.queues(), /queue\.pgjsonb\.dbname/);
    // the server of tests trusts everybody
    await wrong.queues().catch((error: unknown) => assert.doesNotMatch(String(error), /canary/));
  });
});
