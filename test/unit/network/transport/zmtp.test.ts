import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import * as zmq from 'zeromq';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import type { Address } from '../../../../src/network/transport/address.ts';
import { ZmtpConnection } from '../../../../src/network/transport/zmtp/connection.ts';
import {
  command,
  encodeMessage,
  handshake,
  ZmtpError,
  ZmtpParser,
} from '../../../../src/network/transport/zmtp/frames.ts';
import { Publisher } from '../../../../src/network/transport/zmtp/publisher.ts';
import { Requester } from '../../../../src/network/transport/zmtp/requester.ts';
import { Router, type RouterRequest } from '../../../../src/network/transport/zmtp/router.ts';
import { Subscriber } from '../../../../src/network/transport/zmtp/subscriber.ts';
import { until } from '../../../support/fleet.ts';
import { clientOf, LOCAL, MiB, portOf, startEcho, type EchoServer } from '../../../support/transport-ends.ts';

const parts = { clock: systemClock, random: systemRandom };

const echoRouter = (
  t: TestContext,
  handler?: (request: RouterRequest) => void,
): Promise<EchoServer<Router>> => startEcho(t, Router, handler);
const requester = (t: TestContext, address: () => Address): Requester => clientOf(t, Requester, address);

test('zmtp - a parser fed byte by byte sees the same messages', () => {
  const bodies = [0, 1, 255, 256, 70_000].map((n) => Buffer.alloc(n, n % 251));
  const stream = Buffer.concat([
    handshake('REQ', Buffer.alloc(0)),
    ...bodies.map((b) => encodeMessage([Buffer.alloc(0), b])),
  ]);
  const seen: Buffer[][] = [];
  const parser = new ZmtpParser(
    { messageBytesMax: MiB },
    {
      ready: (type) => assert.equal(type, 'REQ'),
      message: (m) => seen.push(m.map((p) => Buffer.from(p))),
      ping() {},
      pong() {},
    },
  );
  for (const byte of stream) parser.push(Buffer.from([byte]));
  assert.deepEqual(
    seen.map((m) => m[1]),
    bodies,
  );
});

test('zmtp - garbage, old versions, oversized messages and reserved flags end the connection', () => {
  const parser = (): ZmtpParser =>
    new ZmtpParser({ messageBytesMax: 1000 }, { ready() {}, message() {}, ping() {}, pong() {} });
  assert.throws(() => parser().push(Buffer.alloc(64, 0x41)), ZmtpError);
  const old = Buffer.from(handshake('REQ'));
  old[10] = 1;
  assert.throws(() => parser().push(old), ZmtpError);
  const greeted = parser();
  greeted.push(handshake('REQ'));
  assert.throws(() => greeted.push(Buffer.from([2, 0, 0, 0, 0, 0x7f, 0, 0, 0])), ZmtpError);
  const flagged = parser();
  flagged.push(handshake('REQ'));
  assert.throws(() => flagged.push(Buffer.from([0x80, 1, 1])), ZmtpError);
  const ready = handshake('REQ');
  const twice = parser();
  twice.push(ready);
  // each would start a heartbeat of its own
  assert.throws(() => twice.push(ready.subarray(64)), /says READY twice/);
});

test('zmtp - a peer that pings and reads nothing makes us hold only a little', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  t.after(() => socket.destroy());
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const ours = new ZmtpConnection(
    accepted,
    { type: 'PUB', messageBytesMax: 1024, clock: systemClock },
    { ready: () => undefined, message: () => undefined, closed: () => undefined },
  );
  t.after(() => ours.destroy());
  const pings = Array.from({ length: 5000 }, () => command('PING', Buffer.alloc(4000)));
  const bytes = Buffer.concat([handshake('SUB'), ...pings]);
  socket.write(bytes);
  await until('all pings are read', () => accepted.bytesRead === bytes.length);
  assert.ok(ours.queuedBytes < 128 * 1024, `${ours.queuedBytes} bytes`);
});

test('zmtp - requests under way at once find their replies in any order', async (t) => {
  const held: RouterRequest[] = [];
  const { address } = await echoRouter(t, (r) => {
    held.push({ ...r, body: Buffer.from(r.body) });
    if (held.length === 3) for (const each of held.reverse()) each.reply(each.body);
  });
  const client = requester(t, () => address);
  const replies = await Promise.all(['a', 'b', 'c'].map((text) => client.request(Buffer.from(text), 5000)));
  assert.deepEqual(replies.map(String), ['a', 'b', 'c']);
});

test('zmtp - a requester waits for a master that comes later and survives its restart', async (t) => {
  let address: Address = { host: '127.0.0.1', port: 1 };
  const client = requester(t, () => address);
  const early = client.request(Buffer.from('early'), 5000);
  const first = await echoRouter(t);
  address = first.address;
  assert.equal(String(await early), 'early');
  first.server.close();
  const second = await echoRouter(t);
  address = second.address;
  const again = await client
    .request(Buffer.from('again'), 5000)
    .catch(() => client.request(Buffer.from('again'), 5000));
  assert.equal(String(again), 'again');
});

test('zmtp - no reply in time is an error that names the address', async (t) => {
  const { address } = await echoRouter(t, () => undefined);
  const client = requester(t, () => address);
  await assert.rejects(
    client.request(Buffer.from('x'), 20),
    /No reply from tcp:\/\/127\.0\.0\.1:\d+ within 0 s/,
  );
});

test('zmtp - a peer that speaks something else is cut off and counted', async (t) => {
  const { server: router, address, refused } = await echoRouter(t);
  const socket = connect(portOf(address), '127.0.0.1');
  socket.resume();
  socket.write('GET / HTTP/1.1\r\n'.repeat(8));
  await once(socket, 'close');
  assert.equal(router.counters.refusedPeers, 1);
  assert.match(String(refused), /does not speak ZMTP/);
});

test('zmtp - so it is on the publish port, and its owner is told where from', async (t) => {
  const told: string[] = [];
  const publisher = new Publisher({
    address: LOCAL,
    backlog: 100,
    peerQueueBytesMax: MiB,
    clock: systemClock,
    refused: (from, error) => told.push(`${from}: ${error.message}`),
  });
  t.after(() => publisher.close());
  const socket = connect(portOf(await publisher.start()), '127.0.0.1');
  socket.resume();
  socket.write('GET / HTTP/1.1\r\n'.repeat(8));
  await once(socket, 'close');
  assert.equal(publisher.counters.refusedPeers, 1);
  assert.match(told.join(), /^127\.0\.0\.1:\d+: .*does not speak ZMTP/);
});

test('zmtp - libzmq requests reach our router and ours reach libzmq', async (t) => {
  const { address } = await echoRouter(t);
  const req = new zmq.Request({ linger: 0 });
  t.after(() => req.close());
  req.connect(`tcp://127.0.0.1:${portOf(address)}`);
  for (const size of [0, 1, 255, 256, 70_000, 5_000_000]) {
    const body = Buffer.alloc(size, 7);
    await req.send(body);
    assert.deepEqual((await req.receive())[0], body);
  }
  const router = new zmq.Router({ linger: 0 });
  t.after(() => router.close());
  await router.bind('tcp://127.0.0.1:0');
  const port = Number(router.lastEndpoint?.split(':').pop());
  const client = requester(t, () => ({ host: '127.0.0.1', port }));
  const reply = client.request(Buffer.from('hello'), 5000);
  const request = await router.receive();
  await router.send([...request.slice(0, -1), Buffer.from('world')]);
  assert.equal(String(await reply), 'world');
});

test('zmtp - topics reach their subscribers, ours and libzmq’s', async (t) => {
  const publisher = new Publisher({
    address: LOCAL,
    backlog: 100,
    peerQueueBytesMax: MiB,
    clock: systemClock,
  });
  const address = await publisher.start();
  t.after(() => publisher.close());
  const seen: string[] = [];
  const options = {
    reconnect: { defaultMs: 5, maxMs: 20, randomize: true },
    messageBytesMax: MiB,
    heartbeatMs: 20,
    ...parts,
  };
  const got = new Promise<void>((resolve) => {
    const subscriber = new Subscriber(
      { ...options, address: () => address, topics: ['web'] },
      {
        connected: () => undefined,
        disconnected: () => undefined,
        message: (message) => {
          seen.push(message.join('|'));
          resolve();
        },
      },
    );
    subscriber.start();
    t.after(() => subscriber.close());
  });
  const sub = new zmq.Subscriber({ linger: 0 });
  t.after(() => sub.close());
  sub.connect(`tcp://127.0.0.1:${portOf(address)}`);
  sub.subscribe('');
  while (publisher.subscribers < 2) await systemClock.sleep(2);
  assert.equal(publisher.publish([Buffer.from('db'), Buffer.from('1')]), 1);
  assert.equal(publisher.publish([Buffer.from('web'), Buffer.from('2')]), 2);
  await got;
  assert.deepEqual(seen, ['web|2']);
  assert.equal((await sub.receive()).join('|'), 'db|1');
  assert.equal((await sub.receive()).join('|'), 'web|2');
});

test('zmtp - a subscriber comes back after the publisher restarts', async (t) => {
  const start = async (): Promise<{ publisher: Publisher; address: Address }> => {
    const publisher = new Publisher({
      address: LOCAL,
      backlog: 100,
      peerQueueBytesMax: MiB,
      clock: systemClock,
    });
    t.after(() => publisher.close());
    return { publisher, address: await publisher.start() };
  };
  let current = await start();
  let connects = 0;
  const twice = new Promise<void>((resolve) => {
    const subscriber = new Subscriber(
      {
        address: () => current.address,
        topics: [''],
        reconnect: { defaultMs: 2, maxMs: 10, randomize: false },
        messageBytesMax: MiB,
        ...parts,
      },
      {
        connected: () => {
          connects++;
          if (connects === 2) resolve();
          else
            void start().then((next) => {
              const old = current;
              current = next;
              old.publisher.close();
            });
        },
        disconnected: () => undefined,
        message: () => undefined,
      },
    );
    subscriber.start();
    t.after(() => subscriber.close());
  });
  await twice;
});
