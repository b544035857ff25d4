import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedArguments } from '../../../../src/programs/minion/schedule.ts';
import { dict } from '../../../../src/python/values/value.ts';

const spec = { params: { cmd: {}, cwd: { default: null } } };

test('schedule - arguments of a job are arguments, also where they look like keywords', () => {
  assert.deepEqual(publishedArguments(['ls', 1], dict(), spec), ['ls', 1]);
  assert.deepEqual(publishedArguments(['ls'], dict({ cwd: '/' }), spec), [
    'ls',
    dict({ cwd: '/', __kwarg__: true }),
  ]);
  assert.deepEqual(publishedArguments(['A=1'], dict({ cwd: '/' }), spec), [
    dict({ cmd: 'A=1', cwd: '/', __kwarg__: true }),
  ]);
  assert.deepEqual(publishedArguments(['A=1', 2, 3], dict(), spec), ['A=1', 2, 3]);
  assert.deepEqual(publishedArguments(['A=1'], dict(), undefined), ['A=1']);
});
