import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batcher } from '../../../../src/programs/syndic/batcher.ts';
import { JumpingClock } from '../../runtime/client/fake-master.ts';

const item = (name: string, sizeBytes = 1): { name: string; sizeBytes: number } => ({ name, sizeBytes });

/** A batcher whose batches are answered when the test says so. */
function slow(itemsMax = 100, bytesMax = 1000, isHeld = () => false) {
  const clock = new JumpingClock();
  const sent: { names: string; isBusy: boolean; atMs: number; answer: () => void }[] = [];
  const batcher = new Batcher<ReturnType<typeof item>>({
    send: (items, isBusy) =>
      new Promise((resolve) => {
        const names = items.map(({ name }) => name).join('');
        sent.push({ names, isBusy, atMs: clock.nowMs(), answer: resolve });
      }),
    isHeld,
    itemsMax,
    bytesMax,
    longestMs: 500,
    clock,
  });
  return { batcher, sent, clock };
}

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('batcher - one thing goes at once, and what comes in the same breath with it', async () => {
  const { batcher, sent } = slow();
  for (const name of 'abc') batcher.add(item(name));
  await breath();
  assert.deepEqual(
    sent.map(({ names, isBusy, atMs }) => [names, isBusy, atMs]),
    [['abc', false, 0]],
  );
});

test('batcher - what comes while a batch is under way waits for its end, or for the longest time', async () => {
  const { batcher, sent, clock } = slow();
  batcher.add(item('a'));
  await breath();
  batcher.add(item('b'));
  sent[0]?.answer();
  await breath();
  assert.equal(sent[1]?.names, 'b');
  batcher.add(item('c'));
  await clock.sleep(600);
  assert.deepEqual([sent[2]?.names, sent[2]?.atMs], ['c', 500]);
});

test('batcher - what would only wait is gathered for the longest time', async () => {
  let isHeld = true;
  const { batcher, sent, clock } = slow(100, 1000, () => isHeld);
  for (const name of 'abc') {
    batcher.add(item(name));
    await clock.sleep(100);
  }
  assert.equal(sent.length, 0);
  await clock.sleep(300);
  assert.deepEqual([sent[0]?.names, sent[0]?.atMs], ['abc', 500]);
  batcher.add(item('d'));
  sent[0]?.answer();
  await breath();
  assert.equal(sent.length, 1);
  await clock.sleep(600);
  sent[1]?.answer();
  await breath();
  isHeld = false;
  batcher.add(item('e'));
  await breath();
  assert.deepEqual(
    sent.map(({ names }) => names),
    ['abc', 'd', 'e'],
  );
});

test('batcher - full batches go without waiting, and are told when many are under way', async () => {
  const { batcher, sent } = slow(2, 1000);
  for (const name of 'abcdefghijkl') batcher.add(item(name));
  assert.deepEqual(
    sent.map(({ names }) => names),
    ['ab', 'cd', 'ef', 'gh', 'ij', 'kl'],
  );
  assert.deepEqual(
    sent.map(({ isBusy }) => isBusy),
    [false, false, false, false, true, true],
  );
  assert.equal(batcher.waiting, 0);
});

test('batcher - a batch has at most so many bytes, but for one thing that is larger', async () => {
  const { batcher, sent } = slow(100, 10);
  batcher.add(item('a', 4));
  batcher.add(item('b', 4));
  batcher.add(item('c', 40));
  await breath();
  assert.deepEqual(
    sent.map(({ names }) => names),
    ['ab', 'c'],
  );
});
