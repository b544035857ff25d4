import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { MinionDataCache } from '../../../../src/storage/cache/minion-data.ts';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { mineHandlers } from '../../../../src/programs/master/commands/mine.ts';
import type { Fleet } from '../../../../src/runtime/targeting/target.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';

type Ask = (id: string, cmd: string, load: Dict) => Promise<Value>;

/** A master with the minions web1, web2, db1; db1 has left no grains. */
function master(t: TestContext, settings: Dict = dict(), warnings: string[] = []): Ask {
  const folder = mkdtempSync(join(tmpdir(), 'brine-mine-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cache = new MinionDataCache(folder);
  const grains = new Map([
    ['web1', dict({ role: 'web' })],
    ['web2', dict({ role: 'web' })],
  ]);
  const fleet: Fleet = {
    ids: ['db1', 'web1', 'web2'],
    data: (id) => {
      const found = grains.get(id);
      return found && { grains: found, pillar: dict({ secret: id }) };
    },
  };
  const opts = new Options(masterOptions, settings);
  const warn = (_id: string, text: string): void => void warnings.push(text);
  const handlers = new Map(mineHandlers({ opts, cache, fleet, warn }));
  return async (id, cmd, load) => {
    const request = { id, cmd, load, version: 3, nonce: '', encAlgo: '', sigAlgo: '' };
    const reply = await handlers.get(cmd)?.(request);
    assert.ok(reply && 'value' in reply);
    return reply.value as Value;
  };
}

const leave = (ask: Ask, id: string, data: Dict): Promise<Value> => ask(id, '_mine', dict({ data }));

test('mine - what minions leave is found by target and function, and stays apart', async (t) => {
  const ask = master(t);
  assert.equal(await leave(ask, 'web1', dict({ f: 1, g: 2 })), true);
  await leave(ask, 'web2', dict({ f: 3 }));
  await leave(ask, 'web2', dict({ g: 4 }));
  const get = (fields: Parameters<typeof dict>[0]): Promise<Value> => ask('db1', '_mine_get', dict(fields));
  assert.deepEqual(await get({ tgt: '*', fun: 'f' }), dict({ web1: 1, web2: 3 }));
  assert.deepEqual(
    await get({ tgt: 'role:web', fun: 'f,g', tgt_type: 'grain' }),
    dict({ f: { web1: 1, web2: 3 }, g: { web1: 2, web2: 4 } }),
  );
  assert.deepEqual(await get({ tgt: 'web1', fun: ['f'] }), dict({ f: { web1: 1 } }));
  assert.deepEqual(await get({ tgt: '*', fun: 'nothing' }), dict());
  assert.deepEqual(await get({ tgt: 'role:', fun: 'f', tgt_type: 'nonsense' }), dict());
});

test('mine - a minion leaves no more than mine_max_size, and what it left before stays', async (t) => {
  const warnings: string[] = [];
  const ask = master(t, dict({ mine_max_size: 1 }), warnings);
  const half = 'x'.repeat(600_000);
  assert.equal(await leave(ask, 'web1', dict({ f: half })), true);
  assert.equal(await leave(ask, 'web1', dict({ g: half })), false);
  assert.equal(await leave(ask, 'web2', dict({ g: half })), true, 'each minion has its own limit');
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /The mine of web1 is not changed: .* mine_max_size allows \(1 MB\)/);
  const found = await ask('db1', '_mine_get', dict({ tgt: '*', fun: 'f,g' }));
  assert.deepEqual(found, dict({ f: { web1: half }, g: { web2: half } }));
  assert.equal(await leave(ask, 'web1', dict({ f: 1, g: 2 })), true, 'less than before');
});

test('mine - pillar targets are compared exactly, so that nobody guesses values with globs', async (t) => {
  const ask = master(t);
  await leave(ask, 'web1', dict({ f: 1 }));
  const get = (tgt: string, tgt_type: string): Promise<Value> =>
    ask('db1', '_mine_get', dict({ tgt, fun: 'f', tgt_type }));
  assert.deepEqual(await get('secret:w*', 'pillar'), dict());
  assert.deepEqual(await get('I@secret:w*', 'compound'), dict());
  assert.deepEqual(await get('secret:web1', 'pillar'), dict({ web1: 1 }));
});

test('mine - allow_tgt shows an entry only to the minions it means', async (t) => {
  const ask = master(t);
  const only = (allow_tgt: string, allow_tgt_type: string): Dict =>
    dict({ __data__: 'x', __saltmine_acl__: 1, allow_tgt, allow_tgt_type });
  await leave(
    ask,
    'web1',
    dict({ a: only('web*', 'glob'), b: only('role:web', 'grain'), c: only('nobody', 'glob') }),
  );
  const seen = async (id: string): Promise<Value> =>
    ask(id, '_mine_get', dict({ tgt: 'web1', fun: ['a', 'b', 'c'] }));
  assert.deepEqual(await seen('web2'), dict({ a: { web1: 'x' }, b: { web1: 'x' } }));
  assert.deepEqual(await seen('db1'), dict());
});

test('mine - mine_get on the master limits who reads what', async (t) => {
  const ask = master(t, dict({ mine_get: { 'web.*': ['f', 'net.*'], '(': ['.*'] } }));
  await leave(ask, 'web1', dict({ f: 1, g: 2, 'net.ip': 3 }));
  const get = (id: string, fun: Value): Promise<Value> => ask(id, '_mine_get', dict({ tgt: '*', fun }));
  assert.deepEqual(await get('web2', 'f,g,net.ip'), dict({ f: { web1: 1 }, 'net.ip': { web1: 3 } }));
  assert.deepEqual(await get('db1', 'f'), dict());
});

test('mine - who asks why is told what refuses it, and nothing where there is nothing', async (t) => {
  const ask = master(t, dict({ mine_get: { 'web.*': ['f', 'net.*', 'other'] } }));
  const entry = { __saltmine_acl__: 1, __data__: 1, allow_tgt: 'nobody' };
  await ask('web1', '_mine', dict({ data: { f: 1, net: entry } }));
  const why = async (id: string, fun: Value, tgt = 'web1', tgt_type = 'glob'): Promise<Value> => {
    const reply = await ask(id, '_mine_get', dict({ tgt, fun, tgt_type, asks_reason: true }));
    return isDict(reply) ? (reply.get('__refused__') ?? reply) : reply;
  };
  assert.equal(
    await why('db1', 'f'),
    'The master does not let db1 read f of the mine: its option mine_get does not allow it. Add the function there, below a pattern that fits this minion.',
  );
  assert.match(String(await why('web1', 'secret')), /does not let web1 read secret of the mine/);
  assert.equal(
    await why('web2', 'net'),
    'What is in the mine under net is not for web2: the allow_tgt with which it was left names others.',
  );
  assert.match(
    String(await why('web1', 'f', 'a and', 'compound')),
    /^The target of mine.get cannot be understood: /,
  );
  assert.deepEqual(await why('web1', 'f'), dict({ web1: 1 }));
  assert.deepEqual(await why('web1', 'other'), dict());
  assert.deepEqual(await why('web1', 'f', 'nobody'), dict());
});

test('mine - clear, delete and flush; the id in a request counts for nothing', async (t) => {
  const ask = master(t);
  const own = (): Promise<Value> => ask('web1', '_mine_get', dict({ tgt: 'web1', fun: ['a', 'b', 'c'] }));
  await leave(ask, 'web1', dict({ a: 1, b: 2 }));
  await ask('web1', '_mine', dict({ data: { c: 3 }, clear: true }));
  assert.deepEqual(await own(), dict({ c: { web1: 3 } }));
  await leave(ask, 'web1', dict({ a: 1 }));
  await ask('web2', '_mine_flush', dict({ id: 'web1' }));
  assert.equal(await ask('web1', '_mine_delete', dict({ fun: 'a' })), true);
  assert.deepEqual(await own(), dict({ c: { web1: 3 } }));
  assert.equal(await ask('web1', '_mine_flush', dict()), true);
  assert.deepEqual(await own(), dict());
  assert.equal(await leave(ask, 'web1', 'text' as unknown as Dict), false);
});

test('mine - nothing is kept without the cache of minion data, but with enforce_mine_cache', async (t) => {
  const ask = master(t, dict({ minion_data_cache: false }));
  assert.equal(await leave(ask, 'web1', dict({ f: 1 })), true);
  assert.deepEqual(await ask('web1', '_mine_get', dict({ tgt: '*', fun: 'f' })), dict());
  const enforced = master(t, dict({ minion_data_cache: false, enforce_mine_cache: true }));
  await leave(enforced, 'web1', dict({ f: 1 }));
  assert.deepEqual(await enforced('web1', '_mine_get', dict({ tgt: '*', fun: 'f' })), dict({ web1: 1 }));
});
