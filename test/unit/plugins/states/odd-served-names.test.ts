/** Files of the file server whose names look like a part of an address. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { localMinion } from '../../../support/local-minion.ts';

const NAMES = [
  'a?saltenv=dev',
  'b?saltenv=base',
  'c?env=dev',
  'd?x',
  'e#f',
  '-g',
  'h i',
  'é',
  '|j',
  'k?index=1',
];

test('odd served names - a folder arrives whole, whatever its files are called', async (t) => {
  const { path, write, call, run } = localMinion(t);
  for (const name of NAMES) write(`srv/d/${name}`, `content of ${name}`);
  write('srv/d/m?saltenv=dev/n', 'below');
  const contents = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(`${each.parentPath}/${each.name}`, 'utf8'))
      .sort();
  const expected = contents(path('srv/d'));
  const recurse = ['state.single', 'file.recurse', path('made'), 'source=salt://d'];
  assert.equal((await run(...recurse)).code, 0);
  assert.deepEqual(contents(path('made')), expected);
  assert.equal((await run(...recurse, 'test=True')).code, 0);
  const [again] = Object.values((await call(...recurse)) as Record<string, { changes: object }>);
  assert.deepEqual(again?.changes, {});
  const fetched = (await call('cp.get_dir', 'salt://d', path('fetched'))) as string[];
  assert.equal(fetched.length, NAMES.length + 1);
  assert.deepEqual(contents(path('fetched/d')), expected);
  const cached = (await call('cp.cache_dir', 'salt://d')) as string[];
  assert.equal(cached.filter((name) => existsSync(name)).length, NAMES.length + 1);
});

test('odd served names - behind a | and with its environment, a name may have an environment in it', async (t) => {
  const { path, write, call } = localMinion(t);
  write('srv/a?saltenv=dev', 'odd');
  write('srv/a', 'plain');
  const url = 'salt://|a?saltenv=dev?saltenv=base';
  assert.equal(await call('cp.get_file_str', url), 'odd');
  assert.equal(await call('cp.get_file_str', 'salt://a?saltenv=base'), 'plain');
  await call('state.single', 'file.managed', path('made'), `source=${url}`);
  assert.equal(readFileSync(path('made'), 'utf8'), 'odd');
});

test('odd served names - a slash in front and slashes of Windows lead to the same file, as with Salt', async (t) => {
  const { path, write, call } = localMinion(t);
  write('srv/d/a', 'below');
  for (const url of ['salt:///d/a', 'salt://d\\a', 'salt:///d/a?saltenv=base']) {
    assert.equal(await call('cp.get_file_str', url), 'below', url);
    await call('cp.get_file', url, path('got'));
    assert.equal(readFileSync(path('got'), 'utf8'), 'below', url);
    await call('state.single', 'file.managed', path('made'), `source=${url}`);
    assert.equal(readFileSync(path('made'), 'utf8'), 'below', url);
  }
});
