import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { TimeLimit } from '../../../../src/runtime/python-host/time-limit.ts';

/** A clock that stands until it is moved. */
class HandClock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  readonly clock: Clock = {
    ...systemClock,
    monotonicMs: () => this.#nowMs,
    after: (delayMs, run) => {
      const timer = { atMs: this.#nowMs + delayMs, run };
      this.#timers.add(timer);
      return { cancel: () => void this.#timers.delete(timer) };
    },
  };

  get timers(): number {
    return this.#timers.size;
  }

  move(byMs: number): void {
    this.#nowMs += byMs;
    for (const timer of [...this.#timers])
      if (timer.atMs <= this.#nowMs) {
        this.#timers.delete(timer);
        timer.run();
      }
  }
}

/** A limit, what moves its time, and how often it has run out. */
function limited(limitMs: number): { hand: HandClock; limit: TimeLimit; late: () => number } {
  const hand = new HandClock();
  let late = 0;
  const limit = new TimeLimit(hand.clock, limitMs, () => late++);
  return { hand, limit, late: () => late };
}

/** Something that takes until it is let go. */
function work(): { done: () => void; run: () => Promise<void> } {
  let done = (): void => undefined;
  const end = new Promise<void>((resolve) => (done = resolve));
  return { done, run: () => end };
}

test('the time limit of Python - runs out once, and not after its end', () => {
  const { hand, late } = limited(100);
  hand.move(99);
  assert.equal(late(), 0);
  hand.move(1);
  hand.move(1000);
  assert.equal(late(), 1);

  const ended = limited(100);
  ended.limit.end();
  ended.hand.move(1000);
  assert.deepEqual([ended.late(), ended.hand.timers], [0, 0]);
});

test('the time limit of Python - what runs elsewhere does not count, however much of it runs at once', async () => {
  const { hand, limit, late } = limited(100);
  hand.move(60);
  const [first, second] = [work(), work()];
  const outside = [limit.outside(first.run), limit.outside(second.run)];
  hand.move(500);
  first.done();
  await outside[0];
  hand.move(500);
  assert.equal(late(), 0);
  second.done();
  await outside[1];
  hand.move(39);
  assert.equal(late(), 0);
  hand.move(1);
  assert.equal(late(), 1);
});

test('the time limit of Python - goes on when what runs elsewhere fails, and ends when it has ended meanwhile', async () => {
  const { hand, limit, late } = limited(100);
  await assert.rejects(
    limit.outside(() => Promise.reject(new Error('no'))),
    /no/,
  );
  hand.move(100);
  assert.equal(late(), 1);

  const ended = limited(100);
  const open = work();
  const outside = ended.limit.outside(open.run);
  ended.limit.end();
  open.done();
  await outside;
  ended.hand.move(1000);
  assert.deepEqual([ended.late(), ended.hand.timers], [0, 0]);
});

test('the time limit of Python - without one no time is taken', async () => {
  const { hand, limit, late } = limited(Infinity);
  await limit.outside(() => Promise.resolve());
  hand.move(1e12);
  assert.deepEqual([late(), hand.timers], [0, 0]);
});
