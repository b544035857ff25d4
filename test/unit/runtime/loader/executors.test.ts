/** Executors: the order in which they are tried, and what each does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executeFunction } from '../../../../src/runtime/loader/execute.ts';
import { splaySlot } from '../../../../src/runtime/loader/executors.ts';
import { dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { fakeClock, fakeContext } from '../../../support/module-context.ts';

/** What salt/executors/splay.py of 3006.16 computes for this id. */
const SLOT_OF_WEB1 = 6399;

async function run(
  pub: DictInit,
  opts: DictInit = {},
): Promise<{ value: Value; retcode: number; seconds: number }> {
  const clock = fakeClock();
  const ctx = fakeContext({ id: 'web1', pub: dict(pub), opts: dict(opts), clock });
  const result = await executeFunction('test.echo', ctx, ['hi']);
  return { value: result.return, retcode: result.retcode, seconds: clock.monotonicMs() / 1000 };
}

test('executors - the job chooses, else the configuration, else the function is called directly', async () => {
  const direct = { value: 'hi', retcode: 0, seconds: 0 };
  assert.deepEqual(await run({}), direct);
  assert.deepEqual(await run({ module_executors: [] }), direct);
  assert.deepEqual(await run({ module_executors: 'direct_call' }), direct);
  assert.deepEqual(
    await run({ module_executors: ['direct_call'] }, { module_executors: ['nosuch'] }),
    direct,
  );
  assert.equal((await run({}, { module_executors: ['splay', 'direct_call'] })).value, 'hi');
});

test('executors - one that is not there is refused in words Salt uses', async () => {
  for (const name of ['nosuch', 'transactional_update', 'docker', 'sudo', '__proto__'])
    assert.deepEqual(await run({ module_executors: [name] }), {
      value: `ERROR executing 'test.echo': Executor '${name}' is not available`,
      retcode: 1,
      seconds: 0,
    });
  const wrong = await run({ module_executors: dict({ a: 1 }) });
  assert.equal(
    wrong.value,
    "ERROR executing 'test.echo': Wrong executors specification: {'a': 1}. String or non-empty list expected",
  );
});

test('executors - splay waits for the minion’s own time, and without another executor gives None', async () => {
  assert.equal(splaySlot('web1'), SLOT_OF_WEB1);
  const seconds = Math.floor((300 * SLOT_OF_WEB1) / 8192);
  assert.deepEqual(await run({ module_executors: ['splay', 'direct_call'] }), {
    value: 'hi',
    retcode: 0,
    seconds,
  });
  assert.deepEqual(await run({ module_executors: ['splay'] }), { value: null, retcode: 0, seconds });
  const options = { module_executors: ['splay', 'direct_call'], executor_opts: dict({ splaytime: 10 }) };
  assert.equal((await run(options)).seconds, Math.floor((10 * SLOT_OF_WEB1) / 8192));
  const none = await run({ ...options, executor_opts: dict({ splaytime: 0 }) });
  assert.match(String(none.value), /ValueError: splaytime must be a positive integer$/m);
});
