import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Clock } from '../../../../src/host/clock.ts';
import { createLogger, LOG_LEVELS, silentLogger } from '../../../../src/host/log.ts';
import { OutboxReader, type OutboxEntry } from '../../../../src/storage/jobs/outbox.ts';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { StoreUnavailableError } from '../../../../src/network/databases/errors.ts';
import {
  DatabaseHealth,
  Delivery,
  type DeliverySource,
} from '../../../../src/plugins/shared/returner/delivery.ts';
import {
  EventSource,
  EventSpool,
  spooledEvents,
} from '../../../../src/plugins/shared/returner/event-spool.ts';
import { OutboxSource } from '../../../../src/plugins/shared/returner/outbox-source.ts';
import { PositionFile, readPositions } from '../../../../src/plugins/shared/returner/position-file.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { leastRandom } from '../../../support/module-context.ts';

/** A clock that moves on when somebody sleeps, and lets others run meanwhile. */
function quickClock(): Clock & { now: number } {
  const timer = { cancel: () => undefined };
  const clock = {
    now: 0,
    nowMs: () => clock.now,
    monotonicMs: () => clock.now,
    after: () => timer,
    every: () => timer,
    sleep: async (delayMs: number) => {
      clock.now += delayMs;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return clock;
}

/** A queue as a source. */
function queueOf<T>(items: T[]): DeliverySource<T> {
  return {
    waiting: () => items.length,
    next: (limit) => {
      if (items.length === 0) return undefined;
      const some = items.slice(0, limit);
      return { items: some, done: () => void items.splice(0, some.length) };
    },
  };
}

async function deliver<T>(
  items: T[],
  write: (items: readonly T[]) => Promise<void>,
  isUp: (() => boolean) | 'nobody can ask' = () => true,
  batchMax?: number,
): Promise<{ lines: string[]; delivery: Delivery<T> }> {
  const lines: string[] = [];
  const log = createLogger('test', [
    { level: LOG_LEVELS.info, write: ({ level, message }) => lines.push(`${level}: ${message}`) },
  ]);
  const delivery = new Delivery({
    name: 'db',
    what: 'things',
    source: queueOf(items),
    health: new DatabaseHealth('db', log),
    batchMax,
    write,
    probe:
      isUp === 'nobody can ask'
        ? undefined
        : async () => {
            if (!isUp()) throw new Error('away');
          },
    describe: (item) => `thing ${String(item)}`,
    pollMs: 10,
    clock: quickClock(),
    random: leastRandom,
    log,
  });
  for (let turn = 0; turn < 1000 && items.length > 0; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  await delivery.stop();
  return { lines, delivery };
}

test('delivery - goes on in order and in batches; a database that goes and comes is told once each', async () => {
  const items = Array.from({ length: 1200 }, (_, n) => n);
  const written: number[] = [];
  let calls = 0;
  const isUp = (): boolean => calls < 2 || calls > 6;
  const { lines, delivery } = await deliver(
    items,
    async (batch) => {
      calls++;
      if (!isUp()) throw new Error('connection refused');
      written.push(...batch);
    },
    isUp,
  );
  assert.deepEqual(
    written,
    Array.from({ length: 1200 }, (_, n) => n),
  );
  assert.deepEqual(lines, [
    'error: db cannot be written to: connection refused. What is meant for it waits here until it is back (700 things).',
    'warning: db is back; what waits is being written to it (700 things).',
  ]);
  assert.deepEqual(delivery.counters, { delivered: 1200, refused: 0, failures: 5 });
});

test('delivery - what a database that answers refuses is left out alone, and told', async () => {
  const written: number[] = [];
  const { lines, delivery } = await deliver([1, 2, 3, 4, 5], async (batch) => {
    if (batch.includes(3)) throw new Error('too long');
    written.push(...batch);
  });
  assert.deepEqual(written, [1, 2, 4, 5]);
  assert.deepEqual(lines, ['error: db refuses thing 3; it is left out: too long']);
  assert.equal(delivery.counters.refused, 1);
});

test('delivery - nothing is left out for a database that answers and takes nothing at all', async () => {
  const written: number[] = [];
  let calls = 0;
  const { lines, delivery } = await deliver([1, 2], async (batch) => {
    if (++calls <= 9) throw new StoreUnavailableError('no room');
    written.push(...batch);
  });
  assert.deepEqual(written, [1, 2]);
  assert.deepEqual(lines, [
    'error: db cannot be written to: no room. What is meant for it waits here until it is back (2 things).',
    'warning: db is back; what waits is being written to it (2 things).',
  ]);
  assert.equal(delivery.counters.refused, 0);
});

test('delivery - a database that is too slow for a whole batch gets smaller ones', async () => {
  const written: number[] = [];
  await deliver(
    Array.from({ length: 300 }, (_, n) => n),
    async (batch) => {
      if (batch.length > 50) throw new StoreUnavailableError('no answer within 30 s');
      written.push(...batch);
    },
  );
  assert.deepEqual(
    written,
    Array.from({ length: 300 }, (_, n) => n),
  );
});

test('delivery - what makes doubles when it is repeated is written one at a time', async () => {
  const sent: number[] = [];
  let failures = 3;
  const mail = async (batch: readonly number[]): Promise<void> => {
    for (const item of batch) {
      if (item === 3 && failures-- > 0) throw new Error('greylisted');
      sent.push(item);
    }
  };
  await deliver([1, 2, 3, 4], mail, 'nobody can ask', 1);
  assert.deepEqual(sent, [1, 2, 3, 4]);
});

test('delivery - what a place refuses that cannot be asked holds nothing back, and is left out when others are taken', async () => {
  const sent: number[] = [];
  const { lines, delivery } = await deliver(
    [1, 2, 3, 4, 5, 6],
    async ([item = 0]) => {
      if ([2, 3, 4].includes(item)) throw new Error('too long');
      sent.push(item);
    },
    'nobody can ask',
    1,
  );
  assert.deepEqual(sent, [1, 5, 6]);
  assert.deepEqual(lines.slice(2), [
    'error: db refuses thing 2; it is left out: too long',
    'error: db refuses thing 3; it is left out: too long',
    'error: db refuses thing 4; it is left out: too long',
  ]);
  assert.match(lines.slice(0, 2).join(), /db cannot be written to: too long.*db is back/);
  assert.equal(delivery.counters.refused, 3);
});

test('delivery - a place that cannot be asked and takes nothing for long loses nothing', async () => {
  const sent: number[] = [];
  let calls = 0;
  const items = [1, 2, 3, 4, 5, 6];
  await deliver(
    items,
    async ([item = 0]) => {
      if (++calls < 60) throw new Error('connection refused');
      sent.push(item);
    },
    'nobody can ask',
    1,
  );
  assert.deepEqual(sent.toSorted(), [1, 2, 3, 4, 5, 6]);
});

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'br-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('delivery - positions survive, and a damaged file begins anew', (t) => {
  const path = join(folder(t), 'p.json');
  const positions = new PositionFile(path, silentLogger);
  positions.set('20261121', 7);
  positions.set('20261120', 3);
  positions.set('20261120', undefined);
  assert.equal(readFileSync(path, 'utf8'), '{"20261121": 7}\n');
  assert.equal(new PositionFile(path, silentLogger).get('20261121'), 7);
  writeFileSync(path, '{"20261121": 7');
  assert.equal(readPositions(path, silentLogger).size, 0);
});

test('delivery - jobs and returns come from where the last run ended; what the job cache forgot is counted', async (t) => {
  const directory = folder(t);
  const store = new SqliteJobStore({ directory, outbox: true });
  const reader = new OutboxReader(directory);
  t.after(async () => {
    reader.close();
    await store.close();
  });
  const lines: string[] = [];
  const log = createLogger('test', [{ level: LOG_LEVELS.info, write: ({ message }) => lines.push(message) }]);
  const path = join(directory, 'p.json');
  const source = (only?: 'jobs' | 'returns'): OutboxSource =>
    new OutboxSource({ name: 'db', reader, positions: new PositionFile(path, log), only, log });
  const idsOf = (entries: readonly OutboxEntry[]): unknown[] =>
    entries.map((entry) => ('ret' in entry ? entry.ret.get('id') : 'job'));
  const ret = { fun: 'test.ping', return: true, retcode: 0, success: true } as const;
  const [jid, early] = ['20261121000000000001', '20261120000000000001'];
  await store.saveJob(jid, dict({ fun: 'test.ping' }), ['m1']);
  for (const id of ['m1', 'm2', 'm3']) await store.saveReturn({ ...ret, jid, id });
  await store.saveReturn({ ...ret, jid: early, id: 'm0' });
  const first = source();
  assert.equal(first.waiting(), 5);
  const [one, two] = [first.next(2), first.next(2)];
  assert.deepEqual([idsOf(one?.items ?? []), idsOf(two?.items ?? [])], [['m0'], ['m0']], 'not noted as done');
  one?.done();
  const three = first.next(2);
  assert.deepEqual(idsOf(three?.items ?? []), ['job', 'm1']);
  three?.done();
  const second = source();
  assert.equal(second.waiting(), 2);
  assert.deepEqual(idsOf(second.next(10)?.items ?? []), ['m2', 'm3']);
  assert.deepEqual(idsOf(source('jobs').next(10)?.items ?? ['x' as never]), []);
  await store.removeOlderThan(Date.UTC(2026, 11, 1));
  assert.equal(second.next(10), undefined);
  assert.equal(second.counters.lost, 2);
  assert.match(
    lines.join(),
    /2 jobs and returns of 20261121 were forgotten by the job cache before db could take them/,
  );
});

test('delivery - a place that would get everything twice begins with what comes, also when its positions are lost', async (t) => {
  const directory = folder(t);
  const store = new SqliteJobStore({ directory, outbox: true });
  const reader = new OutboxReader(directory);
  t.after(async () => {
    reader.close();
    await store.close();
  });
  const path = join(directory, 'p.json');
  const source = (): OutboxSource =>
    new OutboxSource({
      name: 'smtp',
      reader,
      positions: new PositionFile(path, silentLogger),
      beginsAtEnd: true,
      log: silentLogger,
    });
  const ret = { jid: '20261121000000000001', fun: 'test.ping', return: true, retcode: 0, success: true };
  await store.saveReturn({ ...ret, id: 'old' });
  const first = source();
  assert.equal(first.next(10), undefined);
  await store.saveReturn({ ...ret, id: 'new' });
  assert.equal(first.next(10)?.items.length, 1);
  assert.equal(source().next(10)?.items.length, 1, 'a restart goes on from there');
  rmSync(path);
  assert.equal(source().next(10), undefined);
});

test('delivery - one database that is down costs no other one its events', async (t) => {
  const clock = quickClock();
  const path = join(folder(t), 'events.sqlite');
  const spool = new EventSpool({ path, bytesMax: 50, clock, log: silentLogger });
  t.after(() => spool.close());
  const sourceOf = (name: string): EventSource => {
    const positions = new PositionFile(join(folder(t), 'p.json'), silentLogger);
    return new EventSource(spool, { name, positions, due: { countMin: 0, ageMaxMs: 0 }, clock });
  };
  const [up, down] = [sourceOf('up'), sourceOf('down')];
  const got: unknown[] = [];
  for (let n = 1; n <= 60; n++) {
    spool.append([{ tag: 't', data: dict({ n }) }], Math.max(up.position, down.position));
    const batch = up.next(10);
    got.push(...(batch?.items ?? []).map(({ data }) => data.get('n')));
    batch?.done();
  }
  assert.deepEqual(
    got,
    Array.from({ length: 60 }, (_, n) => n + 1),
  );
  assert.ok(spool.counters.dropped > 0);
  const left = down.next(100)?.items.map(({ data }) => data.get('n')) ?? [];
  assert.equal(left.at(-1), 60, 'the one that is down keeps the newest');
  assert.equal(left.length + spool.counters.dropped, 60);
});

test('delivery - events wait in a bounded file, until there are enough of them or they are old enough', (t) => {
  const path = join(folder(t), 'returners', 'events.sqlite');
  const clock = quickClock();
  const lines: string[] = [];
  const log = createLogger('test', [{ level: LOG_LEVELS.info, write: ({ message }) => lines.push(message) }]);
  const event = (n: number): { tag: string; data: ReturnType<typeof dict> } => ({
    tag: `t/${n}`,
    data: dict({ n }),
  });
  let spool = new EventSpool({ path, bytesMax: 50, clock, log });
  const positions = new PositionFile(join(folder(t), 'p.json'), log);
  const parts = { name: 'db', positions, due: { countMin: 3, ageMaxMs: 1000 }, clock };
  const source = new EventSource(spool, parts);
  spool.append([event(1), event(2)]);
  assert.equal(source.next(10), undefined, 'too few, too young');
  spool.append([event(3)]);
  const batch = source.next(10);
  assert.deepEqual(batch?.items, [event(1), event(2), event(3)]);
  batch?.done();
  spool.removeUpTo(source.position);
  spool.append([event(4)]);
  assert.equal(source.next(10), undefined);
  clock.now += 1000;
  assert.deepEqual(source.next(10)?.items, [event(4)]);
  // what an earlier run has left is due at once
  spool.close();
  spool = new EventSpool({ path, bytesMax: 50, clock, log });
  assert.equal(spooledEvents(path, source.position), 1);
  const later = new EventSource(spool, parts);
  assert.deepEqual(later.next(10)?.items, [event(4)]);
  spool.append(Array.from({ length: 20 }, (_, n) => event(n)));
  assert.equal(spool.counters.dropped, 20 - spool.counters.spooled);
  assert.ok(spool.counters.dropped > 0);
  assert.match(lines.join(), /events were dropped: .* holds 50 bytes of events that wait for a database/);
  spool.close();
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  writeFileSync(path, 'this is no database at all, but something else that is long enough to be looked at');
  spool = new EventSpool({ path, bytesMax: 50, clock, log });
  assert.match(lines.at(-1) ?? '', /events\.sqlite is damaged and was renamed to/);
  assert.equal(new EventSource(spool, parts).waiting(), 0);
  spool.append([event(1)]);
  spool.close();
});
