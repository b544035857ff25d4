import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeFunction } from '../../../../src/runtime/loader/execute.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';

function minion(opts: Dict = dict(), pub: Dict = dict()): FakeContext {
  const grains = dict({ os: 'Debian', role: 'web' });
  return fakeContext({ opts, grains, pillar: dict({ secret: 1, open: 2 }), pub });
}

test('event - fire goes to the bus of the minion, fire_master to the master', async () => {
  const ctx = minion();
  assert.equal(await ctx.functions.call('event.fire', [dict({ a: 1 }), 'my/tag']), true);
  assert.equal(await ctx.functions.call('event.fire_master', [dict({ b: 2 }), 'up', dict({ p: 1 })]), true);
  assert.deepEqual(ctx.events, [
    ['local', 'my/tag', dict({ a: 1 }), undefined],
    ['master', 'up', dict({ b: 2 }), dict({ p: 1 })],
  ]);
});

test('event - data that is no mapping is sent to the master, and not to the bus of the minion', async () => {
  const ctx = minion();
  for (const data of ['done', [1, 2], 5, null]) {
    assert.equal(await ctx.functions.call('event.fire', [data, 'tag']), false);
    assert.equal(await ctx.functions.call('event.fire_master', [data, 'tag']), true);
    assert.deepEqual(ctx.events.pop(), ['master', 'tag', data, undefined]);
  }
  assert.equal(await ctx.functions.call('event.fire', [dict(), '']), false);
  assert.deepEqual(ctx.events, []);
});

test('event - without a master send goes to the bus of the minion and fire_master nowhere', async () => {
  for (const opts of [dict({ local: true }), dict({ file_client: 'local' })]) {
    const ctx = minion(opts);
    assert.equal(await ctx.functions.call('event.fire_master', [dict(), 't']), false);
    assert.match(ctx.logged[0]?.message ?? '', /^Local mode detected\. Event with tag t will NOT be sent\.$/);
    await ctx.functions.call('event.send', ['t']);
    assert.deepEqual(ctx.events, [['local', 't', dict(), undefined]]);
  }
  const ctx = minion(dict({ local: true, use_master_when_local: true }));
  await ctx.functions.call('event.send', ['t']);
  assert.equal(ctx.events[0]?.[0], 'master');
});

test('event - the data of send is put together in the order of Salt, later entries winning', async () => {
  process.env['BRINE_EVENT_TEST'] = 'here';
  const ctx = minion(dict({ saltenv: 'dev' }), dict({ jid: '1' }));
  const keywords = dict({
    __kwarg__: true,
    with_env: ['BRINE_EVENT_TEST', 'NO_SUCH'],
    with_grains: ['role'],
    with_pillar: ['open'],
    with_env_opts: true,
    data: dict({ extra: 'data', more: 1 }),
    extra: 'keyword',
    grains: 'replaced',
  });
  assert.equal((await executeFunction('event.send', ctx, ['my/tag', keywords])).return, true);
  delete process.env['BRINE_EVENT_TEST'];
  const data = ctx.events[0]?.[2] as Dict;
  assert.deepEqual(
    [...data],
    [
      ['environ', dict({ BRINE_EVENT_TEST: 'here' })],
      ['grains', 'replaced'],
      ['pillar', dict({ open: 2 })],
      ['saltenv', 'dev'],
      ['pillarenv', null],
      ['extra', 'data'],
      ['__pub_jid', '1'],
      ['more', 1],
    ],
  );
});

test('event - with_grains and with_pillar take everything when they are True', async () => {
  const ctx = minion();
  await ctx.functions.call(
    'event.send',
    ['t'],
    dict({ with_grains: true, with_pillar: true, with_env: true }),
  );
  const data = ctx.events[0]?.[2] as Dict;
  assert.deepEqual(data.get('grains'), ctx.grains);
  assert.deepEqual(data.get('pillar'), ctx.pillar);
  assert.equal((data.get('environ') as Dict).get('PATH'), process.env['PATH']);
});
