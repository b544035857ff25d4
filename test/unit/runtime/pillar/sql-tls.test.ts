/** The external pillars of SQL servers speak TLS as the returners do: what was asked for is not given up. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import type { ExtPillarContext } from '../../../../src/runtime/pillar/ext/ext-pillar.ts';
import { postgresPillar } from '../../../../src/runtime/pillar/ext/sql.ts';

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

async function serverWithoutTls(
  t: TestContext,
): Promise<{ readonly port: number; readonly heard: Buffer[] }> {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      heard.push(bytes);
      if (bytes.equals(SSL_REQUEST)) socket.write('N');
      else socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, heard };
}

function pillarOf(postgres: Readonly<Record<string, Value>>): Promise<Value> {
  const context: ExtPillarContext = {
    ...{ minionId: 'web1', grains: dict(), pillar: dict(), log: silentLogger, errors: [] },
    opts: dict({ postgres: dict(postgres) }),
  };
  return Promise.resolve(postgresPillar(['SELECT %s'], context));
}

test('pillar postgres - sslmode require says nothing to a server that has no TLS', async (t) => {
  const { port, heard } = await serverWithoutTls(t);
  await assert.rejects(
    pillarOf({ host: '127.0.0.1', port, sslmode: 'require' }),
    /the option postgres\.sslmode asks for TLS, and nothing is sent without it/,
  );
  assert.deepEqual(heard, [SSL_REQUEST]);
});

test('pillar postgres - TLS is asked for where nothing is said of it', async (t) => {
  const { port, heard } = await serverWithoutTls(t);
  await assert.rejects(pillarOf({ host: '127.0.0.1', port }));
  assert.deepEqual(heard[0], SSL_REQUEST);
});

test('pillar postgres - a mode that does not exist is refused by its name', async () => {
  await assert.rejects(
    pillarOf({ sslmode: 'always' }),
    /postgres\.sslmode: always is none of disable, allow/,
  );
});
