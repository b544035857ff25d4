/** Slow clients of salt-api: those that send slowly, and those that take nothing. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { systemClock } from '../../src/host/clock.ts';
import { ApiFleet } from '../support/api/api-fleet.ts';
import { certificate } from '../support/database-servers.ts';
import { ours, until } from '../support/fleet.ts';

const DRIP_MS = 1_000;
const LARGE_BYTES = 64 * 1024 * 1024;

/** Sends the beginning, and then a byte each second. @returns how the connection ended, and when */
async function drip(port: number, beginning: string, byte: string): Promise<{ answer: string; ms: number }> {
  const startedMs = performance.now();
  const socket = connect(port, '127.0.0.1');
  // what is written before the connection is there would come before the beginning
  socket.write(beginning);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const timer = systemClock.every(DRIP_MS, () => void socket.write(byte));
  await new Promise((resolve) => socket.on('close', resolve));
  timer.cancel();
  return { answer, ms: performance.now() - startedMs };
}

/** Opens a connection and waits until it is there. */
function opened(port: number, bytes: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes);
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

test('salt-api - slow heads, slow bodies, and clients that take nothing are cut off, while others are served', async (t) => {
  const api = await ApiFleet.start(t);
  writeFileSync(api.fleet.path('static', 'large.bin'), Buffer.alloc(LARGE_BYTES));
  api.token = await api.logIn();
  const slow = Array.from({ length: 200 }, () => opened(api.port, 'GET / HTTP/1.1\r\nX: '));
  const waiting = await Promise.all(slow);
  const head = drip(api.port, 'GET / HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n');
  const body = drip(
    api.port,
    'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
    ' ',
  );
  const taker = await opened(api.port, 'GET /static/large.bin HTTP/1.1\r\nHost: x\r\n\r\n');
  taker.pause();
  const cutOff = new Promise<number>((resolve) => {
    const startedMs = performance.now();
    taker.on('error', () => undefined);
    taker.on('close', () => resolve(performance.now() - startedMs));
  });
  const served = performance.now();
  assert.equal((await api.send('/')).status, 200);
  assert.ok(performance.now() - served < 5_000, 'somebody else is served meanwhile');

  const { answer, ms } = await head;
  assert.match(answer, /^HTTP\/1.1 408/);
  assert.ok(ms < 30_000, `a slow head is answered after ${ms} ms`);
  for (const socket of waiting) socket.destroy();
  const slowBody = await body;
  assert.match(slowBody.answer, /^(HTTP\/1.1 408|$)/);
  assert.ok(slowBody.ms < 90_000, `a slow body is answered after ${slowBody.ms} ms`);
  // whoever reads nothing learns that he was cut off when he reads again
  await systemClock.sleep(1);
  const log = api.fleet.daemons.at(-1);
  await log?.logged('was cut off: it does not take the');
  taker.resume();
  await cutOff;
});

test('salt-api - thousands of requests in one connection are answered one after the other, within its memory', async (t) => {
  const api = await ApiFleet.start(t);
  const count = 20_000;
  const bytes = 'GET /login HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count - 1);
  const answer = await api.raw(`${bytes}GET /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  assert.equal(answer.split('HTTP/1.1 200').length - 1, count);
});

/** What the API holds. */
interface Held {
  /** The most memory that it has ever had, MiB. */
  readonly mib: number;
  readonly files: number;
}

function heldBy(api: ApiFleet): Held {
  const pid = api.fleet.daemons.at(-1)?.child.pid;
  const peak = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { mib: Number(peak) / 1024, files: readdirSync(`/proc/${pid}/fd`).length };
}

const CONSOLE = readdirSync(join(ours.folder, '..', 'dist', 'console')).find((name) =>
  /^console-.*\.js$/.test(name),
) as string;
const LOW = '[{"client":"local","fun":"test.ping","tgt":"*","token":"abcd"}]';

/** Requests of a stranger. */
const REQUESTS: Readonly<Record<string, string>> = {
  'a file of the console': `GET /console/${CONSOLE} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'a file below static': 'GET /static/large.bin HTTP/1.1\r\nHost: x\r\n\r\n',
  'a text that is compressed': 'GET /static/text.txt HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n',
  'the document': 'GET /api/v2/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n',
  'the page of the log-in': 'GET /login HTTP/1.1\r\nHost: x\r\n\r\n',
  events: 'GET /events?token=abcd HTTP/1.1\r\nHost: x\r\n\r\n',
  'a web socket that is none': 'GET /ws/abcd HTTP/1.1\r\nHost: x\r\n\r\n',
  calls: `POST /run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LOW.length}\r\n\r\n${LOW}`,
  expectations: 'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n',
  'no version': 'GET /\r\n\r\n',
};

const SENT_BYTES = 1_500_000;
const CONNECTIONS = 8;
const MORE_MIB_MAX = 120;

async function pipelined(t: TestContext, isTls: boolean): Promise<void> {
  const api = await ApiFleet.start(t, ({ folder }) =>
    isTls
      ? [
          `ssl_crt: ${certificate('address.crt')}`,
          `ssl_key: ${certificate('address.key')}`,
          'disable_ssl: False',
        ]
      : [`log_access_file: ${folder}/access.log`],
  );
  writeFileSync(api.fleet.path('static', 'large.bin'), Buffer.alloc(LARGE_BYTES / 16));
  writeFileSync(api.fleet.path('static', 'text.txt'), 'x'.repeat(LARGE_BYTES / 32));
  const open = (): Socket =>
    isTls
      ? connectTls({ port: api.port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect(api.port, '127.0.0.1');
  const before = heldBy(api);
  for (const [what, request] of Object.entries(REQUESTS)) {
    const bytes = Buffer.from(request.repeat(Math.ceil(SENT_BYTES / request.length)));
    const sockets = Array.from({ length: CONNECTIONS }, open);
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.pause();
      socket.write(bytes);
    }
    const other = open();
    const startedMs = performance.now();
    await new Promise((resolve, reject) => {
      other.on('error', reject);
      other.once('data', resolve);
      other.write('GET /login HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    assert.ok(performance.now() - startedMs < 5_000, `${what}: somebody else is served meanwhile`);
    other.destroy();
    const { mib, files } = heldBy(api);
    assert.ok(mib - before.mib < MORE_MIB_MAX, `${what}: ${mib} MiB after ${before.mib}`);
    assert.ok(files - before.files < 4 * CONNECTIONS, `${what}: ${files} open files after ${before.files}`);
    for (const socket of sockets) socket.destroy();
    await until(`${what}: everything is closed`, () => heldBy(api).files <= before.files + 4);
  }
}

test('salt-api - requests that are sent one behind the other cost what one costs', (t) =>
  pipelined(t, false));

test('salt-api - requests that are sent one behind the other cost what one costs, with TLS', (t) =>
  pipelined(t, true));

test('salt-api - many bodies of strangers at the same time cost little, and others get in', async (t) => {
  const api = await ApiFleet.start(t);
  const before = heldBy(api);
  const head = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const whole = `${head}Content-Length: 1048576\r\n\r\n[${'{},'.repeat(349_524)}{}]`;
  const slow = `${head}Content-Length: 65536\r\n\r\n${' '.repeat(65_000)}`;
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.raw(whole)));
  for (const answer of answers) assert.match(answer, /^HTTP\/1.1 413/);
  const held: Socket[] = [];
  // no more at a time than wait to be taken
  while (held.length < 700)
    held.push(...(await Promise.all(Array.from({ length: 20 }, () => opened(api.port, slow)))));
  api.token = await api.logIn();
  const refused = async (): Promise<number> =>
    Number(((await api.send('/stats')).json['salt-api'] as Record<string, unknown>)['Bodies Refused']);
  while ((await refused()) <= 100) await systemClock.sleep(20);
  const { mib } = heldBy(api);
  assert.ok(mib - before.mib < MORE_MIB_MAX, `${mib} MiB after ${before.mib}`);
  for (const socket of held) socket.destroy();
});
