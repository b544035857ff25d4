import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { WsPublisher } from '../../../../src/network/transport/ws/publisher.ts';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import type { Address } from '../../../../src/network/transport/address.ts';
import type { SslSettings } from '../../../../src/network/transport/ssl-settings.ts';
import type {
  IncomingRequest,
  PublishServer,
  RequestServer,
} from '../../../../src/network/transport/transport.ts';
import {
  publishClient,
  publishServer,
  requestClient,
  requestServer,
} from '../../../../src/network/transport/transports.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { folder } from '../../../support/attacker.ts';

const MiB = 1024 * 1024;
const CERTIFICATES = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test', 'fixtures', 'tls');
const local: Address = { host: '127.0.0.1', port: 0 };
const parts = { clock: systemClock, random: systemRandom };
const HELLO = encode('hello', 'network');

function ssl(name: string, more: Partial<SslSettings> = {}): SslSettings {
  const file = (path: string): string => join(CERTIFICATES, path);
  return { certfile: file(`${name}.crt`), keyfile: file(`${name}.key`), caCerts: [file('ca.crt')], ...more };
}

interface Served {
  readonly address: Address;
  readonly server: RequestServer;
  readonly refused: string[];
}

async function serve(
  t: TestContext,
  transport: string,
  own?: SslSettings,
  handler: (request: IncomingRequest) => void = (request) => request.reply(Buffer.from(request.body)),
): Promise<Served> {
  const refused: string[] = [];
  const server = await requestServer(
    transport,
    {
      address: local,
      backlog: 100,
      messageBytesMax: 8 * MiB,
      bufferedBytesMax: 64 * MiB,
      clock: systemClock,
      ...(own === undefined ? {} : { ssl: own }),
    },
    handler,
    (_from, reason) => refused.push(reason.message),
  );
  t.after(() => server.close());
  return { server, address: await server.start(), refused };
}

function ask(t: TestContext, transport: string, address: () => Address, own?: SslSettings) {
  const client = requestClient(transport, {
    address,
    messageBytesMax: 8 * MiB,
    pendingMax: 1000,
    reconnectMs: { min: 5, max: 20 },
    ...parts,
    ...(own === undefined ? {} : { ssl: own }),
  });
  t.after(() => client.close());
  return client;
}

/** What the client is told when it asks, and what the server notes. */
async function both(
  t: TestContext,
  { address, refused }: Served,
  transport: string,
  own?: SslSettings,
): Promise<[string, string]> {
  const told = await ask(t, transport, () => address, own)
    .request(HELLO, 300)
    .then(String, (error: Error) => error.message);
  return [told, [...new Set(refused.splice(0))].join(' | ')];
}

for (const transport of ['tcp', 'ws']) {
  test(`tls - ${transport} with certificates on both sides`, async (t) => {
    const served = await serve(t, transport, ssl('master', { certReqs: 'CERT_REQUIRED' }));
    const client = ask(t, transport, () => served.address, ssl('minion', { certReqs: 'CERT_REQUIRED' }));
    const large = encode('x'.repeat(2 * MiB), 'network');
    const replies = await Promise.all([client.request(HELLO, 5000), client.request(large, 5000)]);
    assert.deepEqual(replies, [HELLO, large]);
    assert.deepEqual(served.refused, []);
  });

  test(`tls - ${transport}: each mistake has a name on both sides`, async (t) => {
    const strict = await serve(t, transport, ssl('master', { certReqs: 'CERT_REQUIRED' }));
    const cases: [string, SslSettings | undefined, RegExp, RegExp][] = [
      [
        'another authority',
        ssl('stranger'),
        /No reply|closed|does not accept our certificate|speak/,
        /the certificate of the other end is not accepted/,
      ],
      [
        'no certificate',
        { caCerts: ssl('minion').caCerts as string[] },
        /No reply|closed|speak/,
        /shows no certificate, and cert_reqs/,
      ],
      [
        'a master that is not trusted',
        ssl('minion', { caCerts: [join(CERTIFICATES, 'other-ca.crt')] }),
        /the certificate of the other end is not accepted/,
        /./,
      ],
      ['no TLS', undefined, /./, /does not speak TLS|speaks HTTP, and no TLS/],
    ];
    for (const [name, own, told, noted] of cases) {
      const [client, server] = await both(t, strict, transport, own);
      assert.match(client, told, `${name}: the client`);
      assert.match(server, noted, `${name}: the server`);
    }
    const elsewhere = await serve(t, transport, ssl('elsewhere'));
    const [wrongName] = await both(t, elsewhere, transport, ssl('minion'));
    assert.match(wrongName, /not accepted: Hostname\/IP does not match/);
    const [unchecked] = await both(t, elsewhere, transport, ssl('minion', { certReqs: 'CERT_NONE' }));
    assert.equal(unchecked, String(HELLO));
    const plain = await serve(t, transport);
    const [toPlain, ofTls] = await both(t, plain, transport, ssl('minion'));
    assert.match(toPlain, /TLS/);
    assert.match(ofTls, /the peer speaks TLS, and this end does not \(option ssl\)/);
  });
}

test('tls - programs that hold the same certificate trust each other whatever its name is', async (t) => {
  const own = ssl('elsewhere', { certReqs: 'CERT_REQUIRED' });
  const served = await serve(t, 'tcp', own);
  assert.deepEqual(await ask(t, 'tcp', () => served.address, own).request(HELLO, 5000), HELLO);
});

test('tls - new certificates count from the next connection on', async (t) => {
  const place = folder(t);
  const put = (name: string): void => {
    for (const kind of ['crt', 'key'])
      copyFileSync(join(CERTIFICATES, `${name}.${kind}`), join(place, `own.${kind}`));
  };
  put('elsewhere');
  const served = await serve(t, 'tcp', { certfile: join(place, 'own.crt'), keyfile: join(place, 'own.key') });
  const client = ask(t, 'tcp', () => served.address, ssl('minion'));
  await assert.rejects(client.request(HELLO, 200), /Hostname\/IP does not match/);
  put('master');
  assert.deepEqual(await client.request(HELLO, 10_000), HELLO);
});

test('tls - certificates that cannot be used end the start, saying why', async (t) => {
  await assert.rejects(serve(t, 'tcp', {}), /needs a certfile/);
  await assert.rejects(
    serve(t, 'tcp', ssl('nobody')),
    /\(certfile of the option ssl\) cannot be read: No such file or directory/,
  );
  await assert.rejects(
    serve(t, 'tcp', ssl('master', { keyfile: join(CERTIFICATES, 'minion.key') })),
    /minion\.key is not the key of certfile/,
  );
  await assert.rejects(
    serve(t, 'tcp', ssl('master', { keyfile: join(CERTIFICATES, 'README.md') })),
    /\(keyfile of the option ssl\) has no private key in PEM/,
  );
  await assert.rejects(serve(t, 'tcp', ssl('master', { sslVersion: 'PROTOCOL_TLSv1' })), /not safe any more/);
});

test('transports - an unknown one is refused with the list', () => {
  assert.throws(
    () => requestClient('udp', {} as never),
    /There is no transport 'udp'\. Please set transport to one of: zeromq, tcp, ws\./,
  );
});

test('transports - who speaks another transport is refused by name', async (t) => {
  const of = new Map(
    await Promise.all(['zeromq', 'tcp', 'ws'].map(async (name) => [name, await serve(t, name)] as const)),
  );
  const expected: [string, string, RegExp, RegExp][] = [
    ['tcp', 'zeromq', /speaks ZeroMQ/, /^$|does not speak ZMTP/], // the client is faster
    ['tcp', 'ws', /speaks HTTP \(transport: ws\?\)/, /does not speak WebSocket/],
    ['ws', 'tcp', /does not speak WebSocket as we do/, /speaks HTTP \(transport: ws\?\), and this end tcp/],
    ['ws', 'zeromq', /does not speak WebSocket as we do/, /does not speak ZMTP/],
    ['zeromq', 'tcp', /No reply|does not speak ZMTP/, /speaks ZeroMQ/],
    ['zeromq', 'ws', /does not speak ZMTP|the connection was closed/, /does not speak WebSocket/],
  ];
  for (const [client, server, told, noted] of expected) {
    const [error, note] = await both(t, of.get(server) as Served, client);
    assert.match(error, told, `${client} to ${server}: the client`);
    assert.match(note, noted, `${client} to ${server}: the server`);
  }
});

test('ws - requests side by side find their replies, and those of one connection come in order', async (t) => {
  const held: IncomingRequest[] = [];
  const { address, server } = await serve(t, 'ws', undefined, (request) => {
    held.push({ ...request, body: Buffer.from(request.body) });
    if (held.length % 3 === 0) for (const each of held.splice(0).reverse()) each.reply(each.body);
  });
  const bodies = Array.from({ length: 30 }, (_, i) => encode(`request ${i}`, 'network'));
  const client = ask(t, 'ws', () => address);
  assert.deepEqual(await Promise.all(bodies.map((body) => client.request(body, 5000))), bodies);
  while (server.counters.connections > 1) await systemClock.sleep(1);
  const socket = new WebSocket(`ws://127.0.0.1:${'port' in address ? address.port : 0}/any/path`);
  t.after(() => socket.terminate());
  const replies: string[] = [];
  socket.on('message', (data) => replies.push(String(data)));
  await once(socket, 'open');
  for (const text of ['a', 'b', 'c']) socket.send(Buffer.from(text));
  while (replies.length < 3) await once(socket, 'message');
  assert.deepEqual(replies, ['a', 'b', 'c']);
  socket.send('close');
  await once(socket, 'close');
});

test('ws - garbage, browsers, long headers and large messages are refused', async (t) => {
  const { address, refused } = await serve(t, 'ws');
  const port = 'port' in address ? address.port : 0;
  for (const text of [
    '\xff\x00\x00\x00garbage\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(40_000)}\r\n\r\n`,
  ]) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end(Buffer.from(text, 'latin1'));
    socket.resume();
    await once(socket, 'close');
  }
  for (const [options, size] of [
    [{ origin: 'http://evil.example' }, 1],
    [{}, 9 * MiB],
  ] as const) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, options);
    socket.on('error', () => undefined);
    socket.on('open', () => socket.send(Buffer.alloc(size)));
    await new Promise((resolve) => socket.on('close', resolve));
  }
  while (refused.length < 5) await systemClock.sleep(1);
  const expected = [
    /does not speak WebSocket/,
    /asks for no WebSocket/,
    /too long headers/,
    /is a browser/,
    /Max payload size exceeded/,
  ];
  for (const [index, pattern] of expected.entries()) assert.match(refused[index] as string, pattern);
});

test('ws - a subscriber says who it is, gets publications, and comes back', async (t) => {
  const presence: string[] = [];
  let server: PublishServer | undefined;
  let address: Address = local;
  const start = async (): Promise<void> => {
    server = await publishServer('ws', {
      address,
      backlog: 10,
      peerQueueBytesMax: MiB,
      identify: (properties) => {
        const id = properties.get('x-brine-minion')?.toString();
        return id === undefined ? undefined : { id };
      },
      presence: (id, isConnected) => presence.push(`${id} ${isConnected}`),
      clock: systemClock,
    });
    address = await server.start();
  };
  await start();
  t.after(() => server?.close());
  const got: string[] = [];
  let connected = 0;
  const client = publishClient(
    'ws',
    {
      address: () => address,
      topics: [''],
      messageBytesMax: MiB,
      properties: () => new Map([['X-Brine-Minion', Buffer.from('m1')]]),
      reconnect: { defaultMs: 5, maxMs: 20, randomize: true },
      ...parts,
    },
    {
      connected: () => connected++,
      disconnected: () => undefined,
      message: ([envelope]) => got.push(String(envelope)),
    },
  );
  t.after(() => client.close());
  client.start();
  for (const round of [1, 2]) {
    while (connected < round || server?.subscribers !== 1) await systemClock.sleep(1);
    assert.equal(server.send({ envelope: Buffer.from(`round ${round}`), ids: ['someone else'] }), 1);
    while (got.length < round) await systemClock.sleep(1);
    if (round === 2) break;
    server.close();
    while (presence.length < 2) await systemClock.sleep(1);
    await start();
  }
  assert.deepEqual(got, ['round 1', 'round 2']);
  assert.deepEqual(presence, ['m1 true', 'm1 false', 'm1 true']);
});

test('ws - of subscribers that never say who they are the oldest is cut off when there are too many', async (t) => {
  const refused: string[] = [];
  const server = new WsPublisher({
    address: local,
    backlog: 10,
    peerQueueBytesMax: MiB,
    silentMax: 2,
    identify: (properties) => (properties.has('x-brine-minion') ? { id: 'm1' } : undefined),
    refused: (_from, error) => refused.push(error.message),
    clock: systemClock,
  });
  t.after(() => server.close());
  const { port } = (await server.start()) as { port: number };
  const gone: string[] = [];
  const join = async (name: string, headers: Record<string, string> = {}): Promise<void> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers });
    t.after(() => socket.terminate());
    socket.on('close', () => gone.push(name));
    await once(socket, 'open');
  };
  await join('known', { 'x-brine-minion': 'bTE=' });
  for (const name of ['first', 'second', 'third']) await join(name);
  while (gone.length === 0 || refused.length === 0) await systemClock.sleep(1);
  assert.deepEqual(gone, ['first']);
  assert.match(refused.join(), /^more than 2 peers have connected and said nothing yet$/);
  assert.equal(server.subscribers, 3);
});

test('ws - a browser that resets its connection while it is turned away ends nothing else', async (t) => {
  let reset = (): void => undefined;
  const server = await requestServer(
    'ws',
    {
      address: local,
      backlog: 100,
      messageBytesMax: MiB,
      bufferedBytesMax: MiB,
      clock: systemClock,
    },
    (request) => request.reply(Buffer.from(request.body)),
    () => reset(),
  );
  t.after(() => server.close());
  const address = await server.start();
  const { port } = address as { port: number };
  const attacker = connect({ host: '127.0.0.1', port });
  attacker.on('error', () => undefined);
  const gone = once(attacker, 'close');
  const refused = new Promise<void>((resolve) => {
    reset = () => {
      attacker.resetAndDestroy(); // before the answer is written
      resolve();
    };
  });
  attacker.write(
    'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: http://x\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n',
  );
  await refused;
  await gone;
  const reply = await ask(t, 'ws', () => address).request(HELLO, 1_000);
  assert.deepEqual(reply, Buffer.from(HELLO));
});

test('ws - peers are not given up while the server is too busy to read from them', async (t) => {
  const beats: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    every: (_periodMs, run) => {
      beats.push(run);
      return { cancel: () => undefined };
    },
  };
  const limits = { backlog: 100, messageBytesMax: MiB, bufferedBytesMax: MiB };
  const server = await requestServer(
    'ws',
    { address: local, ...limits, clock },
    (request) => request.reply(Buffer.from(request.body)),
    () => undefined,
  );
  t.after(() => server.close());
  const { port } = (await server.start()) as { port: number };
  const client = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  t.after(() => client.terminate());
  await once(client, 'open');
  server.setPaused(true);
  for (let turn = 0; turn < 3; turn++) for (const beat of beats) beat();
  server.setPaused(false);
  for (const beat of beats) beat();
  const reply = once(client, 'message');
  client.on('close', () => client.emit('message', 'closed'));
  client.send(HELLO);
  assert.deepEqual((await reply)[0], Buffer.from(HELLO));
});

test('transports - what a listener throws ends its connection, and the next one is served', async (t) => {
  for (const transport of ['zeromq', 'tcp', 'ws']) {
    const { address, refused } = await serve(t, transport, undefined, (request) => {
      if (request.body.equals(encode('bad', 'network'))) throw new Error('nobody foresaw this');
      request.reply(Buffer.from(request.body));
    });
    const bad = ask(t, transport, () => address);
    await assert.rejects(bad.request(encode('bad', 'network'), 300), transport);
    assert.deepEqual(await ask(t, transport, () => address).request(HELLO, 5000), HELLO);
    assert.ok(refused.includes('nobody foresaw this'), transport);
  }
});

test('ws - a subscriber outlives a message that its listener cannot bear', async (t) => {
  const server = await publishServer('ws', {
    ...{ address: local, backlog: 10, peerQueueBytesMax: MiB },
    clock: systemClock,
  });
  t.after(() => server.close());
  const address = await server.start();
  const told: (string | undefined)[] = [];
  let [heard, connected] = [0, 0];
  const client = publishClient(
    'ws',
    {
      ...{ address: () => address, topics: [''], messageBytesMax: MiB },
      reconnect: { defaultMs: 5, maxMs: 20, randomize: true },
      ...parts,
    },
    {
      connected: () => connected++,
      disconnected: (error) => told.push(error?.message),
      message: () => {
        if (++heard === 1) throw new Error('nobody foresaw this');
      },
    },
  );
  t.after(() => client.close());
  client.start();
  for (const round of [1, 2]) {
    while (connected < round || server.subscribers !== 1) await systemClock.sleep(1);
    server.send({ envelope: Buffer.from('a job'), ids: [] });
    while (heard < round) await systemClock.sleep(1);
  }
  assert.deepEqual(told, ['nobody foresaw this']);
});

test('ws - a client that is closed while it connects leaves no connection behind', async (t) => {
  const { address, server } = await serve(t, 'ws');
  const client = requestClient('ws', {
    // closed as soon as it knows where to connect
    address: () => {
      queueMicrotask(() => setImmediate(() => client.close()));
      return address;
    },
    messageBytesMax: MiB,
    pendingMax: 10,
    reconnectMs: { min: 5, max: 20 },
    ...parts,
  });
  await assert.rejects(client.request(HELLO, 1_000), /closed/);
  const other = ask(t, 'ws', () => address);
  for (let turn = 0; turn < 3; turn++) await other.request(HELLO, 1_000);
  assert.equal(server.counters.connections, 1);
});
