/**
 * The files of a compilation without a master: copies in the cache, which templates and errors name (recorded from
 * 3006.16).
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SlsFiles } from '../../../../src/runtime/state/sls-files.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { fakeContext } from '../../../support/module-context.ts';

function place(t: TestContext, cache = 'cache'): { folder: string; files: () => SlsFiles } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-sls-files-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'srv/web'), { recursive: true });
  writeFileSync(join(folder, 'srv/web/map.jinja'), 'one');
  const opts = dict({
    ...{ id: 'm1', file_client: 'local', hash_type: 'sha256' },
    cachedir: join(folder, cache),
    file_roots: { base: [join(folder, 'srv')] },
  });
  return { folder, files: () => new SlsFiles(fakeContext({ id: 'm1', opts, grains: dict({}) })) };
}

test('files of SLS - a local file is named by its copy in the cache, which follows it', async (t) => {
  const { folder, files } = place(t);
  const copy = join(folder, 'cache/files/base/web/map.jinja');
  assert.deepEqual(await files().read('web/map.jinja', 'base'), { text: 'one', path: copy });
  assert.equal(readFileSync(copy, 'utf8'), 'one');
  writeFileSync(join(folder, 'srv/web/map.jinja'), 'two');
  assert.deepEqual(await files().read('web/map.jinja', 'base'), { text: 'two', path: copy });
  assert.equal(readFileSync(copy, 'utf8'), 'two');
});

test('files of SLS - a folder where the copy has to be gives way, and so does a file where its folder has to be', async (t) => {
  const { folder, files } = place(t);
  const copy = join(folder, 'cache/files/base/web/map.jinja');
  mkdirSync(copy, { recursive: true });
  assert.equal((await files().read('web/map.jinja', 'base'))?.path, copy);
  rmSync(join(folder, 'cache/files/base/web'), { recursive: true });
  writeFileSync(join(folder, 'cache/files/base/web'), '');
  assert.equal((await files().read('web/map.jinja', 'base'))?.path, copy);
});

test('files of SLS - what cannot be a path of the cache is read where it lies', async (t) => {
  const { files } = place(t);
  assert.equal(await files().read('../srv/web/map.jinja', 'base'), undefined);
  assert.equal(await files().read('web/none.jinja', 'base'), undefined);
});
