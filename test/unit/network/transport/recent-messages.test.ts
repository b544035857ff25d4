import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { Address } from '../../../../src/network/transport/address.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { RecentMessages } from '../../../../src/network/transport/recent-messages.ts';
import { ZmtpConnection, type ConnectionEvents } from '../../../../src/network/transport/zmtp/connection.ts';
import { Publisher } from '../../../../src/network/transport/zmtp/publisher.ts';
import { Subscriber } from '../../../../src/network/transport/zmtp/subscriber.ts';

const MiB = 1024 * 1024;

/** A clock that stands where it is put. */
function standingClock(): Clock & { at: number } {
  return { ...systemClock, at: 0, monotonicMs: () => clock.at };
}
let clock = standingClock();

test('recent messages - what came after the last one that was had, and not before the subscription', () => {
  clock = standingClock();
  const recent = new RecentMessages(clock);
  const numbers = (after: number, forMs: number): number[] =>
    recent.missed({ after, forMs }).map(({ number }) => number);
  for (const number of [1, 2, 3]) {
    clock.at = number * 1000;
    recent.add(number, '', Buffer.from(String(number)));
  }
  assert.deepEqual(numbers(1, 10_000), [2, 3]);
  assert.deepEqual(numbers(0, 1_000), [2, 3]);
  assert.deepEqual(numbers(3, 10_000), []);
  clock.at = 7_500;
  assert.deepEqual(numbers(0, 60_000), [3], 'what is older than five seconds is forgotten');
});

test('recent messages - many or large ones are forgotten early', () => {
  clock = standingClock();
  const recent = new RecentMessages(clock);
  for (let number = 1; number <= 10; number++) recent.add(number, '', Buffer.alloc(MiB));
  const kept = (): number[] => recent.missed({ after: 0, forMs: 1000 }).map(({ number }) => number);
  assert.equal(kept().length, 10, 'somebody may be about to get them');
  clock.at = 200;
  assert.deepEqual(kept(), [3, 4, 5, 6, 7, 8, 9, 10]);
});

test('publisher - a subscriber that was away for a moment gets what it has missed, once and in order', async (t) => {
  let lastNumber = 0;
  const publisher = new Publisher({
    address: { host: '127.0.0.1', port: 0 },
    backlog: 100,
    peerQueueBytesMax: MiB,
    clock: systemClock,
    identify: (properties) => {
      const after = properties.get('x-after');
      return { id: 'm', ...(after && { missed: { after: Number(after), forMs: 60_000 } }) };
    },
  });
  const address = await publisher.start();
  t.after(() => publisher.close());
  const seen: string[] = [];
  let wake = (): void => undefined;
  const upTo = async (count: number): Promise<void> => {
    while (seen.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  const subscribe = async (): Promise<Subscriber> => {
    const wasThere = lastNumber > 0;
    const subscriber: Subscriber = await new Promise((resolve) => {
      const made = new Subscriber(
        {
          address: (): Address => address,
          topics: ['a', 'b'],
          properties: () => new Map(wasThere ? [['X-After', Buffer.from(String(lastNumber))]] : []),
          messageBytesMax: MiB,
          reconnect: { defaultMs: 5, maxMs: 20, randomize: true },
          clock: systemClock,
          random: systemRandom,
        },
        {
          connected: () => resolve(made),
          disconnected: () => undefined,
          message: (parts) => {
            seen.push(parts.join(''));
            lastNumber = Number(parts[1]);
            wake();
          },
        },
      );
      made.start();
    });
    t.after(() => subscriber.close());
    return subscriber;
  };
  const publish = (topic: string, number: number): number =>
    publisher.publish([Buffer.from(topic), Buffer.from(String(number))], number);
  const first = await subscribe();
  while (publisher.subscribers < 1) await systemClock.sleep(1);
  publish('a', 1);
  await upTo(1);
  first.close();
  while (publisher.subscribers > 0) await systemClock.sleep(1);
  publish('b', 2);
  publish('other', 3);
  publish('a', 4);
  const second = await subscribe();
  await upTo(3);
  publish('a', 5);
  await upTo(4);
  second.close();
  assert.deepEqual(seen, ['a1', 'b2', 'a4', 'a5']);
  assert.equal(publisher.counters.resent, 2);
});

test('publisher - what is published just before a subscriber gets what it has missed is not lost', async (t) => {
  const publisher = new Publisher({
    address: { host: '127.0.0.1', port: 0 },
    backlog: 100,
    peerQueueBytesMax: 64 * MiB,
    clock: systemClock,
    // it had been subscribed for no time at all when its connection was cut
    identify: () => ({ id: 'm', missed: { after: 1, forMs: 0 } }),
  });
  const address = await publisher.start();
  t.after(() => publisher.close());
  const seen: string[] = [];
  const last = new Promise<void>((resolve) => {
    const subscriber = new Subscriber(
      {
        address: (): Address => address,
        topics: ['a'],
        properties: () => new Map(),
        messageBytesMax: 16 * MiB,
        reconnect: { defaultMs: 5, maxMs: 20, randomize: true },
        clock: systemClock,
        random: systemRandom,
      },
      {
        connected: () => undefined,
        disconnected: () => undefined,
        message: (parts) => {
          const text = String(parts[1]).slice(0, 5);
          seen.push(text);
          if (text === 'last') resolve();
        },
      },
    );
    subscriber.start();
    t.after(() => subscriber.close());
  });
  while (publisher.subscribers < 1) await new Promise((resolve) => setImmediate(resolve));
  const publish = (number: number, content: Buffer): number =>
    publisher.publish([Buffer.from('a'), content], number);
  publish(2, Buffer.from('small'));
  publish(3, Buffer.alloc(9 * MiB, 'large'));
  while (publisher.counters.resent === 0) await systemClock.sleep(1);
  publish(4, Buffer.from('last'));
  await last;
  assert.deepEqual(seen, ['small', 'large', 'last']);
});

test('zmtp - a peer whose sign of life has not been read yet is not given up', async (t) => {
  let beat = (): void => assert.fail('no heartbeat was asked for');
  let lastLook = (): void => assert.fail('it was not looked at once more');
  const held: Clock = {
    ...systemClock,
    every: (_periodMs, run) => {
      beat = run;
      return { cancel: () => undefined };
    },
    after: (_delayMs, run) => {
      lastLook = run;
      return { cancel: () => undefined };
    },
  };
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const connected = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const accepted = (await connected) as [Socket];
  const events = (ready: () => void): ConnectionEvents => ({
    ready,
    message: () => undefined,
    closed: () => undefined,
  });
  let ours!: ZmtpConnection;
  await new Promise<void>((resolve) => {
    const options = { messageBytesMax: MiB, clock: held, heartbeatMs: 10_000 };
    ours = new ZmtpConnection(accepted[0], { ...options, type: 'PUB' }, events(resolve));
    const theirs = new ZmtpConnection(
      socket,
      { messageBytesMax: MiB, clock: systemClock, type: 'SUB' },
      events(() => undefined),
    );
    t.after(() => theirs.destroy());
  });
  t.after(() => ours.destroy());
  const pong = once(accepted[0], 'data');
  beat();
  beat();
  assert.equal(ours.socket.destroyed, false, 'its answer may be waiting to be read');
  await pong;
  lastLook();
  assert.equal(ours.socket.destroyed, false);
  socket.pause();
  beat();
  beat();
  lastLook();
  assert.equal(ours.socket.destroyed, true, 'it has not answered although it had the time');
});
