import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { postgresConnections, type PostgresConnections } from '../../../../src/network/databases/postgres.ts';
import type { Value } from '../../../../src/python/values/value.ts';

/** What a client asks a server before anything else, when it wants TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Somebody who says that he has no TLS, as a server does that has none, or a stranger between. */
async function withoutTls(t: TestContext): Promise<{ readonly port: number; readonly heard: Buffer[] }> {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      heard.push(bytes);
      if (bytes.equals(SSL_REQUEST)) socket.write('N');
      else socket.end();
    });
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, heard };
}

function connections(
  t: TestContext,
  more: Readonly<Record<string, Value>>,
  warnings: string[] = [],
): PostgresConnections {
  const options = new Map<string, Value>(
    // an address of this machine that does not count as local
    Object.entries({ host: '0.0.0.0', user: 'salt', password: 'hidden', db: 'salt', ...more }),
  );
  const made = postgresConnections(
    {
      options,
      timeoutMs: 5000,
      connectionsMax: 1,
      warn: (text) => void warnings.push(text),
    },
    { name: 'postgres', prefix: 'returner.postgres', password: 'password' },
  );
  t.after(() => made.close());
  return made;
}

const ask = (made: PostgresConnections): Promise<unknown> =>
  made.use((session) => session.script('SELECT 1', 5000), 1);

for (const sslmode of ['require', 'verify-ca', 'verify-full'])
  test(`PostgreSQL - sslmode ${sslmode} says nothing to a server that has no TLS`, async (t) => {
    const { port, heard } = await withoutTls(t);
    await assert.rejects(
      ask(connections(t, { port, sslmode, sslrootcert: 'system' })),
      /does not support SSL connections; the option returner\.postgres\.sslmode asks for TLS, and nothing is sent without it/,
    );
    assert.ok(heard.length > 0);
    for (const bytes of heard) assert.deepEqual(bytes, SSL_REQUEST);
  });

test('PostgreSQL - with prefer the connection goes on without TLS, user name and all', async (t) => {
  const { port, heard } = await withoutTls(t);
  await assert.rejects(ask(connections(t, { port, sslmode: 'prefer' })));
  assert.ok(heard.some((bytes) => bytes.includes('salt')));
});
