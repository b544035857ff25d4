/** Turns: work side by side, of which one part happens in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderedTurns } from '../../../../src/programs/master/commands/turns.ts';

test('turns - what takes longest to prepare keeps its place', async () => {
  const turns = new OrderedTurns();
  const sent: number[] = [];
  const ready = [0, 1, 2].map(() => gate());
  const work = ready.map(({ promise }, number) =>
    turns.run(async (turn) => {
      await promise;
      await turn.come;
      sent.push(number);
      turn.pass();
    }),
  );
  for (const { resolve } of ready.reverse()) resolve();
  await Promise.all(work);
  assert.deepEqual(sent, [0, 1, 2]);
});

test('turns - work that fails lets the next go on, in its place', async () => {
  const turns = new OrderedTurns();
  const order: string[] = [];
  const first = gate();
  const works = [
    turns.run(async (turn) => {
      await first.promise;
      order.push('first');
      turn.pass();
    }),
    turns.run(() => Promise.reject(new Error('no minions'))),
    turns.run(async (turn) => {
      await turn.come;
      order.push('third');
    }),
  ];
  await assert.rejects(works[1] as Promise<unknown>, /no minions/);
  first.resolve();
  await Promise.all([works[0], works[2]]);
  assert.deepEqual(order, ['first', 'third']);
});

interface Gate {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function gate(): Gate {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, resolve: () => open() };
}
