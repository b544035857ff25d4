/** How many may listen to events, and what they may let wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { EventReaders } from '../../../../src/programs/api/event-readers.ts';

const MiB = 1024 * 1024;

/** Readers whose waiting bytes are set by hand. */
function made(): {
  readers: EventReaders;
  enter: (user: string, sizeBytes?: number) => (() => void) | undefined;
  cut: string[];
} {
  const readers = new EventReaders(systemClock, silentLogger);
  const cut: string[] = [];
  const enter = (user: string, sizeBytes = 0): (() => void) | undefined =>
    readers.enter({
      name: `a reader of ${user}`,
      user,
      waitingBytes: () => sizeBytes,
      cutOff: () => void cut.push(`${user} ${sizeBytes / MiB}`),
    });
  return { readers, enter, cut };
}

test('event readers - a user has a share of them, and others still get in', () => {
  const { readers, enter } = made();
  const leave = Array.from({ length: 250 }, () => enter('limited'));
  assert.ok(leave.every((each) => each !== undefined));
  assert.equal(enter('limited'), undefined);
  assert.ok(enter('alice') !== undefined);
  leave[0]?.();
  leave[0]?.();
  assert.ok(enter('limited') !== undefined);
  assert.equal(enter('limited'), undefined);
  assert.deepEqual(readers.counters, { refused: 2, cutOff: 0 });
});

test('event readers - all together have a bound', () => {
  const { enter, readers } = made();
  for (let at = 0; at < 5_000; at++) assert.ok(enter(`user${at % 100}`) !== undefined);
  assert.equal(enter('alice'), undefined);
  assert.equal(readers.size, 5_000);
});

test('event readers - what waits for one user is bounded, and those go who let most wait', () => {
  const { readers, enter, cut } = made();
  for (const size of [1, 4, 3, 4, 4, 4]) enter('limited', size * MiB);
  enter('alice', 4 * MiB);
  readers.look();
  assert.deepEqual(cut, ['limited 4']);
  assert.equal(readers.size, 6);
  readers.look();
  assert.equal(cut.length, 1);
});

test('event readers - what waits for all is bounded', () => {
  const { readers, enter, cut } = made();
  for (let at = 0; at < 70; at++) enter(`user${at}`, MiB);
  readers.look();
  assert.equal(cut.length, 6);
});
