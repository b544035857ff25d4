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

/** What a reading of the stream S needs; readers are made by `consume`, one after another. */
function depsOf(change: {
  readonly consume: (from: number) => Promise<FakeReader> | undefined;
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  readonly take: (message: { readonly sequence: number }) => void;
  readonly last?: number;
  readonly nextMessage?: (from: number) => Promise<unknown>;
}): ReadingDeps {
  const { consume, sleep, take, last = 0, nextMessage } = change;
  const get = (_stream: string, { opt_start_seq: from }: { opt_start_seq: number }): unknown => ({
    consume: () => consume(from),
  });
  return {
    nats: { isClosed: () => false, status: none },
    client: { consumers: { get } },
    startAt: 'by_start_sequence',
    clock: { ...systemClock, sleep },
    stream: 'S',
    lastMessage: () => Promise.resolve(last),
    lastPlace: () => Promise.resolve(last),
    nextMessage: nextMessage ?? (() => Promise.resolve(undefined)),
    report: () => undefined,
    take,
  } as unknown as ReadingDeps;
}

/** Over at once, but for one that is to last. */
const atOnceBut =
  (lasting: number) =>
  (delayMs: number, signal?: AbortSignal): Promise<void> =>
    delayMs === lasting
      ? systemClock.sleep(600_000, signal)
      : new Promise<void>((resolve) => setImmediate(resolve));

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
  const { promise: isThere, resolve: done } = withResolvers();
  const taken: number[] = [];
  const deps = depsOf({
    consume: (from) => {
      asked.push(from);
      return readers.shift() ?? never;
    },
    // nobody looks after the reader here
    sleep: (delayMs, signal) => {
      if (delayMs !== 1_000) slept.push(delayMs);
      return atOnceBut(1_000)(delayMs, signal);
    },
    take: ({ sequence }) => {
      taken.push(sequence);
      if (sequence === 3) done();
    },
  });
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
  const deps = depsOf({
    consume: (from) => {
      asked.push(from);
      const reader = readers.shift();
      return reader === undefined ? undefined : Promise.resolve(reader);
    },
    // making a reader is never late
    sleep: atOnceBut(750),
    last: 4,
    nextMessage: (from) =>
      Promise.resolve(
        from > 4 ? undefined : { sequence: from + (from % 2), subject: 's', data: new Uint8Array() },
      ),
    take: ({ sequence }) => {
      taken.push(sequence);
      if (sequence === 4) done();
    },
  });
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
  const deps = depsOf({ consume: () => readers.shift(), sleep: atOnceBut(1_000), take: done });
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
