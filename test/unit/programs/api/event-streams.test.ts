/** Readers of events: what is sent to them together, and how. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BusEvent } from '../../../../src/network/events/framing.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import type { BusFeed } from '../../../../src/programs/api/bus-feed.ts';
import { EventReaders } from '../../../../src/programs/api/event-readers.ts';
import { EventStreams, type StreamReader } from '../../../../src/programs/api/event-streams.ts';
import { dict } from '../../../../src/python/values/value.ts';

/** A clock that stands until it is moved, and its timers. */
class StandingClock implements Clock {
  ms = 1_000;
  #timers: { atMs: number; run: () => void }[] = [];
  nowMs = (): number => this.ms;
  monotonicMs = (): number => this.ms;
  after(delayMs: number, run: () => void): { cancel(): void } {
    const timer = { atMs: this.ms + delayMs, run };
    this.#timers.push(timer);
    return { cancel: () => (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }
  every(): never {
    throw new Error('nothing is done in turns here');
  }
  sleep(): never {
    throw new Error('nobody sleeps here');
  }
  move(byMs: number): void {
    this.ms += byMs;
    const due = this.#timers.filter(({ atMs }) => atMs <= this.ms);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.ms);
    for (const { run } of due) run();
  }
}

function fixture(): { clock: StandingClock; streams: EventStreams; fire: (number: number) => void } {
  const clock = new StandingClock();
  let take: (event: BusEvent) => void = () => undefined;
  const feed: Pick<BusFeed, 'listen'> = {
    listen: (_wants, taker) => {
      take = taker;
      return Promise.resolve(() => undefined);
    },
  };
  return {
    clock,
    streams: new EventStreams(
      feed as BusFeed,
      new EventReaders(systemClock, silentLogger),
      clock,
      silentLogger,
    ),
    fire: (number) => take({ tag: `t/${number}`, data: dict({ number }), sizeBytes: 10 } as BusEvent),
  };
}

function reader(took: string[], onSend: () => void = () => undefined): StreamReader {
  return {
    name: 'a reader',
    user: 'alice',
    mayListen: () => true,
    send: () => assert.fail('one by one'),
    sendBytes: (bytes, chunk) => {
      const [length = '', rest = ''] = chunk.toString().split(/\r\n(.*)/s);
      assert.equal(Number.parseInt(length, 16), bytes.length);
      assert.equal(rest, `${bytes.toString()}\r\n`);
      took.push(
        ...bytes
          .toString()
          .match(/(?<=^tag: t\/)\d+/gm)!
          .map(String),
        '|',
      );
      onSend();
    },
    waitingBytes: () => 0,
    end: () => undefined,
  };
}

test('event streams - the first goes at once, those that follow soon go together, in their order', async () => {
  const { clock, streams, fire } = fixture();
  const took: string[] = [];
  await streams.add(reader(took));
  fire(1);
  fire(2);
  fire(3);
  clock.move(10);
  fire(4);
  clock.move(9);
  assert.deepEqual(took, ['1', '|', '2', '3', '|']);
  clock.move(1);
  assert.deepEqual(took, ['1', '|', '2', '3', '|', '4', '|']);
  streams.close();
});

test('event streams - readers that take long to send to are sent to less often, but four times a second at least', async () => {
  const { clock, streams, fire } = fixture();
  const took: string[] = [];
  await streams.add(reader(took, () => (clock.ms += 20)));
  fire(1);
  fire(2);
  clock.move(39);
  assert.deepEqual(took, ['1', '|']);
  clock.move(1);
  assert.deepEqual(took, ['1', '|', '2', '|']);
  const slow: string[] = [];
  await streams.add(reader(slow, () => (clock.ms += 5_000)));
  clock.move(1_000);
  fire(3);
  fire(4);
  clock.move(250);
  assert.deepEqual(slow, ['3', '|', '4', '|']);
  streams.close();
});
