import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Clock } from '../../../src/host/clock.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { releaseMemoryAtRest } from '../../../src/host/idle-memory.ts';

/** Looks at the process by hand: each call of `look` is one period of the clock. */
function byHand(inUseBytes = 10_000_000): {
  look: (cpuMs: number, garbageBytes?: number) => Promise<number>;
} {
  let cpuMs = 0;
  let heapBytes = inUseBytes;
  let collections = 0;
  let run: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    every: (_periodMs, each) => {
      run = each;
      return { cancel: () => undefined };
    },
  };
  const collect = (): Promise<void> => {
    collections++;
    heapBytes = inUseBytes;
    return Promise.resolve();
  };
  releaseMemoryAtRest(clock, { cpuMs: () => cpuMs, heapBytes: () => heapBytes, collect });
  return {
    look: async (usedMs, garbageBytes = 0) => {
      cpuMs += usedMs;
      heapBytes += garbageBytes;
      run();
      await new Promise((resolve) => setImmediate(resolve));
      return collections;
    },
  };
}

test('idle memory - is given back after a burst, when it is over', async () => {
  const { look } = byHand();
  assert.equal(await look(5), 1, 'the start is over');
  assert.equal(await look(800), 1, 'still at work');
  assert.equal(await look(800), 1, 'still at work');
  assert.equal(await look(3), 2);
  for (let i = 0; i < 20; i++) assert.equal(await look(3), 2);
});

test('idle memory - a process that is never busy collects after its start, and then seldom', async () => {
  const { look } = byHand();
  assert.equal(await look(300), 0, 'it starts');
  for (let i = 0; i < 100; i++) await look(2);
  assert.equal(await look(2), 1);
});

test('idle memory - much garbage is a burst, however little time it took', async () => {
  const { look } = byHand();
  assert.equal(await look(3), 1, 'the start');
  assert.equal(await look(50, 5_000_000), 1, 'still at work');
  assert.equal(await look(3), 2);
  assert.equal(await look(3, 900_000), 2, 'not for a little');
  assert.equal(await look(3, 900_000), 2);
  assert.equal(await look(3, 900_000), 3, 'little by little');
});

test('idle memory - where much is in use, more garbage makes a burst: each collection goes through all of it', async () => {
  const { look } = byHand(100_000_000);
  assert.equal(await look(3), 1, 'the start');
  for (let i = 0; i < 9; i++) assert.equal(await look(3, 2_100_000), 1);
  assert.equal(await look(3, 2_100_000), 2);
});

test('idle memory - the nursery that work has made is given back at once', { timeout: 10_000 }, async () => {
  const nursery = (): number =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? NaN;
  let kept: object[] = [];
  for (let i = 0; i < 2_000_000 || nursery() <= 2 ** 20; i++) {
    kept.push({ i });
    if (kept.length > 50_000) kept = [];
  }
  let look: () => void = () => undefined;
  const clock = {
    ...systemClock,
    every: (_ms: number, each: () => void) => ((look = each), { cancel() {} }),
  };
  releaseMemoryAtRest(clock);
  // V8's own threads may still be sweeping, so the first look may find no rest; and V8 itself gives a part back, but
  // not all of it
  while (nursery() > 2 ** 20) {
    look();
    await new Promise((resolve) => setImmediate(resolve));
  }
});
