/** A stream is read on whatever becomes of the server that keeps the reader. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { StreamReading, type ReadingDeps } from '../../../../src/network/nats/reading.ts';

/** A reader with these messages, which then ends, or waits until it is stopped. */
class FakeReader {
  isStopped = false;
  readonly #places: readonly number[];
  readonly #goesOn: boolean;
  #stop: () => void = () => undefined;

  constructor(places: readonly number[], goesOn: boolean) {
    this.#places = places;
    this.#goesOn = goesOn;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<{ seq: number; subject: string; data: Uint8Array }> {
    for (const seq of this.#places) yield { seq, subject: 's', data: new Uint8Array() };
    if (this.#goesOn && !this.isStopped) await new Promise<void>((resolve) => (this.#stop = resolve));
  }

  status(): AsyncIterable<never> {
    return none();
  }

  stop(): void {
    this.isStopped = true;
    this.#stop();
  }

  close(): Promise<void> {
    return Promise.resolve(this.stop());
  }
}

async function* none(): AsyncGenerator<never> {}

test('a reader that is not made in time is given up, and the next try has longer', async (t) => {
  const slept: number[] = [];
  const late = new FakeReader([2, 3], false);
  let bringLate = (): void => undefined;
  const never = new Promise<FakeReader>(() => undefined);
  const readers = [
    ...[
      Promise.resolve(new FakeReader([1], false)),
      new Promise<FakeReader>((done) => (bringLate = () => done(late))),
    ],
    ...[
      never,
      Promise.resolve(new FakeReader([2], false)),
      never,
      Promise.resolve(new FakeReader([3], true)),
    ],
  ];
  const asked: number[] = [];
  const get = (_stream: string, { opt_start_seq: from }: { opt_start_seq: number }): unknown => {
    asked.push(from);
    return { consume: () => readers.shift() ?? never };
  };
  const { promise: isThere, resolve: done } = withResolvers();
  const taken: number[] = [];
  const deps = {
    nats: { isClosed: () => false, status: none },
    client: { consumers: { get } },
    startAt: 'by_start_sequence',
    clock: {
      ...systemClock,
      // nobody looks after the reader here; every other time is over at once
      sleep: (delayMs: number, signal?: AbortSignal) => {
        if (delayMs === 1_000) return systemClock.sleep(600_000, signal);
        slept.push(delayMs);
        return new Promise<void>((resolve) => setImmediate(resolve));
      },
    },
    stream: 'S',
    lastMessage: () => Promise.resolve(0),
    lastPlace: () => Promise.resolve(0),
    report: () => undefined,
    take: ({ sequence }: { sequence: number }) => {
      taken.push(sequence);
      if (sequence === 3) done();
    },
  } as unknown as ReadingDeps;
  const reading = await StreamReading.start(deps, 1);
  t.after(() => reading.stop());
  await isThere;
  assert.deepEqual(taken, [1, 2, 3]);
  assert.deepEqual(asked, [1, 2, 2, 2, 3, 3]);
  // after a reader that was there the first try is a short one again
  assert.deepEqual(
    slept.filter((delayMs) => delayMs !== 250),
    [750, 750, 1_500, 3_000, 750, 1_500],
  );
  bringLate();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(late.isStopped, true);
});

test('what a reader does not bring is asked of the leader, before another reader is made', async (t) => {
  const readers = [1, 2, 3].map(() => new FakeReader([], true));
  const asked: number[] = [];
  const { promise: isThere, resolve: done } = withResolvers();
  const taken: number[] = [];
  const deps = {
    nats: { isClosed: () => false, status: none },
    client: {
      consumers: {
        get: (_stream: string, { opt_start_seq: from }: { opt_start_seq: number }) => {
          asked.push(from);
          return { consume: () => Promise.resolve(readers.shift()) };
        },
      },
    },
    startAt: 'by_start_sequence',
    clock: {
      ...systemClock,
      // looks and pauses are over at once; making a reader is never late
      sleep: (delayMs: number, signal?: AbortSignal) =>
        delayMs === 750
          ? systemClock.sleep(600_000, signal)
          : new Promise<void>((resolve) => setImmediate(resolve)),
    },
    stream: 'S',
    lastMessage: () => Promise.resolve(4),
    lastPlace: () => Promise.resolve(4),
    nextMessage: (from: number) =>
      Promise.resolve(
        from > 4 ? undefined : { sequence: from + (from % 2), subject: 's', data: new Uint8Array() },
      ),
    report: () => undefined,
    take: ({ sequence }: { sequence: number }) => {
      taken.push(sequence);
      if (sequence === 4) done();
    },
  } as unknown as ReadingDeps;
  const reading = await StreamReading.start(deps, 1);
  t.after(() => reading.stop());
  await isThere;
  while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
  // places of messages that were refused are empty
  assert.deepEqual(taken, [2, 4]);
  assert.deepEqual(asked, [1, 5]);
});

test('the first reader has no more time than a later one: three tries, then it is asked again as what is only late', async (t) => {
  const never = new Promise<FakeReader>(() => undefined);
  const readers = [never, Promise.resolve(new FakeReader([1], true)), never, never, never];
  const { promise: isThere, resolve: done } = withResolvers();
  const deps = {
    nats: { isClosed: () => false, status: none },
    client: { consumers: { get: () => ({ consume: () => readers.shift() }) } },
    startAt: 'by_start_sequence',
    clock: {
      ...systemClock,
      sleep: (delayMs: number, signal?: AbortSignal) =>
        delayMs === 1_000
          ? systemClock.sleep(600_000, signal)
          : new Promise<void>((resolve) => setImmediate(resolve)),
    },
    stream: 'S',
    lastMessage: () => Promise.resolve(0),
    lastPlace: () => Promise.resolve(0),
    report: () => undefined,
    take: done,
  } as unknown as ReadingDeps;
  const reading = await StreamReading.start(deps, 1);
  t.after(() => reading.stop());
  await isThere;
  await assert.rejects(StreamReading.start(deps, 1), {
    name: 'TimeoutError',
    message: /reader of the stream S/,
  });
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
