/** Pings cost the process that answers them no more than they cost whoever sends them. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { systemClock } from '../../../../src/host/clock.ts';
import { requestServer } from '../../../../src/network/transport/transports.ts';
import { answerPings } from '../../../../src/network/transport/ws/pongs.ts';
import { handshake, command, ZmtpParser } from '../../../../src/network/transport/zmtp/frames.ts';
import { until } from '../../../support/fleet.ts';

const COUNT = 20_000;

test('zmtp - pings that come together get one answer, the one of the last', () => {
  const pongs: Buffer[] = [];
  const parser = new ZmtpParser(
    { messageBytesMax: 1024 },
    { ready() {}, message() {}, ping: (pong) => pongs.push(pong), pong() {} },
  );
  const ping = (context: string): Buffer => command('PING', Buffer.from(`\0\0${context}`));
  parser.push(handshake('REQ'));
  parser.push(Buffer.concat(Array.from({ length: COUNT }, (_, index) => ping(String(index)))));
  assert.deepEqual(pongs.splice(0), [command('PONG', Buffer.from(String(COUNT - 1)))]);
  parser.push(ping('next'));
  assert.deepEqual(pongs, [command('PONG', Buffer.from('next'))]);
});

async function wsPort(t: TestContext): Promise<number> {
  const server = await requestServer(
    'ws',
    {
      address: { host: '127.0.0.1', port: 0 },
      backlog: 100,
      messageBytesMax: 1024,
      bufferedBytesMax: 1024 * 1024,
      clock: systemClock,
    },
    ({ reply }) => reply(Buffer.from('x')),
    (_from, reason) => assert.fail(reason),
  );
  const address = await server.start();
  t.after(() => server.close());
  return 'port' in address ? address.port : 0;
}

test('ws - pings that come together get few answers, with that of the last among them', async (t) => {
  const socket = new WebSocket(`ws://127.0.0.1:${await wsPort(t)}/`);
  t.after(() => socket.terminate());
  await once(socket, 'open');
  const pongs: string[] = [];
  socket.on('pong', (data) => pongs.push(String(data)));
  for (let index = 1; index <= COUNT; index++) socket.ping(String(index));
  await until('the last is answered', () => pongs.at(-1) === String(COUNT));
  assert.ok(pongs.length < COUNT / 10, `${pongs.length} answers`);
});

test('ws - a peer that takes nothing gets no more answers', async () => {
  const answered: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    pong: (data: unknown) => answered.push(String(data)),
  });
  answerPings(socket as unknown as WebSocket);
  const ping = async (data: string): Promise<void> => {
    socket.emit('ping', Buffer.from(data));
    await Promise.resolve();
  };
  await ping('a');
  socket.bufferedAmount = 64 * 1024;
  await ping('b');
  socket.bufferedAmount = 0;
  socket.readyState = 3;
  await ping('c');
  socket.readyState = 1;
  await ping('d');
  assert.deepEqual(answered, ['a', 'd']);
});
