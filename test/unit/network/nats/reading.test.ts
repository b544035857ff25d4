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
    [750, 1_500, 3_000, 750, 1_500],
  );
  bringLate();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(late.isStopped, true);
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
