import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FewAtATime } from '../../../../src/programs/master/commands/few-at-a-time.ts';

test('few at a time - never more than so many, and each in its turn', async () => {
  const few = new FewAtATime(3);
  const begun: number[] = [];
  const done: number[] = [];
  let running = 0;
  let most = 0;
  const work = async (number: number): Promise<number> => {
    begun.push(number);
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    done.push(number);
    return number;
  };
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  assert.deepEqual(await Promise.all(numbers.map((number) => few.run(() => work(number)))), numbers);
  assert.deepEqual([most, begun, done], [3, numbers, numbers]);
  assert.deepEqual(few.counters, { atOnce: 3, waited: 17 });
});

test('few at a time - work that waits for nothing leaves the others their turns', async () => {
  const few = new FewAtATime(2);
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(Array.from({ length: 50 }, () => few.run(async () => undefined)));
  isOver = true;
  assert.ok(turns >= 20, `${turns} turns in between`);
});

test('few at a time - work that fails gives its place on', async () => {
  const few = new FewAtATime(1);
  const failing = few.run(async () => {
    throw new Error('no');
  });
  const next = few.run(async () => 'done');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'done');
  assert.equal(await few.run(async () => 'again'), 'again');
  assert.deepEqual(few.counters, { atOnce: 2, waited: 1 });
});
