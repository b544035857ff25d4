/** Logging to system logs: by datagrams, by a connection, by the socket of this machine; what cannot be had is said. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setupLogging, type Logging } from '../../../src/host/log-sinks.ts';
import { StreamChannel } from '../../../src/host/log-network.ts';

function logging(file: string, written: string[] = []): Logging {
  return setupLogging({
    level: 'warning',
    file,
    fileLevel: 'info',
    fileForm: '[%(name)s] %(message)s',
    name: 'salt.master',
    console: { write: (text: string) => written.push(text) },
  });
}

test('log - udp:// sends datagrams with the facility and the level', async (t) => {
  const server = createSocket('udp4');
  t.after(() => server.close());
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const log = logging(`udp://127.0.0.1:${server.address().port}/LOG_LOCAL3`);
  t.after(() => log.close());
  log.logger.info('one\ntwo');
  log.logger.debug('not at this level');
  const [first] = (await once(server, 'message')) as [Buffer];
  assert.equal(first.toString(), '<158>[salt.master] one\n    two\0');
});

test('log - tcp:// sends over a connection that is made anew when it breaks, and keeps a bounded amount', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const log = logging(`tcp://127.0.0.1:${port}`);
  log.logger.error('first');
  await once(server, 'connection');
  const [text] = (await once(sockets[0] as Socket, 'data')) as [Buffer];
  assert.equal(text.toString(), '<11>[salt.master] first\0');
  sockets[0]?.destroy();
  log.close();
  const nobody = new StreamChannel({ path: '/nowhere/socket' });
  for (let i = 0; i < 3; i++) nobody.send(Buffer.alloc(400 * 1024));
  assert.equal(nobody.dropped, 1);
  nobody.close();
});

test('log - file:///dev/log goes to the socket of the system log', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'dev-log');
  const listener = spawn('/usr/bin/python3', [
    '-c',
    'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("up",flush=True)\nfor i in range(2): print(s.recv(9999).decode(),flush=True)',
    path,
  ]);
  t.after(() => listener.kill());
  await once(listener.stdout, 'data');
  const log = logging(`file://${path}/LOG_DAEMON`);
  log.logger.warning('one\ntwo');
  log.close();
  let said = '';
  listener.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
  await once(listener, 'exit');
  const lines = said.trim().split('\n');
  assert.match(lines[0] ?? '', /^<28>.*salt-master\[\d+\]: \[salt\.master\] one$/);
  assert.match(lines[1] ?? '', /^<28>.*salt-master\[\d+\]: {5}two$/);
});

test('log - a system log that cannot be had is said on the terminal', () => {
  for (const [file, said] of [
    ['file:///nowhere/log', /\/nowhere\/log is no socket/],
    ['udp://h/daemon', /facility 'DAEMON' is not known/],
    ['tcp://h/LOG_OTHER', /'LOG_OTHER' is not known; there are LOG_KERN/],
    ['udp:///LOG_USER', /names no host/],
  ] as const) {
    const written: string[] = [];
    logging(file, written).close();
    assert.match(written.join(''), said);
  }
});
