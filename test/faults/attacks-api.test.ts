/** Slow clients of salt-api: those that send slowly, and those that take nothing. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { ApiFleet } from '../support/api/api-fleet.ts';

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
