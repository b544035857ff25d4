import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import type { Address } from '../../../../src/network/transport/address.ts';
import {
  encodePublication,
  encodeReply,
  encodeRequest,
  envelopeIn,
  idIn,
  TcpFrameReader,
  TcpProtocolError,
  type TcpFrame,
} from '../../../../src/network/transport/tcp/frames.ts';
import { TcpPublisher, type TcpPublisherOptions } from '../../../../src/network/transport/tcp/publisher.ts';
import { TcpRequestClient } from '../../../../src/network/transport/tcp/request-client.ts';
import { TcpRequestServer } from '../../../../src/network/transport/tcp/request-server.ts';
import { TcpSubscriber } from '../../../../src/network/transport/tcp/subscriber.ts';
import type { IncomingRequest } from '../../../../src/network/transport/transport.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { clientOf, LOCAL, MiB, portOf, startEcho, type EchoServer } from '../../../support/transport-ends.ts';

const parts = { clock: systemClock, random: systemRandom };
const pack = (value: Parameters<typeof encode>[0]): Buffer => encode(value, 'local');
/**
 * Made by salt.transport.frame.frame_msg of 3006.16 with head {mid: "5d1f"} and body {enc: "aes", load: b"\xff\x00",
 * version: 3}.
 */
const SALTS_REQUEST = Buffer.from(
  '82a46865616481a36d6964a435643166a4626f647983a3656e63a3616573a46c6f6164c402ff00a776657273696f6e03',
  'hex',
);

function read(stream: Buffer, step: number, bytesMax = MiB): TcpFrame[] {
  const frames: TcpFrame[] = [];
  const reader = new TcpFrameReader(bytesMax, ({ head, body }) =>
    frames.push({ head: Buffer.from(head), body: Buffer.from(body) }),
  );
  for (let at = 0; at < stream.length; at += step) reader.push(stream.subarray(at, at + step));
  assert.equal(reader.pendingBytes, 0);
  return frames;
}

test('tcp - frames are found however the stream is cut', () => {
  const bodies = [
    pack(null),
    pack({ a: 1, b: [1.5, -3, 2 ** 40, 'x'.repeat(300)], c: new Map([[7, true]]) }),
    pack(Buffer.alloc(70_000, 7)),
    pack(Array.from({ length: 20 }, (_, i) => ({ i }))),
    Buffer.from('d40108c70301aabbcc'.slice(0, 6), 'hex'),
    pack([]),
  ];
  const stream = Buffer.concat([SALTS_REQUEST, ...bodies.map((body, id) => encodeRequest(id, body))]);
  for (const step of [1, 7, 4096, stream.length]) {
    const [first, ...others] = read(stream, step);
    assert.equal(first?.head.toString('hex'), '81a36d6964a435643166');
    assert.equal(first?.body.toString('hex'), SALTS_REQUEST.subarray(21).toString('hex'));
    assert.deepEqual(
      others.map(({ body }) => body.toString('hex')),
      bodies.map((body) => body.toString('hex')),
      `in steps of ${step}`,
    );
    assert.deepEqual(
      others.map(({ head }) => idIn(head)),
      bodies.map((_, id) => id),
    );
  }
});

test('tcp - the order of head and body, and further entries, do not matter', () => {
  const [frame] = read(pack({ more: [1, [2]], body: 'b', head: { mid: 'x' } }), 1);
  assert.deepEqual([frame?.head, frame?.body], [pack({ mid: 'x' }), pack('b')]);
  assert.deepEqual(read(pack({ body: 1 }), 1), [{ head: pack({}), body: pack(1) }]);
});

test('tcp - an envelope comes out of both forms of a publication', () => {
  const envelope = encode({ enc: 'aes', load: Buffer.from([255, 1]) }, 'network');
  const [as3007] = read(encodePublication(envelope), 3);
  assert.deepEqual(envelopeIn(as3007?.body as Buffer), envelope);
  const [as3006] = read(encodeReply(pack({}), envelope), 3);
  assert.deepEqual(envelopeIn(as3006?.body as Buffer), envelope);
});

test('tcp - what is no frame, too large or too deep ends the reading at once', () => {
  const cases: [string, Buffer, RegExp][] = [
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n'), /speaks HTTP/],
    ['TLS', Buffer.from('160301', 'hex'), /speaks TLS/],
    ['ZMTP', Buffer.from('ff00', 'hex'), /speaks ZeroMQ/],
    ['zeros', Buffer.alloc(64), /does not speak/],
    ['an empty map', Buffer.from([0x80]), /does not speak/],
    ['a map of 15', Buffer.from([0x8f]), /does not speak/],
    ['no body', pack({ head: {} }), /has no body/],
    ['an invalid byte', Buffer.from('81a4626f6479c1', 'hex'), /0xc1 begins no/],
    ['a huge text', Buffer.from('81a4626f6479dbffffffff', 'hex'), /the limit is 1000/],
    ['a huge map', Buffer.from('81a4626f6479dfffffffff', 'hex'), /the limit is 1000/],
    ['a long message', encodeRequest(1, pack(Buffer.alloc(2000))), /the limit is 1000/],
    ['a long head', pack({ head: { mid: 'x'.repeat(3000) }, body: 1 }), /a head of|the limit/],
  ];
  for (const [name, bytes, expected] of cases) {
    const reader = new TcpFrameReader(1000, () => undefined);
    const push = (): void => {
      for (const byte of bytes) reader.push(Buffer.from([byte]));
    };
    assert.throws(
      push,
      (error) => error instanceof TcpProtocolError && expected.test(error.message),
      `${name} is refused`,
    );
  }
  const deep = new TcpFrameReader(MiB, () => undefined);
  assert.throws(
    () => deep.push(Buffer.concat([Buffer.from('81a4626f6479', 'hex'), Buffer.alloc(5000, 0x91)])),
    /nested/,
  );
});

test('tcp - a message that trickles in costs time in proportion to its length', () => {
  const took = (size: number): number => {
    const reader = new TcpFrameReader(16 * MiB, () => undefined);
    const bytes = encodeRequest(1, pack(Array.from({ length: size / 2 }, () => 300)));
    const startMs = systemClock.monotonicMs();
    for (let at = 0; at < bytes.length; at += 16) reader.push(bytes.subarray(at, at + 16));
    return systemClock.monotonicMs() - startMs;
  };
  took(50_000);
  const small = took(50_000);
  const large = took(800_000);
  assert.ok(large < small * 16 * 8 + 50, `${small} ms, then ${large} ms`);
});

const server = (
  t: TestContext,
  handler?: (request: IncomingRequest) => void,
): Promise<EchoServer<TcpRequestServer>> => startEcho(t, TcpRequestServer, handler);
const client = (t: TestContext, address: () => Address): TcpRequestClient =>
  clientOf(t, TcpRequestClient, address);

async function raw(
  t: TestContext,
  address: Address,
  bytes: Buffer,
): Promise<{ socket: Socket; closed: Promise<void> }> {
  const socket = connect(portOf(address), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(() => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, closed };
}

test('tcp - replies find their requests in any order, and echo the head as it came', async (t) => {
  const held: IncomingRequest[] = [];
  const { address } = await server(t, (request) => {
    held.push({ ...request, body: Buffer.from(request.body) });
    if (held.length === 3) for (const each of held.reverse()) each.reply(each.body);
  });
  const asking = client(t, () => address);
  const replies = await Promise.all(
    ['a', 'b']
      .map((text) => pack(text))
      .concat(pack('c'))
      .map((body) => asking.request(body, 5000)),
  );
  assert.deepEqual(
    replies,
    ['a', 'b', 'c'].map((text) => pack(text)),
  );
  const { socket } = await raw(t, (await server(t)).address, SALTS_REQUEST);
  const [reply] = (await once(socket, 'data')) as [Buffer];
  assert.equal(reply.toString('hex'), SALTS_REQUEST.toString('hex'));
});

test('tcp - a client waits for a master that comes later, and leaves one that is silent', async (t) => {
  let address: Address = { host: '127.0.0.1', port: 1 };
  let isSilent = true;
  const asking = client(t, () => address);
  const early = asking.request(pack('early'), 50);
  await assert.rejects(early, /No reply from tcp:\/\/127\.0\.0\.1:1 within 0\.1 s \(connect ECONNREFUSED/);
  const late = asking.request(pack('late'), 5000);
  const first = await server(t, (request) => isSilent || request.reply(Buffer.from(request.body)));
  isSilent = false;
  address = first.address;
  assert.deepEqual(await late, pack('late'));
  isSilent = true;
  await assert.rejects(asking.request(pack('nobody'), 50), /No reply/);
  while (first.server.counters.connections > 0) await systemClock.sleep(1);
  isSilent = false;
  assert.deepEqual(await asking.request(pack('again'), 5000), pack('again'));
});

test('tcp - foreigners are refused by name, on both ends', async (t) => {
  const { address, refused, server: own } = await server(t);
  for (const text of ['GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\x00', '\xff\x00\x00']) {
    const { closed } = await raw(t, address, Buffer.from(text, 'latin1'));
    await closed;
  }
  assert.deepEqual(
    refused.map((line) => /speaks (\w+)/.exec(line)?.[1]),
    ['HTTP', 'TLS', 'ZeroMQ'],
  );
  assert.equal(own.counters.refusedPeers, 3);
  assert.equal(own.counters.connections, 0);
});

interface Subscribed {
  readonly address: Address;
  readonly publisher: TcpPublisher;
  readonly presence: string[];
  readonly refused: string[];
}

async function publisher(t: TestContext, more: Partial<TcpPublisherOptions> = {}): Promise<Subscribed> {
  const presence: string[] = [];
  const refused: string[] = [];
  const out = new TcpPublisher({
    address: LOCAL,
    backlog: 100,
    peerQueueBytesMax: MiB,
    identifyByMessage: (body) =>
      body.includes('good')
        ? { id: body.toString('latin1').slice(-2), missed: { after: 6, forMs: 5000 } }
        : undefined,
    presence: (id, isConnected) => presence.push(`${id} ${isConnected}`),
    refused: (_from, error) => refused.push(error.message),
    clock: systemClock,
    ...more,
  });
  const address = await out.start();
  t.after(() => out.close());
  return { address, publisher: out, presence, refused };
}

function subscriber(
  t: TestContext,
  address: Address,
  id: string,
): { messages: string[]; connected: Promise<void>; got(count: number): Promise<void> } {
  const messages: string[] = [];
  let wake = (): void => undefined;
  const connected = new Promise<void>((resolve) => {
    const out = new TcpSubscriber(
      {
        address: () => address,
        topics: [''],
        messageBytesMax: MiB,
        identification: async () => pack(`good ${id}`),
        reconnect: { defaultMs: 5, maxMs: 20, randomize: true },
        ...parts,
      },
      {
        connected: resolve,
        disconnected: () => undefined,
        message: ([envelope]) => {
          messages.push(String(envelope));
          wake();
        },
      },
    );
    out.start();
    t.after(() => out.close());
  });
  const got = async (count: number): Promise<void> => {
    while (messages.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { messages, connected, got };
}

test('tcp - publications go to those whom they name, or to all', async (t) => {
  const { address, publisher: pub, presence } = await publisher(t);
  const both = ['m1', 'm2'].map((id) => subscriber(t, address, id)) as [
    ReturnType<typeof subscriber>,
    ReturnType<typeof subscriber>,
  ];
  const { socket } = await raw(t, address, Buffer.alloc(0));
  await Promise.all(both.map(({ connected }) => connected));
  while (presence.length < 2 || pub.subscribers < 3) await systemClock.sleep(1);
  assert.equal(
    pub.send({ envelope: Buffer.from('to m1'), ids: ['m1', 'nobody'] }),
    2,
    'also to one that has not said who it is',
  );
  assert.equal(pub.send({ envelope: Buffer.from('to all'), ids: null }), 3);
  await Promise.all([both[0].got(2), both[1].got(1)]);
  assert.deepEqual(
    both.map(({ messages }) => messages),
    [['to m1', 'to all'], ['to all']],
  );
  assert.deepEqual([...presence].sort(), ['m1 true', 'm2 true']);
  for (const number of [6, 7]) pub.send({ envelope: Buffer.from(`number ${number}`), ids: ['m3'], number });
  const late = subscriber(t, address, 'm3');
  await late.got(1);
  assert.deepEqual(
    [late.messages, pub.counters.resent],
    [['number 7'], 1],
    'what it has missed comes once more',
  );
  socket.destroy();
});

test('tcp - a subscriber whose proof is not good is refused, one that does not read is cut off', async (t) => {
  const { address, publisher: pub, refused } = await publisher(t);
  const liar = await raw(t, address, encodeReply(pack({}), pack('bad')));
  await liar.closed;
  assert.deepEqual(refused, ['the peer does not prove which minion it is']);
  const slow = await raw(t, address, encodeReply(pack({}), pack('good s1')));
  slow.socket.pause();
  while (pub.send({ envelope: Buffer.alloc(64), ids: ['s1'] }) === 0) await systemClock.sleep(1);
  const envelope = Buffer.alloc(256 * 1024);
  while (pub.counters.slowPeersCut === 0) {
    pub.send({ envelope, ids: ['s1'] });
    await new Promise((resolve) => setImmediate(resolve));
  }
  slow.socket.resume();
  await slow.closed;
  assert.equal(pub.counters.refusedPeers, 1);
});
