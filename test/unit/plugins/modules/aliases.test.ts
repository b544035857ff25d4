import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

test('aliases - are read and changed, and other lines of the file stay', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aliases-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'aliases');
  writeFileSync(path, '# mail\npostmaster: root\nold: a, b # kept\n\nnoc: root\nnoc: other\n  continued\n', {
    mode: 0o640,
  });
  const ctx = fakeContext({ opts: dict({ 'aliases.file': path }), random: systemRandom });
  const call = (fun: string, ...args: Value[]): Promise<Value> => ctx.functions.call(`aliases.${fun}`, args);
  assert.deepEqual(await call('list_aliases'), dict({ postmaster: 'root', old: 'a, b', noc: 'other' }));
  assert.equal(await call('get_target', 'nosuch'), '');
  assert.equal(await call('has_target', 'old', ['a', 'b']), true);
  await assert.rejects(call('has_target', 'old', ''), /target can not be an empty string/);
  assert.equal(await call('set_target', 'old', 'c'), true);
  assert.equal(await call('set_target', 'new', ['x', 'y']), true);
  assert.equal(await call('rm_alias', 'noc'), true);
  await assert.rejects(call('set_target', 'a\nroot', 'me'), /line end/);
  assert.equal(
    readFileSync(path, 'utf8'),
    '# mail\npostmaster: root\nold: c # kept\n\n  continued\nnew: x, y\n',
  );
  assert.equal(statSync(path).mode & 0o777, 0o640);
});
