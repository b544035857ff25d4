/** Whoever sends thousands of requests one behind the other has his share served, and holds up nobody else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { FairShares } from '../../../../src/network/transport/fair-shares.ts';
import { encodeRequest } from '../../../../src/network/transport/tcp/frames.ts';
import type { IncomingRequest } from '../../../../src/network/transport/transport.ts';
import { requestServer } from '../../../../src/network/transport/transports.ts';
import { encodeMessage, handshake } from '../../../../src/network/transport/zmtp/frames.ts';
import { until } from '../../../support/fleet.ts';

const COUNT = 3_000;
const body = (text: string): Buffer => encode(text, 'network');

type Send = (t: TestContext, port: number, bodies: readonly Buffer[]) => Promise<void>;

const raw =
  (first: Buffer, frame: (each: Buffer, index: number) => Buffer): Send =>
  async (t, port, bodies) => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(Buffer.concat([first, ...bodies.map(frame)]));
  };

const SENDERS: Readonly<Record<string, Send>> = {
  zeromq: raw(handshake('DEALER', Buffer.alloc(0)), (each) => encodeMessage([Buffer.alloc(0), each])),
  tcp: raw(Buffer.alloc(0), (each, index) => encodeRequest(index, each)),
  ws: async (t, port, bodies) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    t.after(() => socket.terminate());
    await once(socket, 'open');
    for (const each of bodies) socket.send(each);
  },
};

for (const [name, send] of Object.entries(SENDERS))
  test(`fair shares - one peer that sends thousands of requests by ${name} does not hold up another`, async (t) => {
    const under: IncomingRequest[] = [];
    const server = await requestServer(
      name,
      {
        address: { host: '127.0.0.1', port: 0 },
        backlog: 100,
        messageBytesMax: 1024 * 1024,
        bufferedBytesMax: 64 * 1024 * 1024,
        clock: systemClock,
      },
      ({ body: given, ...request }) => under.push({ ...request, body: Buffer.from(given) }),
      (_from, reason) => assert.fail(reason),
    );
    const address = await server.start();
    t.after(() => server.close());
    const port = 'port' in address ? address.port : 0;
    await send(
      t,
      port,
      Array.from({ length: COUNT }, (_, index) => body(`flood ${index}`)),
    );
    await until('its share is under way', () => under.length >= 256);
    await send(t, port, [body('other')]);
    assert.equal(server.counters.heldPeers, 1);
    await until('the other one is served', () => under.some(({ body: each }) => each.includes('other')));
    assert.equal(under.length, 257, 'and no more of the first');
    // the port is stopped and read again: that lets nobody out of turn
    server.setPaused(true);
    server.setPaused(false);
    // whatever is answered makes room, in order, until all are served
    const seen: number[] = [];
    while (seen.length < COUNT) {
      await until('there is a request', () => under.length > 0);
      assert.ok(under.length <= 257);
      const request = under.shift() as IncomingRequest;
      const [, index] = /flood (\d+)/.exec(String(request.body)) ?? [];
      if (index !== undefined) seen.push(Number(index));
      request.reply(body('done'));
    }
    assert.deepEqual(
      seen,
      Array.from({ length: COUNT }, (_, index) => index),
    );
  });

test('fair shares - many busy peers have less each, and what waits for long no longer counts', () => {
  let nowMs = 0;
  let look: () => void = () => undefined;
  const clock = {
    monotonicMs: () => nowMs,
    every: (_ms: number, call: () => void) => {
      look = call;
      return { cancel: () => undefined };
    },
  } as unknown as Clock;
  const went: string[] = [];
  const counters = { heldPeers: 0 };
  const peer = (name: string) => ({
    name,
    hold: () => went.push(`hold ${name}`),
    release: () => went.push(`release ${name}`),
  });
  type Peer = ReturnType<typeof peer>;
  const shares = new FairShares<Peer>(clock, counters, ({ name }) => went.push(`read ${name}`));
  const peers = Array.from({ length: 64 }, (_, index) => peer(`p${index}`));
  const [one] = peers as [Peer];
  const ended = peers.map((each) => shares.begin(each, 0));
  for (let i = 0; i < 6; i++) ended.push(shares.begin(one, 0));
  assert.deepEqual(went, []);
  ended.push(shares.begin(one, 0));
  assert.deepEqual(went.splice(0), ['hold p0'], 'eight are a share of 256 among 64');
  for (const end of ended.slice(-4)) end();
  assert.deepEqual(went.splice(0), ['release p0', 'read p0']);
  for (let i = 0; i < 4; i++) shares.begin(one, 0);
  assert.deepEqual(went.splice(0), ['hold p0']);
  nowMs = 1_000;
  look();
  assert.deepEqual(went, []);
  nowMs = 2_000;
  look();
  assert.deepEqual(went.splice(0), ['release p0', 'read p0']);

  // large ones count several times; the first is served however large it is
  for (const end of ended.splice(1)) end();
  went.length = 0;
  const large = [shares.begin(one, 100_000), shares.begin(one, 100_000)];
  assert.deepEqual(went, []);
  while (went.length === 0) large.push(shares.begin(one, 100_000));
  assert.deepEqual(went.splice(0), ['hold p0']);
  assert.equal(large.length, 20, 'of 100 kB each, with one peer alone');
  for (const end of large) end();
  assert.deepEqual(went.splice(0), ['release p0', 'read p0']);
  const huge = shares.begin(one, 100_000_000);
  assert.deepEqual(went.splice(0), ['hold p0']);
  huge();
  assert.deepEqual(went.splice(0), ['release p0', 'read p0']);
  // who has gone is not released
  for (let i = 0; i < 256; i++) ended.push(shares.begin(one, 0));
  assert.deepEqual(went.splice(0), ['hold p0']);
  assert.equal(counters.heldPeers, 5);
  shares.remove(one);
  for (const end of ended) end();
  assert.deepEqual(went, []);
});
