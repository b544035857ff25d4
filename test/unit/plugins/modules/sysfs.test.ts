/** Attributes under /sys, of whatever kernel the tests run on. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeStateContext, runState } from '../../../support/state-context.ts';

const ONLINE = 'devices/system/cpu/online';
const isHere = existsSync(`/sys/${ONLINE}`);

test('sysfs - nothing outside /sys is read or written', async () => {
  const ctx = fakeStateContext();
  for (const key of ['../etc/passwd', '/sys/../etc/passwd', '/sysx/y', 'nosuch'])
    for (const fun of ['read', 'target', 'attr', 'interfaces'])
      assert.equal(await ctx.functions.call(`sysfs.${fun}`, [key]), false, `${fun} ${key}`);
  assert.equal(await ctx.functions.call('sysfs.write', ['../etc/nosuch/file', 1]), false);
  assert.deepEqual(await ctx.functions.call('sysfs.read', [['nosuch', '../etc/passwd']]), dict());
});

test('sysfs - a state of an attribute, and of what is none', { skip: !isHere }, async () => {
  const value = await fakeStateContext().functions.call('sysfs.read', [ONLINE]);
  const state = async (
    kwargs: Dict,
    functions: Record<string, Value> = {},
    test = false,
  ): Promise<Value[]> => {
    const made = await runState(fakeStateContext({ functions, test }), 'sysfs.present', kwargs);
    assert.ok(isDict(made));
    return ['result', 'comment', 'changes'].map((key) => made.get(key) ?? null);
  };
  assert.deepEqual(await state(dict({ name: ONLINE, value })), [
    true,
    `SysFS attribute ${ONLINE} is already set.`,
    dict(),
  ]);
  assert.equal((await state(dict({ name: 'nosuch', value: 1 })))[1], "SysFS attribute nosuch doesn't exist.");
  assert.equal((await state(dict({ name: 'devices/system/cpu/smt', value: 1 })))[0], false);
  const pages = { 'sysfs.read': 'always [madvise] never', 'sysfs.write': true };
  assert.equal((await state(dict({ name: 'a', value: 'madvise' }), pages))[0], true);
  assert.deepEqual(await state(dict({ name: 'a', value: 'never' }), pages, true), [
    null,
    'SysFS attribute a set to be changed.',
    dict(),
  ]);
  assert.deepEqual(await state(dict({ name: 'a', value: 'never' }), pages), [
    true,
    'Updated SysFS attribute a to never',
    dict({ a: 'never' }),
  ]);
  assert.equal((await state(dict({ name: 'a', value: '5' }), { 'sysfs.read': 5 }))[0], true);
});
