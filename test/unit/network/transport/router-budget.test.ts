import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { encodeMessage, handshake } from '../../../../src/network/transport/zmtp/frames.ts';
import { Router } from '../../../../src/network/transport/zmtp/router.ts';
import { until } from '../../../support/fleet.ts';

const KiB = 1024;

async function routerWith(t: TestContext) {
  const refused: string[] = [];
  const router = new Router(
    {
      address: { host: '127.0.0.1', port: 0 },
      backlog: 100,
      messageBytesMax: 1024 * KiB,
      bufferedBytesMax: 4096 * KiB,
      clock: systemClock,
    },
    ({ body, reply }) => reply(Buffer.from(body)),
    (_from, reason) => refused.push(reason.message),
  );
  const address = await router.start();
  t.after(() => router.close());
  const sockets: Socket[] = [];
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  const peer = (bytes: readonly Buffer[]): Socket => {
    const socket = connect('port' in address ? address.port : 0, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(handshake('DEALER', Buffer.alloc(0)));
    for (const each of bytes) socket.write(each);
    sockets.push(socket);
    return socket;
  };
  return { router, refused, peer };
}

test('router - many peers that each hold a little share one budget', async (t) => {
  const { router, refused, peer } = await routerWith(t);
  const head = Buffer.alloc(9);
  head[0] = 2;
  head.writeBigUInt64BE(BigInt(1000 * KiB), 1);
  for (let i = 0; i < 30; i++) peer([head, Buffer.alloc(600 * KiB)]);
  await until('the budget holds', () => refused.length >= 20);
  assert.ok(router.counters.connections <= 10);
  assert.match(refused[0] ?? '', /all peers together hold \d+ bytes/);
});

test('router - a peer that never reads its replies is cut off', async (t) => {
  const { refused, peer } = await routerWith(t);
  const request = encodeMessage([Buffer.alloc(0), Buffer.alloc(100 * KiB, 65)]);
  peer(Array.from({ length: 400 }, () => request));
  await until('it is cut off', () => refused.length === 1);
});
