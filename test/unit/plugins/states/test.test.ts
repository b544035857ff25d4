import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

const changes = { testing: { old: 'Unchanged', new: 'Something pretended to change' } };

test('test states - a keyword gives another comment, but not in test mode', async () => {
  assert.deepEqual(
    await callState('test.succeed_with_changes', dict({ comment: 'mine' })),
    dict({ name: 'id', changes, result: true, comment: 'mine' }),
  );
  assert.deepEqual(
    await callState('test.fail_with_changes', dict({ comment: 'mine' }), { test: true }),
    dict({
      name: 'id',
      changes,
      result: null,
      comment: "If we weren't testing, this would be failed with changes",
    }),
  );
});

test('test states - chance decides where Random is wanted, anything else is refused', async () => {
  const random = {
    bytes: (count: number) => Buffer.alloc(count),
    int: (_min: number, max: number) => max,
    fraction: () => 0,
  };
  const kwargs = dict({ changes: 'Random', result: 'random' });
  assert.deepEqual(
    await callState('test.configurable_test_state', kwargs, { random }),
    dict({ name: 'id', changes: {}, result: false, comment: '' }),
  );
  await assert.rejects(
    callState('test.configurable_test_state', dict({ result: 'maybe' })),
    /option 'result' with invalid arguments\. It must be either True, False, or 'Random'/,
  );
});

test('test states - a fired watch names the watched states that have changed', async () => {
  const chunk = (id: string) => dict({ state: 'test', __id__: id, name: id, fun: 'nop' });
  const result = await callState('test.mod_watch', dict({ sfun: 'nop' }), {
    low: dict({ __reqs__: { watch: [chunk('a'), chunk('b')] } }),
    running: dict({
      'test_|-a_|-a_|-nop': { changes: { x: 1 } },
      'test_|-b_|-b_|-nop': { changes: {} },
    }),
  });
  assert.deepEqual(result.get('changes'), dict({ 'Requisites with changes': ['test: a'] }));
});

test('test states - check_pillar tells missing keys and wrong types apart', async () => {
  const pillar = dict({ n: 1, flag: true, text: 'x', list: [], map: {} });
  const call = (kwargs: Parameters<typeof dict>[0]) =>
    callState('test.check_pillar', dict(kwargs), { pillar });
  assert.equal(
    (await call({ present: ['n', 'gone'], integer: 'text' })).get('comment'),
    'Pillar key "gone" is missing.\nPillar key "text" is not <class \'int\'>.\n',
  );
  const verbose = await call({
    integer: ['n', 'flag'],
    string: 'text',
    listing: 'list',
    dictionary: 'map',
    verbose: true,
  });
  assert.equal(verbose.get('result'), true);
  assert.match(String(verbose.get('comment')), /^Those keys passed the check:\n- n \(<class 'int'>\)\n/);
  assert.match(String(verbose.get('comment')), /- text \(\(<class 'str'>,\)\)\n/);
});
