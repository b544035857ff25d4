/** Strangers that send thousands of messages one behind the other on each connection, and wait for nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { command, encodeMessage, handshake } from '../../src/network/transport/zmtp/frames.ts';
import { Fleet } from '../support/fleet.ts';

const MEGABYTE = 1024 * 1024;

/** Connections that send the same thing, and take what comes. */
function flood(t: TestContext, port: number, count: number, bytes: Buffer): void {
  const sockets = Array.from({ length: count }, (): Socket => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => undefined).resume();
    socket.write(bytes);
    return socket;
  });
  t.after(() => sockets.forEach((socket) => socket.destroy()));
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array<Buffer>(count).fill(bytes));

for (const [what, connections, bytes] of [
  ['requests that say nothing', 50, times(5_000, encodeMessage([Buffer.alloc(0), Buffer.from([0x80])]))],
  ['pings', 100, times(20_000, command('PING', Buffer.from([0, 0])))],
] as const)
  test(
    `attacks - a master answers others while strangers send it thousands of ${what}`,
    { timeout: 120_000 },
    async (t) => {
      const fleet = await Fleet.create(t, ['auto_accept: True']);
      const master = await fleet.startMaster();
      await fleet.joinMinion('good');
      flood(t, fleet.retPort, connections, Buffer.concat([handshake('DEALER', Buffer.alloc(0)), bytes]));
      for (let round = 0; round < 3; round++)
        assert.deepEqual(await fleet.json(['good', 'test.ping']), { good: true });
      const [, pid = 0] =
        [...master.children()].find(([name]) => name.includes('ReqServer MWorkerQueue')) ?? [];
      const resident = residentBytes(pid);
      assert.ok(resident < 200 * MEGABYTE, `the request server has ${Math.round(resident / MEGABYTE)} MB`);
    },
  );
