/** The minion data cache in Consul, against a stand-in that keeps keys as Consul does. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandExecutionError, ConfigError, UnreachableError } from '../../../../src/errors/errors.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { openCacheServer } from '../../../../src/plugins/registry/cache/open.ts';
import { dict } from '../../../../src/python/values/value.ts';
import type { CacheServer } from '../../../../src/storage/cache/cache-server.ts';
import { checkServer, checkSharedCache } from '../../../support/cache-masters.ts';

interface StandIn {
  readonly port: number;
  readonly keys: Map<string, Buffer>;
  readonly tokens: Set<string>;
  /** An answer in place of its own. */
  status: number | undefined;
}

async function consul(t: TestContext): Promise<StandIn> {
  const standIn: {
    port: number;
    keys: Map<string, Buffer>;
    tokens: Set<string>;
    status: number | undefined;
  } = {
    port: 0,
    keys: new Map(),
    tokens: new Set(),
    status: undefined,
  };
  let index = 1;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://consul');
      const key = decodeURIComponent(url.pathname.replace('/v1/kv/', ''));
      standIn.tokens.add(String(request.headers['x-consul-token']));
      const below = [...standIn.keys.keys()].filter((known) => known.startsWith(key)).sort();
      const answer = (status: number, body: unknown): void => {
        response.writeHead(standIn.status ?? status, { 'x-consul-index': String(index) });
        response.end(status === 404 ? '' : JSON.stringify(body));
      };
      const rows = (names: string[]): object[] =>
        names.map((name) => ({ Key: name, Value: standIn.keys.get(name)?.toString('base64') ?? null }));
      if (standIn.status !== undefined) return answer(standIn.status, 'no');
      if (request.method === 'PUT') {
        index++;
        standIn.keys.set(key, Buffer.concat(chunks));
        return answer(200, true);
      }
      if (request.method === 'DELETE') {
        index++;
        for (const name of url.searchParams.has('recurse') ? below : [key]) standIn.keys.delete(name);
        return answer(200, true);
      }
      if (url.searchParams.has('keys')) {
        const short = below.map((name) => {
          const end = name.indexOf('/', key.length);
          return end < 0 ? name : name.slice(0, end + 1);
        });
        return short.length === 0 ? answer(404, '') : answer(200, [...new Set(short)]);
      }
      return standIn.keys.has(key) ? answer(200, rows([key])) : answer(404, '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  return Object.assign(standIn, { port: (server.address() as AddressInfo).port });
}

function opened(port: number, more: Record<string, string> = {}): CacheServer {
  const server = openCacheServer({
    opts: dict({ cache: 'consul', 'consul.port': port, 'consul.token': 'secret', ...more }),
    clock: systemClock,
  });
  assert.ok(server);
  return server;
}

test('consul cache - keeps what masters remember of minions', async (t) => {
  const standIn = await consul(t);
  await checkServer(() => opened(standIn.port), true);
  await checkSharedCache(t, () => opened(standIn.port));
  assert.deepEqual([...standIn.tokens], ['secret']);
});

test('consul cache - the bank of one minion is not that of another whose name goes on', async (t) => {
  const standIn = await consul(t);
  const server = opened(standIn.port);
  for (const id of ['web1', 'web10'])
    await server.store({ bank: `minions/${id}`, key: 'data' }, Buffer.from(id));
  assert.deepEqual([...standIn.keys.keys()].sort(), [
    'minions/web1/data',
    'minions/web1/data.tstamp',
    'minions/web10/data',
    'minions/web10/data.tstamp',
  ]);
  const mark = await server.mark?.('minions');
  assert.equal(await server.mark?.('minions'), mark);
  await server.flush('minions/web1');
  assert.notEqual(await server.mark?.('minions'), mark);
  assert.deepEqual([...standIn.keys.keys()], ['minions/web10/data', 'minions/web10/data.tstamp']);
  assert.deepEqual(await server.list('minions'), ['web10']);
});

test('consul cache - what it refuses, and when it is away', async (t) => {
  const standIn = await consul(t);
  const server = opened(standIn.port);
  const store = (): Promise<number> => server.store({ bank: 'minions/web1', key: 'data' }, Buffer.from('x'));
  standIn.status = 413;
  await assert.rejects(
    store(),
    (error) => error instanceof CommandExecutionError && /answered 413/.test(error.message),
  );
  for (standIn.status of [403, 500])
    await assert.rejects(
      store(),
      (error) => error instanceof UnreachableError && /answered \d+ to PUT/.test(error.message),
    );
  await assert.rejects(opened(1).list('x'), UnreachableError);
  assert.throws(() => opened(1, { 'consul.scheme': 'ftp' }), ConfigError);
});
