/** Numbers that are none: the function is not run with its default in their place. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { localMinion } from '../../support/local-minion.ts';

test('arguments - what is no number is refused where a number is meant, and is not the default', async (t) => {
  const minion = localMinion(t);
  const calls = [
    ['saltutil.clear_job_cache', 'hours=soon'],
    ['ps.top', 'interval=soon'],
    ['http.wait_for_successful_query', 'http://127.0.0.1:1/', 'wait_for=soon'],
  ] as const;
  for (const [fun, ...args] of calls) {
    const { code, stderr } = await minion.run(fun, ...args);
    assert.match(stderr, /'soon' is no number/, fun);
    assert.notEqual(code, 0, fun);
  }
});
