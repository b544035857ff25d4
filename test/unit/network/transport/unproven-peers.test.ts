/** Half messages of whoever has proved nothing share a small budget, and a message that is on its way goes through. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { encodeRequest } from '../../../../src/network/transport/tcp/frames.ts';
import { requestServer } from '../../../../src/network/transport/transports.ts';
import { UnprovenPeers } from '../../../../src/network/transport/unproven-peers.ts';
import { encodeMessage, handshake } from '../../../../src/network/transport/zmtp/frames.ts';
import { until } from '../../../support/fleet.ts';

const KiB = 1024;
const MiB = KiB * KiB;

/** Sends bytes on a connection of its own; the more of a request, the more of it is kept back. */
type Send = (t: TestContext, port: number, body: Buffer, keptBackBytes: number) => Promise<Sender>;
interface Sender {
  send(body: Buffer, keptBackBytes: number): void;
}

const raw =
  (first: Buffer, frame: (each: Buffer) => Buffer): Send =>
  async (t, port, body, keptBackBytes) => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    const send = (each: Buffer, kept: number): void => {
      const bytes = frame(each);
      socket.write(bytes.subarray(0, bytes.length - kept));
    };
    socket.write(first);
    send(body, keptBackBytes);
    return { send };
  };

const SENDERS: Readonly<Record<string, Send>> = {
  zeromq: raw(handshake('DEALER', Buffer.alloc(0)), (each) => encodeMessage([Buffer.alloc(0), each])),
  tcp: raw(Buffer.alloc(0), (each) => encodeRequest(1, each)),
  ws: async (t, port, body, keptBackBytes) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    t.after(() => socket.terminate());
    socket.on('error', () => undefined);
    await once(socket, 'open');
    const send = (each: Buffer, kept: number): void => {
      if (kept > 0) socket.send(each.subarray(0, each.length - kept), { fin: false });
      else socket.send(each);
    };
    send(body, keptBackBytes);
    return { send };
  },
};

for (const [name, send] of Object.entries(SENDERS))
  test(`unproven peers - half messages by ${name} wait for room, stand in nobody's way, and spare who is known`, async (t) => {
    const served: number[] = [];
    const refused: string[] = [];
    const server = await requestServer(
      name,
      {
        address: { host: '127.0.0.1', port: 0 },
        backlog: 200,
        messageBytesMax: 16 * MiB,
        bufferedBytesMax: 512 * MiB,
        unprovenBytesMax: 4 * MiB,
        clock: systemClock,
      },
      ({ body, reply, proven }) => {
        served.push(body.length);
        if (body.includes('minion')) proven();
        reply(encode('done', 'network'));
      },
      (_from, reason) => refused.push(reason.message),
    );
    const address = await server.start();
    t.after(() => server.close());
    const port = 'port' in address ? address.port : 0;
    const known = await send(t, port, encode('minion', 'network'), 0);
    await until('it is known', () => served.length === 1);
    known.send(encode('x'.repeat(600 * KiB), 'network'), 100);
    const half = encode('x'.repeat(512 * KiB), 'network');
    for (let i = 0; i < 20; i++) await send(t, port, half, 100);
    await until('some wait', () => server.counters.waitedPeers > 0);
    // a return of a minion on a connection that is new
    await send(t, port, encode('y'.repeat(3 * MiB), 'network'), 0);
    await until('it is served', () => served.length === 2);
    assert.ok((served[1] ?? 0) > 3 * MiB);
    const standing = refused.filter((reason) => reason.includes('does not come on'));
    assert.ok(standing.length > 0 && server.counters.standingPeers === standing.length);
    assert.match(standing[0] ?? '', /does not come on with a message \(\d+ bytes/);
    assert.doesNotMatch(standing.join('\n'), /\(6\d{5} bytes/, 'whoever is known is not asked to make room');
  });

interface FakePeer {
  readonly name: string;
  pendingBytes: number;
  destroy(error: Error): void;
}

function setUp(bytesMax: number) {
  let nowMs = 0;
  let look: (() => void) | undefined;
  const clock = {
    monotonicMs: () => nowMs,
    every: (_ms: number, call: () => void) => {
      look = call;
      return { cancel: () => (look = undefined) };
    },
  } as unknown as Clock;
  const went: string[] = [];
  const counters = { waitedPeers: 0, standingPeers: 0 };
  const unread = new Set<string>();
  const peers = new UnprovenPeers<FakePeer>({
    bytesMax,
    clock,
    isRead: ({ name }) => !unread.has(name),
    pause: ({ name }) => went.push(`pause ${name}`),
    goOn: ({ name }) => went.push(`read ${name}`),
    counters,
  });
  const peer = (name: string): FakePeer => ({
    name,
    pendingBytes: 0,
    destroy: () => went.push(`cut ${name}`),
  });
  const comes = (from: FakePeer, bytes: number): void => {
    from.pendingBytes += bytes;
    peers.received(from, bytes);
  };
  const whole = (from: FakePeer): void => {
    from.pendingBytes = 0;
    peers.received(from, 1);
  };
  const pass = (ms: number): void => {
    for (const untilMs = nowMs + ms; nowMs < untilMs;) {
      nowMs += 50;
      look?.();
    }
  };
  const later = (ms: number): void => {
    nowMs += ms;
    look?.();
  };
  return {
    peers,
    peer,
    comes,
    whole,
    pass,
    later,
    went,
    counters,
    unread,
    isLooking: () => look !== undefined,
  };
}

type Four = [FakePeer, FakePeer, FakePeer, FakePeer];

test('unproven peers - who stands still makes room, and nobody looks when there is some', () => {
  const { peer, comes, whole, pass, went, counters, isLooking } = setUp(MiB);
  const [still, quick, other, late] = ['still', 'quick', 'other', 'late'].map(peer) as Four;
  comes(still, 400 * KiB);
  pass(60_000);
  comes(quick, 300 * KiB);
  comes(other, 300 * KiB);
  assert.deepEqual(went, [], 'while there is room nobody is asked to hurry');
  comes(late, 64 * KiB);
  assert.deepEqual(went.splice(0), ['pause late']);
  pass(250);
  assert.deepEqual(went.splice(0), ['read late'], 'it may finish');
  pass(500);
  comes(late, 100 * KiB);
  assert.deepEqual(went, []);
  pass(250);
  assert.deepEqual(went.splice(0), ['cut still', 'cut quick'], 'as many as there has to be room');
  whole(late);
  pass(60_000);
  assert.deepEqual(went, []);
  assert.deepEqual(counters, { waitedPeers: 1, standingPeers: 2 });
  assert.equal(isLooking(), false);
});

test('unproven peers - those that wait for each other finish in turns, within a time and a size', () => {
  const { peer, comes, whole, pass, later, went } = setUp(MiB);
  const [first, second, third, fourth] = ['1', '2', '3', '4'].map(peer) as Four;
  for (const each of [first, second, third, fourth]) comes(each, 256 * KiB);
  for (const each of [first, second, third]) comes(each, 16 * KiB);
  assert.deepEqual(went.splice(0), ['pause 1', 'pause 2', 'pause 3']);
  pass(250);
  assert.deepEqual(went.splice(0), ['read 1', 'read 2', 'read 3']);
  comes(second, 400 * KiB);
  assert.deepEqual(went, [], 'there is a little more room for turns');
  comes(third, 400 * KiB);
  assert.deepEqual(went.splice(0), ['pause 3'], 'but not for all they may bring');
  pass(1_000);
  assert.deepEqual(went.splice(0).sort(), ['cut 1', 'cut 2', 'cut 4', 'read 3'], 'who does not come on goes');
  for (let s = 0; s < 3; s++) {
    comes(third, 4 * MiB);
    pass(500);
  }
  assert.deepEqual(went, [], 'one goes through, however large it is');
  for (let s = 0; s < 15; s++) {
    assert.deepEqual(went, []);
    comes(third, 40 * KiB);
    pass(500);
  }
  assert.deepEqual(went.splice(0), ['cut 3'], 'within its time');
  // what was not read because of us is nobody's fault
  const [fifth, sixth] = ['5', '6'].map(peer) as Four;
  comes(fifth, 600 * KiB);
  comes(sixth, 600 * KiB);
  assert.deepEqual(went.splice(0), ['pause 6']);
  later(5_000);
  assert.deepEqual(went.splice(0), ['read 6']);
  whole(sixth);
  pass(60_000);
  assert.deepEqual(went, [], 'and with room again nobody goes');
});

test('unproven peers - whoever has proved who it is waits no longer, and is not measured', () => {
  const { peers, peer, comes, pass, went, unread } = setUp(MiB);
  const [known, held, late] = ['known', 'held', 'late'].map(peer) as Four;
  comes(known, 500 * KiB);
  unread.add('held');
  comes(held, 500 * KiB);
  comes(late, 100 * KiB);
  assert.deepEqual(went.splice(0), ['pause late']);
  peers.prove(late);
  assert.deepEqual(went.splice(0), ['read late']);
  comes(late, 100 * MiB);
  peers.prove(known);
  pass(10_000);
  assert.deepEqual(went, [], 'nor is one that is not read for another reason');
});
