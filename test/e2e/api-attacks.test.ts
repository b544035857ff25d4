/** Attacks on a running salt-api that take no time; those that do are in `test/faults/attacks-api.test.ts`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { ApiFleet } from '../support/api/api-fleet.ts';
import { certificate } from '../support/database-servers.ts';
import { freePort, until } from '../support/fleet.ts';

const POST = 'POST /login HTTP/1.1\r\nHost: x\r\n';
const SECOND = 'GET /stats HTTP/1.1\r\nHost: x\r\n\r\n';

/** Requests whose length two programs could read in two ways, with another one behind. */
const SMUGGLED: Readonly<Record<string, string>> = {
  'a length and chunks': `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  'chunks and a length': `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SECOND}`,
  'two lengths': `${POST}Content-Length: 0\r\nContent-Length: 44\r\n\r\n${SECOND}`,
  'two lengths in one': `${POST}Content-Length: 0, 44\r\n\r\n${SECOND}`,
  'a length with a sign': `${POST}Content-Length: +0\r\n\r\n${SECOND}`,
  'a negative length': `${POST}Content-Length: -1\r\n\r\n${SECOND}`,
  'a length in hex': `${POST}Content-Length: 0x2c\r\n\r\n${SECOND}`,
  'a huge length': `${POST}Content-Length: 99999999999999999999999\r\n\r\n${SECOND}`,
  'a space before the colon': `${POST}Content-Length : 0\r\n\r\n${SECOND}`,
  'a folded header': `${POST}X: a\r\n Content-Length: 0\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${SECOND}`,
  'an unknown encoding': `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SECOND}`,
  'chunks that are not last': `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SECOND}`,
  'two encodings': `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SECOND}`,
  'a chunk of a negative size': `${POST}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${SECOND}`,
  'a chunk of a huge size': `${POST}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n${SECOND}`,
  'a header without a name': `${POST}: x\r\n\r\n${SECOND}`,
  'NUL in a header': `${POST}X: a\0b\r\n\r\n${SECOND}`,
  'a bare return in a header': `${POST}X: a\rContent-Length: 0\r\n\r\n${SECOND}`,
};

test('salt-api - smuggled requests, foreign pages, and names that are no names', async (t) => {
  const api = await ApiFleet.start(t);
  for (const [what, bytes] of Object.entries(SMUGGLED)) {
    const answer = await api.raw(bytes);
    assert.match(answer, /^HTTP\/1.1 400/, what);
    assert.equal(answer.split('HTTP/1.1 ').length, 2, `${what}: one answer`);
  }

  const credentials = { username: 'alice', password: 'pw', eauth: 'file' };
  const id = await api.logIn();
  const Cookie = `session_id=${id}`;
  const form = 'client=local&tgt=*&fun=test.ping';
  const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (const origin of [
    'https://evil.example',
    'null',
    `http://127.0.0.1:${api.port}.evil.example`,
    'http://127.0.0.1',
  ]) {
    for (const headers of [formType, { 'Content-Type': 'text/plain' }]) {
      const reply = await api.send('/', { body: form, headers: { ...headers, Cookie, Origin: origin } });
      assert.equal(reply.status, 401, origin);
    }
    const login = await api.send('/login', { json: credentials, headers: { Origin: origin } });
    assert.equal(login.headers.get('set-cookie'), null, 'no session begins in the browser of a foreign page');
  }
  const own = await api.send('/stats', { headers: { Cookie, Origin: `http://127.0.0.1:${api.port}` } });
  assert.equal(own.status, 200, 'a page of ours');

  const pair = await api.send('/keys', { json: { ...credentials, mid: 'x\r\nSet-Cookie: a=b' } });
  assert.equal(pair.headers.get('set-cookie'), null);
  const odd = await api.send('/hook/a%0d%0ab', { json: {}, headers: { 'X-Auth-Token': id } });
  assert.equal(odd.status, 200);
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  for (const name of names) assert.equal((await api.send(`/${name}`)).status, 404, name);
});

/** Addresses below `static`, as bytes, and what they are answered. */
const PATHS: readonly (readonly [status: number, path: string])[] = [
  [200, '/static/a.css'],
  [200, '/static/./a.css'],
  [200, '/static//a.css'],
  [403, '/static/../users'],
  [403, '/static/..%2fusers'],
  [403, '/static/%2e%2e/users'],
  [403, '/static/%2e%2e%2fusers'],
  [403, '/static/sub/../../users'],
  [403, '/static/sub/..%2f..%2fusers'],
  [403, '/static/..%5cusers'],
  [404, '/static/%252e%252e/users'],
  [404, '/static/%c0%ae%c0%ae/users'],
  [404, '/static/..;/users'],
  [403, '/static/a.css%00.html'],
  [403, '/static/%00'],
  [404, '/static/etc/passwd'],
  [404, '/static/%2fetc%2fpasswd'],
  [404, '/static/sub'],
  [404, '/static/'],
  [404, '/static/pipe'],
  // whoever makes a link in the folder wants it served, as with Salt
  [200, '/static/link.txt'],
  [403, '/static/folder/../../users'],
];

test('salt-api - names of files that lead elsewhere, and bodies that cost much', async (t) => {
  const api = await ApiFleet.start(t, ['max_request_body_size: 1048576']);
  const { fleet } = api;
  mkdirSync(fleet.path('static', 'sub'));
  writeFileSync(fleet.path('linked.txt'), 'linked\n');
  symlinkSync(fleet.path('linked.txt'), fleet.path('static', 'link.txt'));
  symlinkSync(fleet.path('static', 'sub'), fleet.path('static', 'folder'));
  spawnSync('mkfifo', [fleet.path('static', 'pipe')]);
  for (const [status, path] of PATHS) {
    const answer = await api.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), path);
    assert.doesNotMatch(answer, /alice:pw/, path);
  }
  api.token = await api.logIn();
  const [deep, large] = [20_000, 1_000_000];
  const bodies: readonly (readonly [number, string, string])[] = [
    // too deep, and beyond that too many
    ...['[', '{"a":'].flatMap((part): [number, string, string][] => [
      [400, 'application/json', part.repeat(deep)],
      [413, 'application/json', part.repeat(large / part.length)],
    ]),
    ...['[', '- ', '{a: '].flatMap((part): [number, string, string][] => [
      [400, 'application/x-yaml', part.repeat(deep)],
      [413, 'application/x-yaml', part.repeat(large / part.length)],
    ]),
    [400, 'text/plain', '['.repeat(deep)],
    [413, 'text/plain', '['.repeat(large)],
    [400, 'application/json', '1'.repeat(large)],
    [400, 'application/x-yaml', '1'.repeat(large)],
    [400, 'application/json', `"${'\\u0000'.repeat(large / 6)}"`],
    [413, 'application/x-www-form-urlencoded', 'a=1&'.repeat(large / 4)],
    [413, 'application/json', `"${'x'.repeat(1_048_576)}"`],
  ];
  for (const [status, type, body] of bodies) {
    const what = `${type} ${body.slice(0, 10)}`;
    const startedMs = performance.now();
    const path = status === 401 ? '/login' : '/';
    const reply = await api.send(path, { body, headers: { 'Content-Type': type } });
    assert.equal(reply.status, status, `${what}: ${reply.text.slice(0, 200)}`);
    assert.ok(performance.now() - startedMs < 10_000, what);
  }
  assert.equal((await api.send('/')).status, 200, 'it goes on');
});

/** A frame from a client. */
function frame(first: number, payload: Buffer, isMasked = true): Buffer {
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 0xff];
  const head = Buffer.from([first, (length[0] as number) | (isMasked ? 0x80 : 0), ...length.slice(1)]);
  // a mask of zeroes changes nothing
  return Buffer.concat([head, ...(isMasked ? [Buffer.alloc(4)] : []), payload]);
}

const TEXT = Buffer.from('x');
/** What no proper client sends, and the status of the close frame that it is answered with. */
const FRAMES: Readonly<Record<string, readonly [number, Buffer]>> = {
  'not masked': [1002, frame(0x81, TEXT, false)],
  huge: [1009, Buffer.concat([Buffer.from([0x82, 0xff, 0x7f]), Buffer.alloc(11, 0xff)])],
  large: [
    1009,
    Buffer.concat([Buffer.from([0x82, 0xff]), Buffer.from('0000000000020000', 'hex'), Buffer.alloc(4)]),
  ],
  'in endless pieces': [
    1009,
    Buffer.concat([frame(0x02, Buffer.alloc(60_000)), frame(0x00, Buffer.alloc(60_000))]),
  ],
  'a piece of nothing': [1002, frame(0x80, TEXT)],
  'a beginning within a message': [1002, Buffer.concat([frame(0x01, TEXT), frame(0x01, TEXT)])],
  'an unknown kind': [1002, frame(0x83, TEXT)],
  'reserved bits': [1002, frame(0xf1, TEXT)],
  'a large ping': [1002, frame(0x89, Buffer.alloc(200))],
  'a ping in pieces': [1002, frame(0x09, TEXT)],
  'no UTF-8': [1007, frame(0x81, Buffer.from([0xff, 0xfe]))],
};

test('salt-api - web sockets: foreign pages, frames, and readers that stall', async (t) => {
  const api = await ApiFleet.start(t, ['max_request_body_size: 2000000']);
  api.token = await api.logIn();
  const handshake = (path: string, more: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${api.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n${more}\r\n`;
  const cookie = `Cookie: session_id=${api.token}\r\n`;
  assert.match(
    await api.raw(handshake('/ws', `${cookie}Origin: https://evil.example\r\n`)),
    /^HTTP\/1.1 401/,
  );
  assert.match(await api.raw(handshake('/ws', '')), /^HTTP\/1.1 401/);
  assert.match(await api.raw(handshake('/ws/../../users', '')), /^HTTP\/1.1 404/);
  const old = handshake(`/ws/${api.token}`, '').replace('Version: 13', 'Version: 7');
  assert.match(await api.raw(old), /^HTTP\/1.1 (400|426)/);
  const open = (more = ''): Promise<{ socket: Socket; heard: () => Buffer; closed: Promise<unknown> }> =>
    new Promise((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1', () => socket.write(handshake(`/ws/${api.token}`, more)));
      let heard = Buffer.alloc(0);
      socket.on('error', reject);
      const closed = new Promise((gone) => socket.on('close', gone));
      socket.once('data', (chunk: Buffer) => {
        assert.match(chunk.toString('latin1'), /^HTTP\/1.1 101/);
        socket.on('data', (more_: Buffer) => (heard = Buffer.concat([heard, more_])));
        resolve({ socket, heard: () => heard, closed });
      });
    });
  for (const [what, [code, bytes]] of Object.entries(FRAMES)) {
    const { socket, heard, closed } = await open();
    socket.write(bytes);
    await until(`${what} is answered`, () => heard().includes(Buffer.from([code >> 8, code & 0xff])));
    assert.equal(heard()[0], 0x88, what);
    socket.end();
    await closed;
  }

  // one asks to hear events and reads none, one talks and reads no answer
  const stalled = await open();
  stalled.socket.pause();
  stalled.socket.write(frame(0x81, Buffer.from('websocket client ready')));
  const talking = await open();
  talking.socket.pause();
  talking.socket.on('error', () => undefined);
  const figure = async (name: string): Promise<number> =>
    Number(((await api.send('/stats')).json['salt-api'] as Record<string, unknown>)[name]);
  for (let sent = 0; sent < 60 && (await figure('Event Readers Cut Off')) === 0; sent++)
    await api.send('/hook/large', { json: { text: 'x'.repeat(500_000) } });
  assert.equal(await figure('Event Readers Cut Off'), 1);
  stalled.socket.resume();
  await stalled.closed;
  talking.socket.destroy();
});

test('salt-api - TLS: old versions, client certificates, no certificate at all', async (t) => {
  const port = await freePort();
  const api = await ApiFleet.start(t);
  const { fleet } = api;
  const start = async (options: readonly string[]): Promise<{ log: string; code: number | null }> => {
    const folder = fleet.path('tls');
    const master = readFileSync(fleet.path('m', 'master'), 'utf8').split('rest_cherrypy:')[0] as string;
    fleet.write(folder, 'master', [
      master.replace(/^api_.*$/gm, ''),
      `api_pidfile: ${folder}/pid`,
      `api_logfile: ${folder}/log`,
      `rest_cherrypy: {port: ${port}, ${options.join(', ')}}`,
    ]);
    const daemon = fleet.start('salt-api', ['-c', folder, '-l', 'info']);
    await Promise.race([daemon.logged('Salt API is starting').catch(() => undefined), daemon.exited]);
    return { log: daemon.log, code: daemon.child.exitCode };
  };
  const bare = await start([]);
  assert.equal(bare.code, 1);
  assert.match(bare.log, /ssl_crt and ssl_key are required if SSL is not disabled/);
  const wrong = await start(['ssl_crt: /no/such.crt', 'ssl_key: /no/such.key']);
  assert.equal(wrong.code, 1);
  assert.match(wrong.log, /ssl_crt\) cannot be read: /);

  const served = await start([
    `ssl_crt: ${certificate('address.crt')}`,
    `ssl_key: ${certificate('address.key')}`,
    `ssl_ca_certs: ${certificate('ca.crt')}`,
    'ssl_cert_reqs: CERT_REQUIRED',
  ]);
  assert.equal(served.code, null, served.log);
  assert.match(served.log, /names no host: it listens on 127\.0\.0\.1 alone/);
  const ask = (name: string | undefined): Promise<number> =>
    new Promise((resolve, reject) => {
      const pair =
        name === undefined
          ? {}
          : { cert: readFileSync(certificate(`${name}.crt`)), key: readFileSync(certificate(`${name}.key`)) };
      const sent = httpsRequest(
        {
          host: '127.0.0.1',
          port,
          path: '/',
          ca: readFileSync(certificate('ca.crt')),
          rejectUnauthorized: false,
          agent: false,
          ...pair,
        },
        (response) => resolve(response.resume().statusCode ?? 0),
      );
      sent.on('error', reject);
      sent.end();
    });
  assert.equal(await ask('minion'), 200);
  await assert.rejects(ask(undefined));
  await assert.rejects(ask('stranger'));
  const version = (wanted: SecureVersion): Promise<string | null> =>
    new Promise((resolve, reject) => {
      const socket = connectTls(
        {
          host: '127.0.0.1',
          port,
          minVersion: wanted,
          maxVersion: wanted,
          ciphers: 'DEFAULT@SECLEVEL=0',
          rejectUnauthorized: false,
          cert: readFileSync(certificate('minion.crt')),
          key: readFileSync(certificate('minion.key')),
        },
        () => {
          resolve(socket.getProtocol());
          socket.destroy();
        },
      );
      socket.on('error', reject);
    });
  assert.equal(await version('TLSv1.2'), 'TLSv1.2');
  for (const old of ['TLSv1', 'TLSv1.1'] as const) await assert.rejects(version(old), old);
  const plain = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
  assert.doesNotMatch(plain, /HTTP/, 'nothing is said in the clear');
});
