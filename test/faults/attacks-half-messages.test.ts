/** Strangers that begin large messages on many connections and never finish them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { handshake } from '../../src/network/transport/zmtp/frames.ts';
import { Attacker, returnOf } from '../support/attacker.ts';
import { Fleet, until } from '../support/fleet.ts';

const MEGABYTE = 1024 * 1024;
const RETURN_TRIES = 3;
const RETURN_TRY_MS = 20_000;
const READY = handshake('DEALER', Buffer.alloc(0));

/** The beginning of a message of 100 MB. */
function half(sentBytes: number): Buffer {
  const head = Buffer.alloc(9);
  head[0] = 2;
  head.writeBigUInt64BE(BigInt(100 * MEGABYTE), 1);
  return Buffer.concat([head, Buffer.alloc(sentBytes, 1)]);
}

async function halves(t: TestContext, port: number, count: number, sentBytes: number): Promise<void> {
  const bytes = Buffer.concat([READY, half(sentBytes)]);
  const sockets = Array.from({ length: count }, (): Socket => connect({ host: '127.0.0.1', port }));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  for (const socket of sockets) socket.on('error', () => undefined).resume();
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(bytes);
}

/**
 * Returns on a connection that is new, as `salt-call` and Salt's own minions do, and again when nobody has answered: in
 * a burst, who was not on his way may be cut off.
 */
async function returned(
  t: TestContext,
  known: Attacker,
  port: number,
  load: Parameters<Attacker['request']>[0],
): Promise<void> {
  for (let left = RETURN_TRIES - 1; ; left--) {
    const again = new Attacker(t, 'known', port);
    again.credentials = known.credentials;
    try {
      await again.send(again.request(load), RETURN_TRY_MS);
      return;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

for (const [count, sentBytes] of [
  [300, MEGABYTE],
  [5_000, 60_000],
] as const)
  test(
    `attacks - ${count} half messages of ${sentBytes} bytes cost a master little, and a large return gets through`,
    { timeout: 180_000 },
    async (t) => {
      const fleet = await Fleet.create(t, ['auto_accept: True', 'max_connections_by_address: 20000']);
      const master = await fleet.startMaster();
      await fleet.joinMinion('good');
      const known = new Attacker(t, 'known', fleet.retPort);
      assert.equal((await known.authenticate()).kind, 'accepted');
      const [, pid = 0] =
        [...master.children()].find(([name]) => name.includes('ReqServer MWorkerQueue')) ?? [];
      let most = 0;
      const look = (): number => (most = Math.max(most, residentBytes(pid)));
      for (let round = 0; round < 2; round++) {
        const looking = setInterval(look, 20);
        try {
          await halves(t, fleet.retPort, count, sentBytes);
          assert.deepEqual(await fleet.json(['good', 'test.ping']), { good: true });
        } finally {
          clearInterval(looking);
        }
        look();
        const jid = `2026112908000000000${round}`;
        await returned(t, known, fleet.retPort, { ...returnOf(jid), return: 'x'.repeat(8 * MEGABYTE) });
        look();
        const kept = await fleet.run('salt-run', ['jobs.lookup_jid', jid, '--out=json']);
        assert.ok(kept.stdout.length > 8 * MEGABYTE);
      }
      await until('who does not come on is named', () => /does not come on with a message/.test(master.log));
      const report = `the request server had ${Math.round(most / MEGABYTE)} MB`;
      t.diagnostic(report);
      assert.ok(most < 300 * MEGABYTE, report);
    },
  );
