import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

test('config - values that point to an sdb profile need its driver', async () => {
  const ctx = fakeContext({
    opts: dict({ password: 'sdb://db/key', other: 'sdb://unknown/key', odd: 'sdb://db' }),
    pillar: dict({ db: { driver: 'etcd' } }),
  });
  await assert.rejects(
    ctx.functions.call('config.get', ['password']),
    (error: Error) =>
      error instanceof CommandExecutionError &&
      /The sdb profile db names Salt's driver etcd/.test(error.message),
  );
  assert.equal(await ctx.functions.call('config.get', ['other']), 'sdb://unknown/key');
  assert.equal(await ctx.functions.call('config.get', ['odd']), 'sdb://db');
});

test('config - an unknown merge strategy is named in the log', async () => {
  const ctx = fakeContext();
  await ctx.functions.call('config.get', ['x'], dict({ merge: 'deep' }));
  assert.equal(ctx.logged[0]?.message, "Unsupported merge strategy 'deep'. Falling back to 'recurse'.");
});

test('config - what is given out can be changed without changing the options', async () => {
  const ctx = fakeContext({ opts: dict({ deep: { list: [1] } }), pillar: dict({ deep: { more: [2] } }) });
  for (const [fun, kwargs] of [
    ['get', dict()],
    ['get', dict({ merge: 'recurse' })],
    ['option', dict()],
    ['merge', dict()],
  ] as const) {
    const value = (await ctx.functions.call(`config.${fun}`, ['deep'], kwargs)) as Dict;
    value.clear();
  }
  assert.deepEqual(ctx.opts, dict({ deep: { list: [1] } }));
  assert.deepEqual(ctx.pillar, dict({ deep: { more: [2] } }));
});
