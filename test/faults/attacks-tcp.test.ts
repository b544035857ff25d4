/** What is thrown at the ports of tcp and ws. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { encodeRequest } from '../../src/network/transport/tcp/frames.ts';
import { encode } from '../../src/formats/wire/msgpack.ts';
import { clearBytes, poke } from '../support/attacker.ts';
import { Fleet, freePort } from '../support/fleet.ts';

/** Bytes that end a connection of tcp. */
function foreignBytes(): Map<string, Buffer> {
  const body = Buffer.from('82a46865616480a4626f6479', 'hex');
  return new Map([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['TLS', Buffer.concat([Buffer.from('16030100f8010000f40303', 'hex'), randomBytes(200)])],
    ['ZMTP', Buffer.concat([Buffer.from('ff00000000000000017f0300', 'hex'), Buffer.alloc(52)])],
    ['zeros', Buffer.alloc(4096)],
    ['a text of four gigabytes', Buffer.concat([body, Buffer.from('dbffffffff', 'hex')])],
    ['a map of four milliards', Buffer.concat([body, Buffer.from('dfffffffff', 'hex')])],
    ['deep nesting', Buffer.concat([body, Buffer.alloc(100_000, 0x91)])],
    ['an invalid byte', Buffer.concat([body, Buffer.from([0xc1])])],
    ['no body', encode({ head: {} }, 'local')],
  ]);
}

async function idle(t: TestContext, port: number, count: number, bytes: Buffer): Promise<Socket[]> {
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => {
            if (bytes.length > 0) socket.write(bytes);
            resolve(socket);
          });
          socket.on('error', reject);
        }),
    ),
  );
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  return sockets;
}

test('attacks - a master stands what is thrown at tcp and ws', { timeout: 120_000 }, async (t) => {
  const [wsPublish, wsRet] = await Promise.all([freePort(), freePort()]);
  const fleet = await Fleet.create(t, [
    'auto_accept: True',
    'transport: tcp',
    `transport_opts: {ws: {publish_port: ${wsPublish}, ret_port: ${wsRet}}}`,
  ]);
  const master = await fleet.startMaster();
  await Promise.all([
    fleet.joinMinion('good', ['transport: tcp']),
    fleet.joinMinion('also', ['transport: ws', `master_port: ${wsRet}`]),
  ]);
  const children = master.children();
  const stillWell = async (): Promise<void> => {
    assert.deepEqual(await fleet.json(['*', 'test.ping']), { also: true, good: true });
    assert.deepEqual(master.childrenAmong(children), children, 'every part is the same process');
  };

  await t.test('foreign bytes on all ports', async () => {
    for (const port of [fleet.retPort, fleet.publishPort]) {
      for (const [name, bytes] of foreignBytes())
        assert.ok((await poke({ port }, [bytes], 10_000)).closed, `${port}: ${name} ends the connection`);
    }
    for (const port of [wsRet, wsPublish]) {
      for (const [name, bytes] of foreignBytes())
        if (!['TLS', 'zeros'].includes(name)) await poke({ port }, [bytes], 2000);
    }
    await stillWell();
  });

  await t.test('connections that say nothing, or stop half-way', async () => {
    const half = encodeRequest(1, clearBytes({ cmd: 'ping', padding: 'x'.repeat(5000) })).subarray(0, 3000);
    for (const port of [fleet.retPort, fleet.publishPort, wsRet, wsPublish]) {
      await idle(t, port, 300, Buffer.alloc(0));
      await idle(t, port, 300, port === wsRet ? Buffer.from('GET /ws HT') : half);
    }
    await stillWell();
  });

  await t.test(
    'three thousand malformed requests on one connection are answered, in little time and log',
    async () => {
      const before = master.log.length;
      const bodies = ['c0', 'a178', '80', '93010203', '81a3656e63a3616573'].map((hex) =>
        Buffer.from(hex, 'hex'),
      );
      const socket = connect(fleet.retPort, '127.0.0.1');
      t.after(() => socket.destroy());
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
      for (let id = 0; id < 3000; id++) socket.write(encodeRequest(id, bodies[id % bodies.length] as Buffer));
      while (received.split('bad load').length <= 3000) await systemClock.sleep(10);
      assert.ok(master.log.length - before < 20_000, 'the log stays short');
      await stillWell();
    },
  );
});
