/** The functions and states of `redis` on a real server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { startDatabase } from '../support/database-servers.ts';
import { fakeStateContext, runState } from '../support/state-context.ts';

test('redis - functions and states on a real server', async (t) => {
  const { port } = await startDatabase(t, 'redis');
  const opts = dict({ id: 'minion', hash_type: 'sha256', 'redis.host': '127.0.0.1', 'redis.port': port });
  const ctx = fakeStateContext({ opts });
  const testing = fakeStateContext({ opts, test: true });
  const call = (fun: string, ...args: readonly Value[]): Promise<Value> =>
    ctx.functions.call(`redis.${fun}`, args);
  const state = async (at: typeof ctx, fun: string, kwargs: Dict): Promise<Value[]> => {
    const made = await runState(at, `redis.${fun}`, kwargs);
    assert.ok(isDict(made));
    return ['result', 'comment', 'changes'].map((key) => made.get(key) ?? null);
  };

  assert.deepEqual(await state(testing, 'string', dict({ name: 'k', value: 5 })), [
    null,
    'Key will be updated to new value',
    dict({ k: 'Value updated' }),
  ]);
  assert.deepEqual(await call('keys'), []);
  assert.deepEqual(await state(ctx, 'string', dict({ name: 'k', value: 5, host: '127.0.0.1', port })), [
    true,
    'Key updated to new value',
    dict({ k: 'Value updated' }),
  ]);
  assert.deepEqual(await state(ctx, 'string', dict({ name: 'k', value: 5 })), [
    true,
    'Key already set to defined value',
    dict(),
  ]);
  assert.deepEqual(await state(testing, 'absent', dict({ name: 'x', keys: ['k', 'no'] })), [
    null,
    'Keys will be deleted',
    dict({ deleted: ['k'] }),
  ]);
  assert.equal(await call('get_key', 'k'), '5');
  assert.equal((await state(ctx, 'absent', dict({ name: 'k' })))[0], true);
  assert.equal(await call('exists', 'k'), 0);

  assert.equal(await ctx.functions.call('redis.hmset', ['h'], dict({ a: 1, b: 'ü', __pub_jid: 'x' })), true);
  assert.deepEqual(await call('hgetall', 'h'), dict({ a: '1', b: 'ü' }));
  assert.deepEqual(await call('hscan', 'h'), [0, dict({ a: '1', b: 'ü' })]);
  assert.deepEqual(await call('hincrbyfloat', 'h', 'a', 0.5), 1.5);
  await assert.rejects(call('set_key', 'k', null), /Invalid input of type: 'NoneType'/);
  await assert.rejects(call('llen', 'h'), /did not do it: WRONGTYPE/);
  await assert.rejects(
    call('sentinel_get_master_ip', 'm', '127.0.0.1', 1),
    /Redis at 127\.0\.0\.1:1 did not/,
  );
  const facts = await call('info');
  assert.ok(isDict(facts) && facts.get('tcp_port') === port && isDict(facts.get('db0') ?? null));
  assert.equal(await call('ping', '127.0.0.1', 1), false);
  assert.equal(await call('slaveof', '127.0.0.1', 1), true);
  assert.deepEqual(await call('get_master_ip'), dict({ master_host: '127.0.0.1', master_port: 1 }));
  assert.equal(await call('slaveof'), true);
});
