/**
 * Calls between built-in functions, as the compiler checks them: each `@ts-expect-error` is a slip that does not
 * compile, and fails the check of types when it does.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { checkedCall } from '../../../../src/runtime/loader/built-in-calls.ts';

/** The last call as it was carried out. */
type Carried = readonly [fun: string, args: readonly Value[], kwargs: Dict];

function recorder() {
  const carried: Carried[] = [];
  const call = checkedCall((...one) => {
    carried.push(one);
    return Promise.resolve(null);
  });
  return { call, carried };
}

test('built-in calls - an object of keywords becomes a mapping without what is undefined', async () => {
  const { call, carried } = recorder();
  await call('file.remove', ['/x'], { force: undefined });
  await call('cmd.run_all', [['ls']], { env: { LANG: 'C' }, python_shell: false });
  await call('test.ping');
  await call('file.remove', ['/x'], dict({ force: true }));
  assert.deepEqual(carried, [
    ['file.remove', ['/x'], new Map()],
    ['cmd.run_all', [['ls']], dict({ env: { LANG: 'C' }, python_shell: false })],
    ['test.ping', [], new Map()],
    ['file.remove', ['/x'], dict({ force: true })],
  ]);
});

test('built-in calls - a name that is only known at run time, and lists of any length, are taken', async () => {
  const { call, carried } = recorder();
  const name: string = 'ping';
  const words: Value[] = ['/x', true];
  await call(`test.${name}`, words, { more: 1 });
  await call('file.remove', words);
  await call('file.remove', [], new Map<Value, Value>([['path', '/x']]));
  assert.deepEqual(
    carried.map(([fun]) => fun),
    ['test.ping', 'file.remove', 'file.remove'],
  );
});

test('built-in calls - slips do not compile', async () => {
  const { call, carried } = recorder();
  // @ts-expect-error there is no such function
  await call('file.remov', ['/x']);
  // @ts-expect-error path is missing
  await call('file.remove');
  // @ts-expect-error path is missing among the keywords
  await call('file.rmdir', [], { recurse: true });
  // @ts-expect-error three arguments, where it takes two
  await call('file.readlink', ['/x', true, 1]);
  // @ts-expect-error no parameter of this name
  await call('file.rmdir', ['/x'], { recurs: true });
  // @ts-expect-error path is given twice
  await call('file.rmdir', ['/x'], { path: '/y' });
  // @ts-expect-error it takes nothing
  await call('test.ping', [], { quickly: true });
  assert.equal(carried.length, 7);
});
