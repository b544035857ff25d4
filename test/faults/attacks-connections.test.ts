import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { encodeMessage, handshake } from '../../src/network/transport/zmtp/frames.ts';
import { Fleet, until } from '../support/fleet.ts';

/** A connection that stays open, whatever the other end does. */
class Peer {
  readonly socket: Socket;
  isClosed = false;

  constructor(t: TestContext, port: number, bytes: readonly Buffer[] = []) {
    this.socket = connect({ host: '127.0.0.1', port });
    this.socket.on('error', () => undefined).on('close', () => (this.isClosed = true));
    this.socket.resume();
    for (const each of bytes) this.socket.write(each);
    t.after(() => this.socket.destroy());
  }
}

/** Beginnings of messages that never end, by transport. */
const UPGRADE = Buffer.from(
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
);
const HALVES: ReadonlyMap<string, readonly (readonly Buffer[])[]> = new Map([
  [
    'zeromq',
    [
      [handshake('DEALER'), encodeMessage([Buffer.alloc(0), Buffer.alloc(100_000)]).subarray(0, 2)],
      [handshake('DEALER'), encodeMessage([Buffer.alloc(0), Buffer.alloc(100_000)]).subarray(0, 50_000)],
      [handshake('DEALER').subarray(0, 30)],
    ],
  ],
  ['tcp', [[Buffer.from([0x82, 0xa4, 0x68])], [Buffer.from('82a46865616480a4626f6479c600010000', 'hex')]]],
  [
    'ws',
    [
      [UPGRADE, Buffer.from([0x02, 0x82, 0, 0, 0, 0, 1, 1])],
      [UPGRADE, Buffer.from([0x82, 0xfe, 0x10, 0, 0, 0, 0, 0, 1])],
    ],
  ],
]);

for (const [transport, halves] of HALVES)
  test(
    `attacks - messages that are begun and never finished end their connection (${transport})`,
    { timeout: 120_000 },
    async (t) => {
      const fleet = await Fleet.create(t, ['auto_accept: True', `transport: ${transport}`]);
      const master = await fleet.startMaster();
      for (const port of [fleet.retPort, fleet.publishPort]) {
        const peers = halves.map((bytes) => new Peer(t, port, bytes));
        const patient =
          transport === 'tcp'
            ? undefined
            : new Peer(t, port, transport === 'ws' ? [UPGRADE] : [handshake('DEALER')]);
        await until(`half messages on ${port} are given up`, () => peers.every(({ isClosed }) => isClosed));
        assert.ok(patient?.isClosed !== true, 'who is in the middle of nothing stays');
      }
      assert.match(master.log, /lets a message trickle .*\(\d+ so far\)/);
    },
  );

test(
  'attacks - one address has so many connections and no more, and others are not kept out',
  { timeout: 120_000 },
  async (t) => {
    const fleet = await Fleet.create(t, ['auto_accept: True', 'max_connections_by_address: 30']);
    const master = await fleet.startMaster();
    await fleet.joinMinion('good');
    const peers = Array.from({ length: 100 }, () => new Peer(t, fleet.retPort, [handshake('DEALER')]));
    await until(
      'those beyond the limit are closed',
      () => peers.filter(({ isClosed }) => isClosed).length >= 70,
    );
    const open = peers.filter(({ isClosed }) => !isClosed);
    assert.ok(open.length >= 25 && open.length <= 30, String(open.length));
    await master.logged('its address has more than 30 connections already');
    for (const { socket } of open) socket.destroy();
    await until('there is room again', () => open.every(({ isClosed }) => isClosed));
    assert.deepEqual(await fleet.json(['good', 'test.ping']), { good: true });
  },
);
