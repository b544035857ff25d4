import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { elasticsearchKind } from '../../../../src/plugins/elasticsearch/returner.ts';
import { optionsFrom } from '../../../../src/plugins/shared/returner/options.ts';
import type { ReturnStore } from '../../../../src/plugins/shared/returner/return-store.ts';
import { parseJson } from '../../../../src/formats/json/text.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { checkReturnStore, contractLoad, contractReturn } from '../../../support/return-store-contract.ts';
import { startElasticsearch } from '../../../support/elasticsearch-stand-in.ts';
import { startHttpStandIn } from '../../../support/http-stand-in.ts';
import { RECORDED_RETURNS, sentBySalt } from '../../../support/returner-vectors.ts';

const JID = '20261122020000000001';

/** A store with the options of this configuration. */
async function open(t: TestContext, config: Dict | DictInit, timeoutMs = 5000): Promise<ReturnStore> {
  const opts = isDict(config as Dict) ? (config as Dict) : dict(config as DictInit);
  const options = await optionsFrom(
    (name) => opts.get(name),
    'elasticsearch',
    new Map(),
    elasticsearchKind.defaults,
  );
  const store = elasticsearchKind.open({ options, timeoutMs, connectionsMax: 2, clock: systemClock });
  t.after(() => store.close());
  return store;
}

test('elasticsearch - takes all that stores must take, each once', async (t) => {
  const server = await startElasticsearch(t);
  const config = { 'elasticsearch.hosts': [`127.0.0.1:${server.port}`] };
  const countEvents = (): Promise<number> =>
    Promise.resolve(server.content.documents('salt-master-event-cache').size);
  await checkReturnStore(await open(t, config), await open(t, config), { canRead: false, countEvents });
});

test("elasticsearch - indexes and documents are those of Salt's returner", async (t) => {
  for (const { config, sent } of sentBySalt('elasticsearch'))
    for (const [name, ret] of RECORDED_RETURNS) {
      const server = await startElasticsearch(t);
      const { content } = server;
      const store = await open(t, new Map<Value, Value>([...config, ['elasticsearch.host', server.url]]));
      await store.saveReturns([ret]);
      const salts = sent.get(name) as Dict;
      if (salts.get('error') !== undefined || salts.size === 0) continue;
      const index = String(salts.get('index'));
      const [id, body] = [...content.documents(index)][0] as [string, Record<string, unknown>];
      assert.equal(id, `${JID}:m1`);
      assert.match(String(body['@timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
      delete body['@timestamp'];
      assert.deepEqual(parseJson(JSON.stringify(body)), plain(salts.get('body') as Value), name);
      const [made] = salts.get('made') as [[string, Dict]];
      assert.deepEqual([...content.indexes.keys()], [made[0]]);
      assert.deepEqual(parseJson(JSON.stringify({ settings: content.settings.get(made[0]) })), made[1]);
      assert.equal(content.aliases.get(index), made[0]);
    }
});

/** As JavaScript's JSON writes it. */
function plain(value: Value): Value {
  const toPlain = (one: Value): unknown =>
    isDict(one)
      ? Object.fromEntries([...one].map(([key, item]) => [String(key), toPlain(item)]))
      : Array.isArray(one)
        ? one.map(toPlain)
        : one !== null && typeof one === 'object'
          ? Number(one)
          : one;
  return parseJson(JSON.stringify(toPlain(value)));
}

test('elasticsearch - what was written can be looked up, also what did not fit its index', async (t) => {
  const server = await startElasticsearch(t);
  const store = await open(t, { elasticsearch: { host: server.url } });
  await store.saveLoads([{ jid: JID, load: contractLoad(JID) }]);
  await store.saveLoads([{ jid: JID, load: contractLoad(JID, { fun: 'other' }) }]);
  await store.saveReturns([contractReturn(JID, 'm1', { return: { a: 1 } })]);
  await store.saveReturns([
    contractReturn(JID, 'm2', { return: 'text' }),
    contractReturn(JID, 'm3', { return: { b: 2 } }),
  ]);
  const many = Array.from({ length: 2500 }, (_, n) => contractReturn(`${JID}_1`, `x${n}`, { return: { n } }));
  await store.saveReturns(many);
  const returns = await store.returns(JID);
  assert.deepEqual([...returns].map(([id, ret]) => [id, ret.get('return')]).sort(), [
    ['m1', dict({ a: 1 })],
    ['m2', 'text'],
    ['m3', dict({ b: 2 })],
  ]);
  assert.equal((await store.returns(`${JID}_1`)).size, 2500);
  assert.equal((await store.load(JID))?.get('fun'), 'test.echo');
  assert.equal(await store.load('20261122020000000009'), undefined);
  assert.deepEqual([...(await store.loads()).keys()], [JID]);
  assert.equal((await store.minions()).length, 2503);
  assert.equal((await store.lastReturns('test.echo')).get('m2'), 'text');
  await store.removeOlderThan(systemClock.nowMs() + 3_600_000);
  assert.equal((await store.loads()).size + (await store.returns(JID)).size, 0);
});

test('elasticsearch - a host that is down is passed over; one that is too busy is an error that can be repeated', async (t) => {
  const [up, down] = [await startElasticsearch(t), await startHttpStandIn(t, () => ({ hang: true }))];
  const hosts = [`127.0.0.1:1`, `127.0.0.1:${up.port}`];
  const store = await open(t, { 'elasticsearch.hosts': hosts });
  await store.saveReturns([contractReturn(JID, 'm1')]);
  assert.equal((await store.returns(JID)).size, 1);
  up.content.failures.push({ status: 429, body: '{"error": {"type": "x", "reason": "rejected execution"}}' });
  await assert.rejects(store.saveReturns([contractReturn(JID, 'm2')]), {
    message: `Elasticsearch at 127.0.0.1:${up.port} refused POST /_bulk: 429 rejected execution`,
  });
  await store.saveReturns([contractReturn(JID, 'm2')]);
  const alone = await open(t, {
    'elasticsearch.hosts': `127.0.0.1:${down.port}`,
    'elasticsearch.timeout': 0.2,
  });
  await assert.rejects(alone.saveReturns([contractReturn(JID, 'm1')]), {
    message:
      `Elasticsearch at 127.0.0.1:${down.port} cannot be reached: no whole answer within 0.2 s. ` +
      'Check elasticsearch.hosts and that it runs',
  });
});

test('elasticsearch - name and password are sent, types only to old versions, and proxies are refused', async (t) => {
  const server = await startElasticsearch(t);
  server.content.version = '6.8.0';
  const login = { host: server.url, username: 'salt', password: 'sesame', doc_type: 'thing' };
  const store = await open(t, { elasticsearch: login });
  await store.saveReturns([contractReturn(JID, 'm1')]);
  const bulk = server.taken.find(({ path }) => path === '/_bulk');
  assert.equal(bulk?.headers.get('authorization'), `Basic ${Buffer.from('salt:sesame').toString('base64')}`);
  assert.match(bulk?.body ?? '', /"_type": "thing"/);
  const proxied = await open(t, { elasticsearch: { ...login, proxies: ['http://p'] } });
  await assert.rejects(proxied.load(JID), /elasticsearch\.proxies is not supported/);
});
