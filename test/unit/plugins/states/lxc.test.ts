/** `lxc.present` with `clone_from`: what test mode says is what the run does. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeStateContext } from '../../../support/state-context.ts';

async function foretold(source: Value): Promise<readonly [Value, Value]> {
  const ctx = fakeStateContext({
    test: true,
    functions: {
      'lxc.exists': true,
      'lxc.state': ([name]) => (name === 'source' ? source : null),
    },
  });
  const result = await ctx.state.call('lxc.present', dict({ name: 'new', clone_from: 'source' }));
  if (!(result instanceof Map)) throw new Error('no result');
  return [result.get('result') ?? null, result.get('comment') ?? null];
}

test('lxc - a container that is not stopped is not promised to be cloned', async () => {
  assert.deepEqual(await foretold('stopped'), [null, "Container 'new' will be cloned from source"]);
  for (const source of ['running', 'frozen'])
    assert.deepEqual(await foretold(source), [false, "Container 'source' must be stopped to be cloned"]);
});
