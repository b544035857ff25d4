/**
 * `acl`: what getfacl prints is compared as setfacl means it, and what setfacl would refuse is refused first, in test
 * mode too.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

/** A folder with a file in it, and programs that print the given entries of each and note that something was set. */
function place(t: TestContext) {
  const [root, path] = [mkdtempSync(join(tmpdir(), 'brine-acl-')), process.env['PATH']];
  t.after(() => {
    process.env['PATH'] = path ?? '';
    rmSync(root, { recursive: true, force: true });
  });
  const [folder, set] = [join(root, 'd\\e'), join(root, 'set')];
  mkdirSync(folder);
  writeFileSync(join(folder, 'f'), '');
  writeFileSync(join(root, 'getfacl'), `#!/bin/sh\ncat '${root}/lists'\n`, { mode: 0o755 });
  writeFileSync(join(root, 'setfacl'), `#!/bin/sh\necho "$@" >> '${set}'\n`, { mode: 0o755 });
  process.env['PATH'] = `${root}:${path ?? ''}`;
  const list = (name: string, entries: string): string => {
    const quoted = name.replace(/[\\]/g, '\\134');
    return `# file: ${quoted}\n# owner: root\n# group: root\nuser::rwx\n${entries}\ngroup::r-x\nother::---\n\n`;
  };
  /** @returns result, and whether something was set */
  const apply = async (
    fun: string,
    args: Record<string, Value>,
    entries: readonly [folder: string, file: string],
    isTest = false,
  ): Promise<Value[]> => {
    rmSync(set, { force: true });
    writeFileSync(join(root, 'lists'), list(folder, entries[0]) + list(`${folder}/f`, entries[1]));
    const done: Dict = await callState(fun, dict({ name: folder, acl_type: 'user', ...args }), {
      test: isTest,
    });
    return [done.get('result') ?? null, existsSync(set)];
  };
  return { apply };
}

const both = (entries: string): [string, string] => [entries, entries];
const one = (perms: string, more: Record<string, Value> = {}): Record<string, Value> => ({
  acl_name: 'joe',
  perms,
  ...more,
});
const recurse = { recurse: true };

test('acl.present - rights that are there are found, however they are written', async (t) => {
  const { apply } = place(t);
  const held: readonly [args: Record<string, Value>, entries: readonly [string, string]][] = [
    [one('wr'), both('user:joe:rw-')],
    [one('x-r'), both('user:joe:r-x')],
    [one('-'), both('user:joe:---')],
    [one('7'), both('user:joe:rwx')],
    [one('05'), both('user:joe:r-x')],
    [one('rX', recurse), ['user:joe:r-x', 'user:joe:r-x']],
    [one('rX', recurse), ['user:joe:r-x\nmask::r-x', 'user:joe:r-x']],
    [one('rX', { ...recurse, acl_type: 'default:user' }), ['default:user:joe:r-x', '']],
    [{ acl_name: 'DOM\\joe', perms: 'r' }, both('user:DOM\\134joe:r--')],
  ];
  for (const [args, entries] of held) {
    assert.deepEqual(await apply('acl.present', args, entries), [true, false], JSON.stringify(args));
    const { acl_name, ...rest } = args;
    const several = { ...rest, acl_names: [acl_name ?? ''] };
    assert.deepEqual(await apply('acl.list_present', several, entries), [true, false], JSON.stringify(args));
  }
});

test('acl.present - with recurse, what is below counts', async (t) => {
  const { apply } = place(t);
  const entries = ['user:joe:rw-\nuser:ann:rw-', 'user:joe:rw-'] as const;
  const names = { acl_names: ['joe', 'ann'], perms: 'rw' };
  assert.deepEqual(await apply('acl.list_present', names, entries), [true, false]);
  assert.deepEqual(await apply('acl.list_present', { ...names, ...recurse }, entries, true), [null, false]);
  assert.deepEqual(await apply('acl.list_present', { ...names, ...recurse }, entries), [true, true]);
  assert.deepEqual(await apply('acl.present', { acl_name: 'ann', perms: 'rw', ...recurse }, entries), [
    true,
    true,
  ]);
  const below = ['', 'user:joe:rw-'] as const;
  const gone = { acl_names: ['joe'] };
  assert.deepEqual(await apply('acl.list_absent', gone, below), [true, true]);
  assert.deepEqual(await apply('acl.list_absent', { ...gone, ...recurse }, below, true), [null, false]);
  assert.deepEqual(await apply('acl.list_absent', { ...gone, ...recurse }, both('')), [true, false]);
});

test('acl.present - what setfacl does not take is refused before anything is changed', async (t) => {
  const { apply } = place(t);
  for (const perms of ['rr', 'rwxx', 'rwz', '8', '77', 'RW', 'r w', ''])
    for (const isTest of [true, false]) {
      const entries = both('user:ann:rwx');
      assert.deepEqual(
        await apply('acl.present', one(perms, { force: true }), entries, isTest),
        [false, false],
        perms,
      );
      const several = { acl_names: ['joe'], perms, force: true };
      assert.deepEqual(await apply('acl.list_present', several, entries, isTest), [false, false], perms);
    }
  const named = one('r', { acl_type: 'mask' });
  assert.deepEqual(await apply('acl.present', named, both('mask::rwx'), true), [false, false]);
});
