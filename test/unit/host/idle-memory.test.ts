import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../src/host/clock.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { releaseMemoryAtRest } from '../../../src/host/idle-memory.ts';

/** Looks at the process by hand: each call of `look` is one period of the clock. */
function byHand(): { look: (cpuMs: number) => number } {
  let cpuMs = 0;
  let collections = 0;
  let run: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    every: (_periodMs, each) => {
      run = each;
      return { cancel: () => undefined };
    },
  };
  releaseMemoryAtRest(clock, { cpuMs: () => cpuMs, collect: () => void collections++ });
  return {
    look: (usedMs) => {
      cpuMs += usedMs;
      run();
      return collections;
    },
  };
}

test('idle memory - is given back once after a burst, when it is over', () => {
  const { look } = byHand();
  assert.equal(look(5), 0);
  assert.equal(look(800), 0, 'still at work');
  assert.equal(look(800), 0, 'still at work');
  assert.equal(look(3), 1);
  for (let i = 0; i < 10; i++) assert.equal(look(3), 1);
});

test('idle memory - a process that is never busy never collects', () => {
  const { look } = byHand();
  for (let i = 0; i < 50; i++) assert.equal(look(2), 0);
});
