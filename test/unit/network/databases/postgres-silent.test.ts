/** A PostgreSQL server that takes connections and says nothing, as one does that is held. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { postgresConnections } from '../../../../src/network/databases/postgres.ts';

/** Both the pool and its connection have the limit, and either may be the first to say so. */
const TRIES = 20;
const TIMEOUT_MS = 100;

test('PostgreSQL - who has waited for a silent server as long as it may does not try again', async (t) => {
  const open = new Set<Socket>();
  let connected = 0;
  const server = createServer((socket) => {
    connected++;
    open.add(socket);
    socket.on('error', () => undefined).resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const options = new Map(
    Object.entries({ host: '127.0.0.1', port, user: 'salt', password: 'x', db: 'salt', sslmode: 'disable' }),
  );
  for (let i = 0; i < TRIES; i++) {
    const made = postgresConnections(
      { options, timeoutMs: TIMEOUT_MS, connectionsMax: 1 },
      { name: 'postgres', prefix: 'postgres', password: 'password' },
    );
    await assert.rejects(
      made.use((session) => session.script('SELECT 1')),
      new RegExp(`127\\.0\\.0\\.1:${port}: .*\\(no answer within ${TIMEOUT_MS} ms\\)`),
    );
    await made.close();
  }
  assert.equal(connected, TRIES);
});
