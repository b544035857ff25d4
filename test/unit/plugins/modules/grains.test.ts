import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { recordedMinion, type RecordedMinion } from '../../../support/module-vectors.ts';

function minion(t: TestContext): RecordedMinion {
  const made = recordedMinion();
  t.after(() => made.remove());
  made.opts.set('local', false);
  writeFileSync(join(made.folder, 'grains'), 'old: 1\n');
  return made;
}

function grainsFile(ctx: RecordedMinion): string {
  return readFileSync(join(ctx.folder, 'grains'), 'utf8');
}

test('grains - a set grain is in the file, in the minion, and everything is loaded anew', async (t) => {
  const ctx = minion(t);
  assert.deepEqual(await ctx.functions.call('grains.setval', ['role', ['web']]), dict({ role: ['web'] }));
  assert.equal(grainsFile(ctx), 'old: 1\nrole:\n- web\n');
  assert.deepEqual(ctx.grains.get('role'), ['web']);
  assert.deepEqual(ctx.refreshes, [['grains', dict({ refresh_pillar: true, clean_cache: false })]]);
  await ctx.functions.call(
    'grains.setval',
    ['role', null],
    dict({ destructive: true, refresh_pillar: false }),
  );
  assert.equal(grainsFile(ctx), 'old: 1\n');
  assert.equal(ctx.grains.has('role'), false);
  assert.deepEqual(ctx.refreshes[1], ['grains', dict({ refresh_pillar: false, clean_cache: false })]);
});

test('grains - with --local nothing is told to load anew', async (t) => {
  const ctx = minion(t);
  ctx.opts.set('local', true);
  await ctx.functions.call('grains.setval', ['a', 1]);
  assert.deepEqual(ctx.refreshes, []);
});

test('grains - a refused change leaves file and minion as they were', async (t) => {
  const ctx = minion(t);
  const ports = ctx.grains.get('ports');
  const result = (await ctx.functions.call('grains.set', ['ports', 5])) as Map<Value, Value>;
  assert.equal(result.get('result'), false);
  assert.equal(ctx.grains.get('ports'), ports);
  await ctx.functions.call('grains.append', ['os', 'x']);
  assert.equal(grainsFile(ctx), 'old: 1\n');
});

test('grains - a file that is not YAML is left alone and named', async (t) => {
  const ctx = minion(t);
  writeFileSync(join(ctx.folder, 'grains'), 'a: [1\n');
  const answer = await ctx.functions.call('grains.setval', ['b', 1]);
  assert.match(String(answer), /^Unable to read existing grains file: /);
  assert.equal(grainsFile(ctx), 'a: [1\n');
  writeFileSync(join(ctx.folder, 'grains'), '- a list\n');
  await ctx.functions.call('grains.setval', ['b', 1]);
  assert.equal(grainsFile(ctx), 'b: 1\n');
});

test('grains - mode and symbolic link of the file stay', async (t) => {
  const ctx = minion(t);
  const path = join(ctx.folder, 'grains');
  renameSync(path, join(ctx.folder, 'real'));
  symlinkSync('real', path);
  chmodSync(path, 0o600);
  await ctx.functions.call('grains.setval', ['b', 1]);
  assert.equal(lstatSync(path).isSymbolicLink(), true);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(grainsFile(ctx), 'b: 1\nold: 1\n');
});

test('grains - a file that cannot be written is an error in the log, as in Salt', async (t) => {
  const ctx = minion(t);
  ctx.opts.set('conf_file', join(ctx.folder, 'nowhere', 'minion'));
  assert.deepEqual(await ctx.functions.call('grains.setval', ['b', 1]), dict({ b: 1 }));
  assert.match(
    ctx.logged.find((record) => record.level === 'error')?.message ?? '',
    /^Unable to write to grains file at /,
  );
});

test('grains - a configuration folder instead of a file works, too', async (t) => {
  const ctx = minion(t);
  mkdirSync(join(ctx.folder, 'folder'));
  ctx.opts.set('conf_file', join(ctx.folder, 'folder'));
  await ctx.functions.call('grains.setval', ['b', 1]);
  assert.equal(readFileSync(join(ctx.folder, 'folder', 'grains'), 'utf8'), 'b: 1\n');
});

test('grains - jobs at the same time do not lose changes', async (t) => {
  const ctx = minion(t);
  const names = Array.from({ length: 20 }, (_, i) => `g${i}`);
  await Promise.all(names.map((name) => ctx.functions.call('grains.setval', [name, 1])));
  for (const name of names) assert.match(grainsFile(ctx), new RegExp(`^${name}: 1$`, 'm'));
});

test('grains - reading does not hand out the grains themselves where a copy is due', async (t) => {
  const ctx = minion(t);
  const items = await ctx.functions.call('grains.items');
  assert.ok(items instanceof Map && items !== ctx.grains);
  const sanitized = await ctx.functions.call('grains.items', [], dict({ sanitize: 'True' }));
  assert.ok(sanitized instanceof Map);
  assert.equal(sanitized.get('serialnumber'), 'ABCDEFGXXX');
  assert.equal(ctx.grains.get('serialnumber'), 'ABCDEFGHIJ');
});
