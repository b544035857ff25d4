/** Modules that speak with a service over HTTP: what a name, a secret or a hostile answer may do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { dict, isDict, type Value } from '../../../../src/python/values/value.ts';
import { startHttpStandIn, type HttpStandIn } from '../../../support/http-stand-in.ts';
import { fakeStateContext, runState, type FakeStateContext } from '../../../support/state-context.ts';

const contextOf = (server: HttpStandIn, more: Readonly<Record<string, Value>> = {}): FakeStateContext =>
  fakeStateContext({
    clock: systemClock,
    opts: dict({
      id: 'm',
      hash_type: 'sha256',
      'consul.url': server.url,
      'consul.token': 'canary',
      my: dict({
        'etcd.host': '127.0.0.1',
        'etcd.port': server.port,
        'etcd.username': 'u',
        'etcd.password': 'canary',
      }),
      elasticsearch: dict({ hosts: [`http://u:canary@127.0.0.1:${server.port}`], timeout: 1 }),
      ...more,
    }),
  });

test('http services - names stay words of the address, and none leads elsewhere', async (t) => {
  const server = await startHttpStandIn(t, () => ({
    body: '{"node":{}}',
    headers: { 'content-type': 'application/json' },
  }));
  const { functions } = contextOf(server);
  await functions.call('consul.get', [], dict({ key: 'a b?raw#x/c%2f' }));
  assert.equal(server.taken.at(-1)?.path, '/v1/kv/a%20b%3Fraw%23x/c%252f');
  await assert.rejects(
    async () => functions.call('consul.get', [], dict({ key: '../acl/list' })),
    /A name in the address of a service cannot be '\.\.'/,
  );
  await functions.call('elasticsearch.index_get', ['a/../_all', null, null]);
  assert.equal(server.taken.at(-1)?.path, '/a%2F..%2F_all');
  await assert.rejects(async () => functions.call('elasticsearch.index_delete', ['..']), /cannot be '\.\.'/);
  await assert.rejects(async () => functions.call('elasticsearch.index_delete', ['']), /Empty value passed/);
  await functions.call('etcd.get', [], dict({ key: '/a?recursive=true', profile: 'my' }));
  assert.equal(server.taken.at(-1)?.path, '/v2/keys/a%3Frecursive%3Dtrue');
});

test('http services - no token or password in an error or a log', async (t) => {
  const server = await startHttpStandIn(t, () => ({ status: 403, body: '{"error":"no"}' }));
  const ctx = contextOf(server);
  const said: string[] = [];
  for (const [fun, kwargs] of [
    ['elasticsearch.info', dict()],
    ['consul.list', dict()],
    ['etcd.get', dict({ key: '/a', profile: 'my' })],
    ['etcd.get', dict({ key: '/a', profile: 'nosuch' })],
  ] as const) {
    try {
      said.push(JSON.stringify([...((await ctx.functions.call(fun, [], kwargs)) as Map<Value, Value>)]));
    } catch (error) {
      assert.ok(error instanceof Error);
      said.push(error.message);
    }
  }
  assert.match(
    said[0] ?? '',
    /Could not connect to Elasticsearch host\/ cluster .* due to AuthorizationException\(403, 'no'/,
  );
  assert.match(said[3] ?? '', /There is no profile nosuch/);
  assert.equal([...said, ...ctx.logged.map(({ message }) => message)].join('\n').includes('canary'), false);
  assert.equal(server.taken[0]?.headers.get('authorization'), `Basic ${btoa('u:canary')}`);
});

test('http services - an answer without an end is given up', async (t) => {
  const server = await startHttpStandIn(t, ({ path }) => (path === '/' ? { body: '{}' } : { hang: true }));
  const ctx = contextOf(server);
  await assert.rejects(
    async () => ctx.functions.call('elasticsearch.index_get', ['i']),
    /Cannot retrieve index i, server returned code N\/A with message .* no whole answer within 1 s/,
  );
});

test('http services - an answer of Consul that is too large is given up', async (t) => {
  const server = await startHttpStandIn(t, () => ({
    body: JSON.stringify('x'.repeat(2000)),
    headers: { 'content-type': 'application/json' },
  }));
  const ctx = contextOf(server, { http_max_body: 1000 });
  const answer = await ctx.functions.call('consul.status_leader');
  assert.ok(isDict(answer));
  assert.equal(answer.get('res'), false);
  assert.match(String(answer.get('error')), /larger than http_max_body allows \(1000 bytes\)/);
});

test('http services - hosts of Elasticsearch are tried in turn', async (t) => {
  const server = await startHttpStandIn(t, () => ({ body: '{"name":"second"}' }));
  const ctx = contextOf(server, {
    elasticsearch: dict({ hosts: ['127.0.0.1:1', dict({ host: '127.0.0.1', port: server.port })] }),
  });
  assert.deepEqual(await ctx.functions.call('elasticsearch.info'), dict({ name: 'second' }));
  await assert.rejects(
    async () =>
      ctx.functions.call('elasticsearch.info', [], dict({ profile: dict({ host: '127.0.0.1:1' }) })),
    /cluster \['127\.0\.0\.1:1'\] due to ConnectionError\(127\.0\.0\.1:1 cannot be reached/,
  );
});

test('http services - a key of Consul is set where its index is this one', async (t) => {
  const server = await startHttpStandIn(t, ({ method }) => ({
    body: method === 'GET' ? '[{"ModifyIndex":3,"Session":"s"}]' : 'true',
    headers: { 'content-type': 'application/json' },
  }));
  const { functions } = contextOf(server);
  const put = async (more: Readonly<Record<string, Value>>): Promise<Value> =>
    functions.call('consul.put', [], dict({ key: 'k', value: 'x', ...more }));
  assert.deepEqual(await put({ cas: 3 }), dict({ res: true, data: 'Added key k with value x.' }));
  assert.equal(server.taken.at(-1)?.path, '/v1/kv/k?cas=3');
  assert.deepEqual(
    await put({ cas: 4 }),
    dict({ message: 'Key k exists, but indexes do not match.', res: false }),
  );
  assert.deepEqual(
    await put({ release: 't' }),
    dict({ message: 'k locked by another session.', res: false }),
  );
  await put({ release: 's' });
  assert.equal(server.taken.at(-1)?.path, '/v1/kv/k?release=s');
});

test('http services - templates of searches are those of servers before 6', async (t) => {
  const server = await startHttpStandIn(t, ({ path, method }) =>
    path === '/'
      ? { body: '{}' }
      : method === 'GET'
        ? { status: 404, body: '{}' }
        : { body: '{"acknowledged":true}' },
  );
  const ctx = contextOf(server);
  assert.equal(await ctx.functions.call('elasticsearch.search_template_get', ['s']), null);
  const made = await runState(
    ctx,
    'elasticsearch.search_template_present',
    dict({ name: 's', definition: dict({ size: 1 }) }),
  );
  assert.deepEqual(
    [made.get('result'), made.get('comment')],
    [true, 'Successfully created search template s'],
  );
  assert.deepEqual(
    [server.taken.at(-1)?.path, server.taken.at(-1)?.body],
    ['/_search/template/s', '{"size": 1}'],
  );
  assert.ok(isDict(made.get('changes') ?? null));
});
