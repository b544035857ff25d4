/** Connections that bring one request at a time to Node's server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { PacedConnection } from '../../../../src/network/http/paced-connection.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on paced connections. @returns its port, and the connections there were */
async function served(
  t: TestContext,
  serve: Serve,
  report?: (fault: unknown) => void,
): Promise<{ port: number; connections: PacedConnection[]; sockets: Socket[] }> {
  const connections: PacedConnection[] = [];
  const sockets: Socket[] = [];
  const server = createServer({ keepAliveTimeout: 300 });
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const connection = new PacedConnection(socket, systemClock, report);
    connections.push(connection);
    sockets.push(socket);
    for (const listener of listeners) Reflect.apply(listener, server, [connection]);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    (request.socket as unknown as PacedConnection).began(request, response);
    serve(request, response);
  });
  server.on('upgrade', (_request: IncomingMessage, socket: unknown) => {
    const connection = socket as PacedConnection;
    connection.upgraded();
    connection.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    connection.on('data', (bytes: Buffer) => connection.write(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    for (const connection of connections) connection.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections, sockets };
}

/** Sends bytes and reads until the end. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'close');
  return answer;
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('API connections - the next request is served when the one before has been answered', async (t) => {
  let [underWay, most, count] = [0, 0, 0];
  const { port } = await served(t, (request, response) => {
    most = Math.max(most, ++underWay);
    const isLast = ++count === 20;
    request.resume().on('end', () =>
      setImmediate(() => {
        underWay--;
        if (isLast) response.setHeader('Connection', 'close');
        response.end(String(request.headers['content-length'] ?? 'none'));
      }),
    );
  });
  const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\na\r\n\r';
  const chunked =
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n';
  const answer = await exchange(port, `${GET}${post}${chunked}${GET}`.repeat(5));
  assert.equal(answer.split('HTTP/1.1 200').length - 1, 20);
  assert.equal(most, 1);
});

test('API connections - what is sent behind a request is not read, and somebody who goes is noticed', async (t) => {
  const responses: ServerResponse[] = [];
  const { port, connections, sockets } = await served(t, (request, response) => {
    if (request.url === '/other') response.end();
    else responses.push(response);
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(GET.repeat(100_000));
  await untilTrue(() => responses.length === 1);
  const other = GET.replace('/', '/other').replace('Host', 'Connection: close\r\nHost');
  assert.match(await exchange(port, other), /^HTTP\/1.1 200/);
  assert.equal(responses.length, 1);
  assert.ok((sockets[0] as Socket).bytesRead < 200_000, String(sockets[0]?.bytesRead));
  socket.destroy();
  responses[0]?.end('x'.repeat(1_000_000));
  await untilTrue(() => (connections[0] as PacedConnection).destroyed);

  const waiting = connect(port, '127.0.0.1', () => waiting.write(GET));
  await untilTrue(() => responses.length === 2);
  waiting.end();
  await untilTrue(() => responses[1]?.destroyed === true);
});

test('API connections - an idle connection ends by its time, and one that is refused early has its answer', async (t) => {
  const { port, connections } = await served(t, (request, response) => {
    if (request.method === 'GET') return void response.end('ok');
    response.writeHead(413, { Connection: 'close', 'Content-Length': '7' });
    response.end('refused');
  });
  const answer = await exchange(port, GET);
  assert.match(answer, /^HTTP\/1.1 200/);
  assert.equal(connections[0]?.destroyed, true);
  const large = 4_000_000;
  const refused = await exchange(
    port,
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${large}\r\n\r\n${'x'.repeat(large)}`,
  );
  assert.match(refused, /^HTTP\/1.1 413[^]*refused$/);
});

test('API connections - a web socket has all that comes behind its head', async (t) => {
  const { port } = await served(t, (_request, response) => void response.end());
  const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const socket = connect(port, '127.0.0.1', () => socket.write(`${upgrade}first\r\n\r\nsecond`));
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await untilTrue(() => answer.endsWith('101 Switching Protocols\r\n\r\nfirst\r\n\r\nsecond'));
  socket.destroy();
});

async function untilTrue(holds: () => boolean): Promise<void> {
  const untilMs = systemClock.monotonicMs() + 10_000;
  while (!holds()) {
    assert.ok(systemClock.monotonicMs() < untilMs, 'it did not come to it');
    await systemClock.sleep(5);
  }
}

test('API connections - what a listener throws ends its connection, and nobody else notices', async (t) => {
  const faults: string[] = [];
  const { port } = await served(
    t,
    (request, response) => {
      const { url } = request;
      if (url === '/request') throw new Error('in a request');
      if (url === '/data') request.on('data', () => assert.fail('in its data'));
      if (url === '/close')
        request.socket.once('close', () => {
          throw new TypeError('at its end');
        });
      if (url === '/answered')
        response.once('close', () => {
          throw new TypeError('after its answer');
        });
      if (url !== '/answered') request.resume().on('end', () => response.end('done'));
    },
    (fault) => faults.push((fault as Error).message),
  );
  const other = connect(port, '127.0.0.1');
  await once(other, 'connect');
  assert.equal(await exchange(port, 'GET /request HTTP/1.1\r\nHost: x\r\n\r\n'), '');
  assert.equal(await exchange(port, 'POST /data HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na'), '');
  const closing = 'GET /close HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  assert.match(await exchange(port, closing), /done$/);
  const gone = connect(port, '127.0.0.1', () => gone.end('GET /answered HTTP/1.1\r\nHost: x\r\n\r\n'));
  await once(gone, 'close');
  assert.deepEqual(faults, ['in a request', 'in its data', 'at its end', 'after its answer']);
  other.end(GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  let answer = '';
  for await (const chunk of other) answer += String(chunk);
  assert.match(answer, /done$/);
});
