import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCheck } from '../../../../src/plugins/file/state/check-command.ts';
import type { StateContext } from '../../../../src/plugins/shared/state-function.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';

const answering = (answer: Value): StateContext =>
  ({ functions: { call: () => Promise.resolve(answer) } }) as unknown as StateContext;

test('check_cmd - only an end with 0 is a success, no answer of the function is none', async () => {
  const check = (answer: Value) => runCheck(answering(answer), 'visudo -c -f', '/tmp/x', dict());
  assert.equal(await check(dict({ retcode: 0, stdout: '', stderr: '' })), undefined);
  const failed = await check(dict({ retcode: 2, stdout: '', stderr: 'line 3' }));
  assert.equal(failed?.get('comment'), 'check_cmd execution failed\nline 3');
  for (const nothing of [null, '', dict()])
    assert.equal((await check(nothing))?.get('comment'), 'check_cmd execution failed');
});
