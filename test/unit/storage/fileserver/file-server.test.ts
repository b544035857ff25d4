import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { updateFileServer } from '../../../../src/storage/fileserver/update.ts';
import { clearListCache } from '../../../../src/storage/fileserver/list-cache.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { asBytes } from '../../../../src/formats/wire/msgpack.ts';
import { makeTree } from './tree.ts';

const sha = (content: string): string => createHash('sha256').update(content).digest('hex');

function fields(value: Value): Dict {
  assert.ok(isDict(value));
  return value;
}

test('file server - a file comes in pieces, and its end is an empty piece', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/a/b.txt': '0123456789' });
  const server = tree.server({ file_buffer_size: 4 });
  const pieces: string[] = [];
  for (const loc of [0, 4, 8, 10]) {
    const reply = fields(await tree.ask(server, '_serve_file', { path: 'a/b.txt', saltenv: 'base', loc }));
    assert.equal(reply.get('dest'), 'a/b.txt');
    pieces.push(String(asBytes(reply.get('data'))));
  }
  assert.deepEqual(pieces, ['0123', '4567', '89', '']);
});

test('file server - pieces are compressed when that is asked for', async (t) => {
  const tree = makeTree(t);
  const content = 'x'.repeat(100_000);
  tree.write({ 'base/big': content });
  const reply = fields(
    await tree.ask(tree.server(), '_serve_file', { path: 'big', saltenv: 'base', loc: 0, gzip: 5 }),
  );
  assert.equal(reply.get('gzip'), 5);
  assert.equal(String(gunzipSync(asBytes(reply.get('data')) as Buffer)), content);
});

test('file server - sums and descriptions have the shapes of Salt', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/x': 'hello' });
  const server = tree.server();
  const load = { path: 'x', saltenv: 'base' };
  const sum = dict({ hash_type: 'sha256', hsum: sha('hello') });
  assert.deepEqual(await tree.ask(server, '_file_hash', load), sum);
  const found = fields(await tree.ask(server, '_file_find', load));
  assert.deepEqual([...found.keys()], ['path', 'rel', 'stat', 'back']);
  assert.equal(found.get('path'), join(tree.folder, 'base/x'));
  const stat = statSync(join(tree.folder, 'base/x'));
  assert.deepEqual((found.get('stat') as Value[]).slice(0, 7), [
    stat.mode,
    stat.ino,
    stat.dev,
    1,
    stat.uid,
    stat.gid,
    5,
  ]);
  assert.deepEqual(await tree.ask(server, '_file_hash_and_stat', load), [sum, found.get('stat') as Value]);
});

test('file server - what is missing has empty answers', async (t) => {
  const tree = makeTree(t);
  const server = tree.server();
  for (const load of [
    { path: 'none', saltenv: 'base' },
    { path: '', saltenv: 'base' },
    { saltenv: 'base' },
    { path: 'x', saltenv: 'nowhere' },
  ]) {
    assert.equal(await tree.ask(server, '_file_hash', load), '');
    assert.deepEqual(await tree.ask(server, '_file_hash_and_stat', load), ['', null]);
    assert.deepEqual(await tree.ask(server, '_file_find', load), dict({ path: '', rel: '' }));
    assert.deepEqual(
      await tree.ask(server, '_serve_file', { ...load, loc: 0 }),
      dict({ data: '', dest: '' }),
    );
  }
  assert.deepEqual(await tree.ask(server, '_file_list', { saltenv: 'nowhere' }), []);
  assert.deepEqual(await tree.ask(server, '_symlink_list', { saltenv: 'nowhere' }), new Map());
});

test('file server - a path may name its environment, its folder, or be escaped', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/f': 'base', 'dev/f': 'dev', 'base/odd?name': 'odd', 'base2/f': 'second' });
  const server = tree.server({
    file_roots: {
      base: [join(tree.folder, 'base'), join(tree.folder, 'base2')],
      dev: [join(tree.folder, 'dev')],
    },
  });
  const contentOf = async (path: string): Promise<string> =>
    String(
      asBytes(fields(await tree.ask(server, '_serve_file', { path, saltenv: 'base', loc: 0 })).get('data')),
    );
  assert.equal(await contentOf('f'), 'base');
  assert.equal(await contentOf('f?saltenv=dev'), 'dev');
  assert.equal(await contentOf('f?index=1'), 'second');
  assert.equal(await contentOf('f?index=7'), '');
  assert.equal(await contentOf('|odd?name'), 'odd');
  assert.equal(await contentOf('odd?name'), 'odd');
});

test('file server - __env__ stands for every environment without folders of its own', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/f': 'b', 'envs/qa/f': 'qa', 'envs/x/y/f': 'deep' });
  const server = tree.server({
    file_roots: { base: [join(tree.folder, 'base')], __env__: [join(tree.folder, 'envs/__env__')] },
  });
  const sumOf = async (saltenv: string): Promise<unknown> => {
    const sum = await tree.ask(server, '_file_hash', { path: 'f', saltenv });
    return isDict(sum) ? sum.get('hsum') : sum;
  };
  assert.equal(await sumOf('qa'), sha('qa'));
  assert.equal(await sumOf('x/y'), sha('deep'));
  assert.equal(await sumOf('base'), sha('b'));
  for (const saltenv of ['..', '../base', 'qa/../../base', '', 'a\0', '/', 'x//y'])
    assert.equal(await sumOf(saltenv), '', saltenv);
  assert.deepEqual(await tree.ask(server, '_file_envs', {}), ['__env__', 'base']);
  assert.deepEqual(await tree.ask(server, '_file_list', { saltenv: 'qa' }), ['f']);
});

test('file server - lists name files, folders, empty folders and links, sorted and filtered', async (t) => {
  const tree = makeTree(t);
  tree.write({
    'base/top.sls': '',
    'base/web/init.sls': '',
    'base/web/.git/config': '',
    'base/web/skip.swp': '',
    'base/grün/é.txt': '',
    'outside/secret': '',
  });
  mkdirSync(join(tree.folder, 'base/empty'));
  symlinkSync('web', join(tree.folder, 'base/link'));
  symlinkSync('init.sls', join(tree.folder, 'base/web/same.sls'));
  symlinkSync(join(tree.folder, 'outside'), join(tree.folder, 'base/out'));
  symlinkSync('.', join(tree.folder, 'base/web/loop'));
  const server = tree.server({ file_ignore_regex: ['/\\.git($|/)'], file_ignore_glob: ['*.swp'] });
  const list = (cmd: string, prefix = ''): Promise<Value> =>
    tree.ask(server, cmd, { saltenv: 'base', prefix });
  assert.deepEqual(await list('_file_list'), [
    'grün/é.txt',
    'link/init.sls',
    'link/same.sls',
    'out/secret',
    'top.sls',
    'web/init.sls',
    'web/same.sls',
  ]);
  assert.deepEqual(await list('_file_list', 'web'), ['web/init.sls', 'web/same.sls']);
  assert.deepEqual(await list('_dir_list'), ['empty', 'grün', 'link', 'link/loop', 'out', 'web', 'web/loop']);
  assert.deepEqual(await list('_file_list_emptydirs'), ['empty']);
  assert.deepEqual(
    new Map([...((await list('_symlink_list')) as Dict)].sort()),
    new Map([
      ['link', 'web'],
      ['link/loop', '.'],
      ['link/same.sls', 'init.sls'],
      ['web/loop', '.'],
      ['web/same.sls', 'init.sls'],
    ]),
  );
});

test('file server - links are left out or not followed when the options say so', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/real/f': 'x', 'outside/secret': 's' });
  symlinkSync('real', join(tree.folder, 'base/link'));
  symlinkSync(join(tree.folder, 'outside/secret'), join(tree.folder, 'base/stolen'));
  const closed = tree.server({ fileserver_followsymlinks: false, fileserver_list_cache_time: 0 });
  assert.equal(await tree.ask(closed, '_file_hash', { path: 'stolen', saltenv: 'base' }), '');
  assert.notEqual(await tree.ask(closed, '_file_hash', { path: 'link/f', saltenv: 'base' }), '');
  assert.deepEqual(await tree.ask(closed, '_file_list', { saltenv: 'base' }), ['real/f', 'stolen']);
  assert.equal(fields(await tree.ask(closed, '_symlink_list', { saltenv: 'base' })).size, 2);
  const without = tree.server({ fileserver_ignoresymlinks: true, fileserver_list_cache_time: 0 });
  assert.deepEqual(await tree.ask(without, '_file_list', { saltenv: 'base' }), ['link/f', 'real/f']);
});

test('file server - a file in one folder hides the same path in the next', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/f': 'first', 'two/f': 'second', 'two/g': 'g' });
  const server = tree.server({ file_roots: { base: [join(tree.folder, 'base'), join(tree.folder, 'two')] } });
  const sum = fields(await tree.ask(server, '_file_hash', { path: 'f', saltenv: 'base' }));
  assert.equal(sum.get('hsum'), sha('first'));
  assert.deepEqual(await tree.ask(server, '_file_list', { saltenv: 'base' }), ['f', 'g']);
});

test('file server - lists are kept for a time, and forgotten when asked', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/a': '' });
  const server = tree.server();
  const files = (): Promise<Value> => tree.ask(server, '_file_list', { saltenv: 'base' });
  assert.deepEqual(await files(), ['a']);
  tree.write({ 'base/b': '' });
  assert.deepEqual(await files(), ['a']);
  const cached = join(tree.folder, 'cache/file_lists/roots/base.p');
  const old = Date.now() / 1000 - 30;
  utimesSync(cached, old, old);
  assert.deepEqual(await files(), ['a', 'b']);
  assert.deepEqual(clearListCache(server.settings, ['dev'], ['roots']), new Map());
  assert.deepEqual(clearListCache(server.settings, undefined, ['roots']), new Map([['roots', ['base']]]));
  assert.ok(!existsSync(cached));
});

test('file server - sums of large files are kept on disk as Salt keeps them, and follow changes', async (t) => {
  const tree = makeTree(t);
  const big = 'x'.repeat(300_000);
  const path = join(tree.folder, 'base/big');
  tree.write({ 'base/big': big });
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  const sum = async (): Promise<unknown> =>
    fields(await tree.ask(tree.server(), '_file_hash', { path: 'big', saltenv: 'base' })).get('hsum');
  assert.equal(await sum(), sha(big));
  const kept = join(tree.folder, 'cache/roots/hash/base/big.hash.sha256');
  assert.equal(readFileSync(kept, 'utf8'), `${sha(big)}:1700000000.0`);
  writeFileSync(kept, `${'ab'.repeat(32)}:1700000000.0`);
  assert.equal(await sum(), 'ab'.repeat(32), 'the kept sum is used');
  writeFileSync(path, big + 'y');
  assert.equal(await sum(), sha(big + 'y'));
});

test('file server - an update forgets sums of files that are gone and tells what has changed', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/a': '1', 'base/b': '2', 'cache/roots/hash/base/gone.hash.sha256': 'x:1.0' });
  const { settings } = tree.server();
  const first = await updateFileServer(settings);
  assert.deepEqual([...first.added].sort(), [join(tree.folder, 'base/a'), join(tree.folder, 'base/b')]);
  assert.ok(!existsSync(join(tree.folder, 'cache/roots/hash/base/gone.hash.sha256')));
  assert.equal((await updateFileServer(settings)).isChanged, false);
  utimesSync(join(tree.folder, 'base/a'), 1, 1);
  tree.write({ 'base/c': '3' });
  const { changed, added, removed } = await updateFileServer(settings);
  assert.deepEqual(
    [changed, added, removed],
    [[join(tree.folder, 'base/a')], [join(tree.folder, 'base/c')], []],
  );
});

test('file server - nothing is served when roots is no backend', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/a': '1' });
  const server = tree.server({ fileserver_backend: ['git'] });
  assert.deepEqual(await tree.ask(server, '_file_list', { saltenv: 'base' }), []);
  assert.equal(await tree.ask(server, '_file_hash', { path: 'a', saltenv: 'base' }), '');
});
