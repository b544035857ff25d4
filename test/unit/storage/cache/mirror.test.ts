import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { CommandExecutionError, UnreachableError } from '../../../../src/errors/errors.ts';
import type { Clock } from '../../../../src/host/clock.ts';
import { createLogger, LOG_LEVELS, type LogRecord } from '../../../../src/host/log.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import type { CachePlace, CacheServer } from '../../../../src/storage/cache/cache-server.ts';
import { CacheMaster, checkSharedCache, minionData } from '../../../support/cache-masters.ts';

/** Time that passes when the test says so. */
class HandClock {
  nowMs = 1_700_000_000_000;
  readonly #sleeping = new Set<{ readonly atMs: number; readonly wake: () => void }>();

  readonly clock: Clock = {
    ...systemClock,
    nowMs: () => this.nowMs,
    monotonicMs: () => this.nowMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        this.#sleeping.add({ atMs: this.nowMs + delayMs, wake });
        signal?.addEventListener('abort', wake, { once: true });
      }),
  };

  /** Lets time pass in small steps, with what follows from each. */
  async pass(totalMs: number): Promise<void> {
    for (let passed = 0; passed < totalMs; passed += 50) {
      this.nowMs += 50;
      for (const entry of this.#sleeping)
        if (entry.atMs <= this.nowMs) {
          this.#sleeping.delete(entry);
          entry.wake();
        }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** A server in memory, whose times are whole seconds. */
class MemoryServer {
  readonly values = new Map<string, { bytes: Buffer; stamp: number }>();
  isAway = false;
  bytesMax = Infinity;
  asked = 0;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => systemClock.nowMs()) {
    this.#nowMs = nowMs;
  }

  open(): CacheServer {
    const name = ({ bank, key }: CachePlace): string => `${bank}/${key}`;
    const answer = <T>(run: () => T): Promise<T> => {
      this.asked++;
      if (this.isAway) return Promise.reject(new UnreachableError('The memory is away.'));
      return Promise.resolve().then(run);
    };
    return {
      place: 'The memory',
      store: (at, bytes) =>
        answer(() => {
          if (bytes.length > this.bytesMax) throw new CommandExecutionError('too large');
          const stamp = Math.floor(this.#nowMs() / 1000);
          this.values.set(name(at), { bytes, stamp });
          return stamp;
        }),
      fetch: (at) => answer(() => this.values.get(name(at))?.bytes),
      flush: (bank, key) =>
        answer((): Value => {
          for (const known of [...this.values.keys()])
            if (key === undefined ? known.startsWith(`${bank}/`) : known === `${bank}/${key}`)
              this.values.delete(known);
          return true;
        }),
      list: (bank) =>
        answer(() =>
          [...this.values.keys()]
            .filter((known) => known.startsWith(`${bank}/`))
            .map((known) => known.slice(bank.length + 1)),
        ),
      stamps: (places) => answer(() => places.map((at) => this.values.get(name(at))?.stamp)),
      close: () => Promise.resolve(),
    };
  }
}

function recording(): { lines: string[]; log: ReturnType<typeof createLogger> } {
  const lines: string[] = [];
  const write = (record: LogRecord): void => void lines.push(record.message);
  return { lines, log: createLogger('test', [{ level: LOG_LEVELS.warning, write }]) };
}

async function started(
  t: TestContext,
  server: MemoryServer,
  hand: HandClock,
  log = recording().log,
): Promise<CacheMaster & { readonly running: ReturnType<CacheMaster['mirror']> }> {
  const master = new CacheMaster(t, () => server.open(), { clock: hand.clock, log });
  const running = master.mirror(server.open());
  await running.start();
  t.after(() => running.stop());
  return Object.assign(master, { running });
}

test('mirror - two masters have the same, each at its start', (t) => {
  const server = new MemoryServer();
  return checkSharedCache(t, () => server.open());
});

test('mirror - changes are at the other master while both run', async (t) => {
  const hand = new HandClock();
  const server = new MemoryServer(() => hand.nowMs);
  const [a, b] = [await started(t, server, hand), await started(t, server, hand)];
  a.cache.write('web1', 'data', minionData('web1', 'one'));
  await hand.pass(500);
  assert.ok(server.values.has('minions/web1/data'));
  await hand.pass(5_500);
  assert.deepEqual(b.cache.read('web1', 'data'), minionData('web1', 'one'));
  // one second has two values: the times do not tell, and the second is read all the same
  hand.nowMs = Math.ceil(hand.nowMs / 1000) * 1000;
  a.cache.write('web1', 'data', minionData('web1', 'two'));
  await hand.pass(300);
  const { stamp = 0 } = server.values.get('minions/web1/data') ?? {};
  await b.running.stop();
  const again = b.mirror(server.open());
  await again.start();
  assert.deepEqual(b.cache.read('web1', 'data'), minionData('web1', 'two'));
  a.cache.write('web1', 'data', minionData('web1', 'three'));
  await hand.pass(300);
  assert.equal(server.values.get('minions/web1/data')?.stamp, stamp);
  await hand.pass(9_000);
  assert.deepEqual(b.cache.read('web1', 'data'), minionData('web1', 'three'));
  await again.stop();
});

test('mirror - a server that is away: everything goes on, is told once each way, and nothing is lost', async (t) => {
  const hand = new HandClock();
  const server = new MemoryServer(() => hand.nowMs);
  const { lines, log } = recording();
  const a = await started(t, server, hand, log);
  server.isAway = true;
  for (let n = 0; n < 5; n++) {
    a.cache.write('web1', 'data', minionData('web1', `v${n}`));
    a.cache.write('web2', 'mine', dict({ n }));
    await hand.pass(4_000);
  }
  assert.equal(a.running.waiting, 2, 'the last state of each minion');
  assert.equal(a.running.isDown, true);
  assert.ok(server.asked < 40, `${server.asked} questions in 20 s`);
  assert.deepEqual(a.cache.read('web1', 'data'), minionData('web1', 'v4'));
  server.isAway = false;
  await hand.pass(11_000);
  assert.equal(a.running.waiting, 0);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[0] ?? '', /not brought to its server: The memory is away\. .*changes wait here/);
  assert.match(lines[1] ?? '', /The memory is back/);
  const b = await started(t, server, hand);
  assert.deepEqual(b.cache.read('web1', 'data'), minionData('web1', 'v4'));
  assert.deepEqual(b.cache.read('web2', 'mine'), dict({ n: 4 }));
});

test('mirror - what was changed while the process was down is brought, and the later of two changes counts', async (t) => {
  let nowMs = systemClock.nowMs() - 60_000;
  const server = new MemoryServer(() => nowMs);
  const [a, b] = [new CacheMaster(t, () => server.open()), new CacheMaster(t, () => server.open())];
  a.cache.write('web1', 'data', minionData('web1', 'base'));
  await a.sync();
  await b.sync();
  nowMs += 1_000;
  b.cache.write('web1', 'data', minionData('web1', 'earlier'));
  await b.sync();
  a.cache.write('web1', 'data', minionData('web1', 'later'));
  const counted = await a.sync();
  assert.deepEqual([counted.conflicts, counted.stored], [1, 1]);
  await b.sync();
  assert.deepEqual(b.cache.read('web1', 'data'), minionData('web1', 'later'));
  // the server's is the later one
  nowMs = systemClock.nowMs() + 60_000;
  b.cache.write('web1', 'data', minionData('web1', 'last'));
  await b.sync();
  a.cache.write('web1', 'data', minionData('web1', 'lost'));
  assert.equal((await a.sync()).loaded, 1);
  assert.deepEqual(a.cache.read('web1', 'data'), minionData('web1', 'last'));
});

test('mirror - a server that was emptied takes nothing with it', async (t) => {
  const server = new MemoryServer();
  const { lines, log } = recording();
  const a = new CacheMaster(t, () => server.open(), { log });
  a.cache.write('web1', 'data', minionData('web1', 'x'));
  a.cache.write('web2', 'data', minionData('web2', 'y'));
  await a.sync();
  server.values.clear();
  assert.deepEqual(await a.sync(), {
    stored: 2,
    loaded: 0,
    removed: 0,
    conflicts: 0,
    refused: 0,
    failures: 0,
  });
  assert.match(lines.join(), /The memory is another one than before, or has lost what it had/);
  assert.deepEqual(a.cache.read('web1', 'data'), minionData('web1', 'x'));
});

test('mirror - one entry that the server refuses holds up no other, and is named once', async (t) => {
  const hand = new HandClock();
  const server = new MemoryServer(() => hand.nowMs);
  const { lines, log } = recording();
  const a = await started(t, server, hand, log);
  server.bytesMax = 500;
  a.cache.write('web1', 'mine', dict({ large: 'x'.repeat(1000) }));
  a.cache.write('web2', 'mine', dict({ small: 1 }));
  await hand.pass(130_000);
  assert.ok(server.values.has('minions/web2/mine'));
  assert.equal(a.running.counters.refused, 1);
  assert.deepEqual(lines.length, 1, lines.join('\n'));
  assert.match(
    lines[0] ?? '',
    /The memory does not take mine of the minion web1 \(\d+ bytes\), .*: too large/,
  );
  a.cache.write('web1', 'mine', dict({ large: 'x' }));
  await hand.pass(500);
  assert.ok(server.values.has('minions/web1/mine'));
});

test('mirror - what is no data of a minion stays on the server, and is told once', async (t) => {
  const hand = new HandClock();
  const server = new MemoryServer(() => hand.nowMs);
  const { lines, log } = recording();
  server.values.set('minions/web1/data', { bytes: Buffer.from([0xc1]), stamp: 5 });
  server.values.set('minions/web2/data', { bytes: Buffer.from([0x93, 1, 2, 3]), stamp: 5 });
  const a = await started(t, server, hand, log);
  await hand.pass(20_000);
  assert.deepEqual(a.cache.ids(), []);
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[0] ?? '', /something for data of the minion web1 that is no data of a minion/);
});
