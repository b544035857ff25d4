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

test('idle memory - is given back after a burst, when it is over, and once more after a while', () => {
  const { look } = byHand();
  assert.equal(look(5), 1, 'the start is over');
  assert.equal(look(800), 1, 'still at work');
  assert.equal(look(800), 1, 'still at work');
  assert.equal(look(3), 2);
  for (let seconds = 2; seconds < 7; seconds++) assert.equal(look(3), 2);
  for (let i = 0; i < 20; i++) assert.equal(look(3), 3);
});

test('idle memory - a rest that is interrupted begins anew', () => {
  const { look } = byHand();
  look(800);
  assert.equal(look(3), 1);
  for (let i = 0; i < 20; i++) assert.equal(look(i % 5 === 0 ? 25 : 3), 1);
});

test('idle memory - a process that is never busy collects after its start alone', () => {
  const { look } = byHand();
  assert.equal(look(300), 0, 'it starts');
  for (let i = 0; i < 100; i++) look(2);
  assert.equal(look(2), 2);
});
