import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { mongoKind } from '../../../../src/plugins/mongodb/returner.ts';
import type { ReturnStore } from '../../../../src/plugins/shared/returner/return-store.ts';
import { dict, float, type Value } from '../../../../src/python/values/value.ts';
import { freePort } from '../../../support/fleet.ts';
import { startMongo } from '../../../support/mongo-stand-in.ts';
import { checkReturnStore, contractLoad, contractReturn } from '../../../support/return-store-contract.ts';

const JID = '20261122020000000001';

function open(t: TestContext, options: Iterable<[string, Value]>, timeoutMs = 5000): ReturnStore {
  const store = mongoKind.open({
    options: new Map(options),
    timeoutMs,
    connectionsMax: 2,
    clock: systemClock,
  });
  t.after(() => store.close());
  return store;
}

function at(port: number): [string, Value][] {
  return [
    ['host', '127.0.0.1'],
    ['port', port],
    ['db', 'salt'],
  ];
}

test('mongo - keeps the contract of stores', { timeout: 60_000 }, async (t) => {
  const server = await startMongo(t);
  const countEvents = (): Promise<number> => Promise.resolve(server.collections.get('events')?.length ?? 0);
  await checkReturnStore(open(t, at(server.port)), open(t, at(server.port)), { countEvents });
  assert.deepEqual(Object.fromEntries(server.indexes), {
    saltReturns: ['minion', 'jid'],
    jobs: ['jid'],
    events: ['tag'],
  });
});

test("mongo - documents have the fields of Salt's, with keys as it writes them", async (t) => {
  const server = await startMongo(t);
  const store = open(t, [['uri', `mongodb://127.0.0.1:${server.port}/salt`]]);
  const value = dict({ 'a.b': { 'c.d': 1 }, plain: [dict({ 'e.f': 2 })] });
  await store.saveReturns([contractReturn(JID, 'm1', { out: 'nested' }).set('return', value)]);
  await store.saveLoads([{ jid: JID, load: contractLoad(JID, { arg: [dict({ 'a.b%': '$x' })] }) }]);
  await store.saveEvents(
    [{ tag: 'salt/x', data: dict({ _stamp: '2026-11-22T02:00:00.000001', 'k.v': 1 }) }],
    'ma',
  );
  const [ret] = server.collections.get('saltReturns') ?? [];
  const kept = { 'a-b': { 'c-d': 1 }, plain: [{ 'e.f': 2 }] };
  assert.deepEqual(ret?.['return'], kept);
  assert.deepEqual(
    [ret?.['minion'], ret?.['jid'], ret?.['fun'], ret?.['out']],
    ['m1', JID, 'test.echo', 'nested'],
  );
  assert.deepEqual((ret?.['full_ret'] as Record<string, unknown>)['return'], kept);
  const [job] = server.collections.get('jobs') ?? [];
  assert.deepEqual(job?.['arg'], [{ 'a%2eb%25': '$x' }]);
  assert.equal(job?.['jid'], JID);
  const [event] = server.collections.get('events') ?? [];
  assert.deepEqual(event?.['data'], { _stamp: '2026-11-22T02:00:00.000001', 'k%2ev': 1 });
  assert.deepEqual((await store.load(JID))?.get('arg'), [dict({ 'a.b%': '$x' })]);
});

test("mongo - reads what Salt's returner has written, and no minion twice", async (t) => {
  const server = await startMongo(t);
  const full = { id: 'm1', jid: JID, fun: 'test.ping', return: true, retcode: 0, success: true };
  server.collections.set('saltReturns', [
    { _id: 'an object id', minion: 'm1', jid: JID, return: true, fun: 'test.ping', full_ret: full },
  ]);
  server.collections.set('jobs', [{ _id: 'another', jid: JID, fun: 'test.ping', arg: [] }]);
  const store = open(t, at(server.port));
  await store.saveReturns([contractReturn(JID, 'm1', { return: float(8) as number })]);
  assert.equal((await store.returns(JID)).size, 1);
  assert.equal((await store.load(JID))?.get('fun'), 'test.ping');
  assert.deepEqual(await store.minions(), ['m1']);
  assert.deepEqual([...(await store.lastReturns('test.ping'))], [['m1', true]]);
});

test('mongo - a document that is refused is an error, one that is there already none', async (t) => {
  const server = await startMongo(t);
  const store = open(t, at(server.port));
  server.refused.add(`${JID}:m2`);
  const rets = ['m1', 'm2', 'm3'].map((id) => contractReturn(JID, id));
  await assert.rejects(store.saveReturns(rets), /Document failed validation/);
  server.refused.clear();
  await store.saveReturns(rets);
  assert.equal((await store.returns(JID)).size, 3);
});

test('mongo - what no document can hold is kept in another form', async (t) => {
  const server = await startMongo(t);
  const store = open(t, at(server.port));
  let deep: Value = 'end';
  for (let level = 0; level < 150; level++) deep = [deep];
  const rets: [string, Value][] = [
    ['deep', deep],
    ['great', 'x'.repeat(9_000_000)],
  ];
  await store.saveReturns(rets.map(([id, value]) => contractReturn(JID, id).set('return', value)));
  const returns = await store.returns(JID);
  assert.match(String(returns.get('deep')?.get('return')), /^\[\[\[/);
  assert.match(String(returns.get('great')?.get('return')), /shortened: 9000002 characters are too many/);
});

test(
  'mongo - says which server is down, bounds its silence and tells no password',
  { timeout: 30_000 },
  async (t) => {
    const port = await freePort();
    const login: [string, Value][] = [
      ['user', 'salt'],
      ['password', 'sesame'],
    ];
    await assert.rejects(
      open(t, [...at(port), ...login], 300).saveReturns([contractReturn(JID, 'm1')]),
      (error: Error) => {
        assert.match(
          error.message,
          new RegExp(`^MongoDB cannot be reached at 127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`),
        );
        assert.doesNotMatch(error.message, /sesame/);
        return true;
      },
    );
    const uri = open(t, [['uri', `mongodb://salt:sesame@127.0.0.1:${port}/salt`]], 300);
    await assert.rejects(uri.load(JID), (error: Error) => !error.message.includes('sesame'));
    const server = await startMongo(t);
    const store = open(t, at(server.port), 400);
    await store.saveReturns([contractReturn(JID, 'm1')]);
    server.silent = true;
    await assert.rejects(store.saveReturns([contractReturn(JID, 'm2')]), /did not do it|cannot be reached/);
    server.silent = false;
    await store.saveReturns([contractReturn(JID, 'm2')]);
    await assert.rejects(
      open(t, [
        ['uri', 'mongodb://h/d'],
        ['host', 'x'],
      ]).load(JID),
      {
        message: 'Mongo returner expects either uri or host configuration. Both were provided',
      },
    );
  },
);
