import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { executeFunction } from '../../../../src/runtime/loader/execute.ts';
import { dict, PyFloat, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeClock, fakeContext } from '../../../support/module-context.ts';

test('test - fib counts beyond 2^53 and tells the time it took', async () => {
  const { functions } = fakeContext();
  const results: [number | string, number | bigint][] = [
    [0, 0],
    [1, 1],
    ['10', 55],
    [100, 354224848179261915075n],
  ];
  for (const [n, value] of results) {
    assert.deepEqual(await functions.call('test.fib', [n]), [value, new PyFloat(0)], String(n));
  }
});

test('test - collatz has the halves of Python', async () => {
  const { functions } = fakeContext();
  const halves = [5, 16, 8, 4, 2].map((value) => new PyFloat(value));
  assert.deepEqual(await functions.call('test.collatz', [3]), [[3, 10, ...halves], new PyFloat(0)]);
  assert.deepEqual(await functions.call('test.collatz', ['1']), [[], new PyFloat(0)]);
  await assert.rejects(functions.call('test.collatz', [0]), /above zero/);
});

test('test - sleep waits by the clock, also for longer than a timer can', async () => {
  const clock = fakeClock();
  const { functions } = fakeContext({ clock });
  assert.equal(await functions.call('test.sleep', ['3000000']), true);
  assert.equal(clock.monotonicMs(), 3_000_000_000);
});

test('test - a sleep ends when its job is killed', async () => {
  const clock = fakeClock();
  const { functions } = fakeContext({ clock, signal: AbortSignal.abort(9) });
  await functions.call('test.sleep', [10]);
  assert.equal(clock.monotonicMs(), 0);
});

test('test - arguments arrive with the data of the publish', async () => {
  const ctx = fakeContext({ pub: dict({ jid: '1', fun: 'test.arg' }) });
  const result = await executeFunction('test.arg', ctx, [
    1,
    'b=two words',
    dict({ __kwarg__: true, c: null }),
  ]);
  assert.deepEqual(
    result.return,
    dict({ args: [1], kwargs: { b: 'two words', c: null, __pub_jid: '1', __pub_fun: 'test.arg' } }),
  );
  const clean = await executeFunction('test.arg_clean', ctx, ['x']);
  assert.deepEqual(clean.return, dict({ args: ['x'], kwargs: {} }));
});

test('test - raised exceptions take the way that Salt gives them', async () => {
  const texts: Record<string, RegExp> = {
    ValueError:
      /^The minion function caused an exception: Traceback \(most recent call last\):\nValueError: why\n$/,
    TypeError: /^Passed invalid arguments to test\.raise_exception: why\n\n {4}Raises/,
    'salt.exceptions.CommandExecutionError': /^ERROR: why$/,
    'salt.exceptions.CommandNotFoundError': /^Command required for 'test\.raise_exception' not found: why$/,
    'salt.exceptions.SaltInvocationError': /^ERROR executing 'test\.raise_exception': why$/,
    'salt.exceptions.SaltClientError': /^ERROR executing 'test\.raise_exception': why$/,
  };
  for (const [name, text] of Object.entries(texts)) {
    const result = await executeFunction('test.raise_exception', fakeContext(), [name, 'why']);
    assert.match(String(result.return), text);
    assert.deepEqual([result.retcode, result.success, result.out], [1, false, 'nested']);
  }
});

test('test - random_hash hashes a number with the hash of the configuration', async () => {
  const { functions } = fakeContext();
  const sha256 = createHash('sha256').update('0').digest('hex');
  assert.equal(await functions.call('test.random_hash'), sha256);
  assert.equal(
    await functions.call('test.rand_str', [5, 'md5']),
    createHash('md5').update('0').digest('hex'),
  );
});

test('test - versions are reported in sections, as text and as mapping', async () => {
  const { functions } = fakeContext();
  const information = (await functions.call('test.versions_information')) as Dict;
  assert.deepEqual(
    [...information.keys()],
    ['Salt Version', 'Node Version', 'Dependency Versions', 'System Versions'],
  );
  const report = String(await functions.call('test.versions_report'));
  assert.match(report, /^Salt Version:\n +Brine: \S+\n +Salt: 3006\.16\n \nNode Version:\n/);
  const columns = report
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.indexOf(': '));
  assert.equal(new Set(columns).size, 1);
});

test('test - introspection tells the files behind the modules', async () => {
  const ctx = fakeContext({ opts: dict({ disable_modules: ['event'] }) });
  const providers = (await ctx.functions.call('test.providers')) as Dict;
  assert.equal(providers.get('sysmod'), 'sys');
  assert.equal(providers.has('event'), false);
  assert.ok(((await ctx.functions.call('test.not_loaded')) as Value[]).includes('event'));
  const report = (await ctx.functions.call('test.module_report')) as Dict;
  assert.ok((report.get('functions') as Value[]).includes('test.ping'));
});
