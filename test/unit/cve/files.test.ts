/** Flaws of Salt's history that concern files on the wire: one test each, named after the CVE. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AesRequest } from '../../../src/network/channel/door.ts';
import { masterOptions } from '../../../src/config/master-options.ts';
import { Options } from '../../../src/config/option.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { createLogger, LOG_LEVELS, silentLogger } from '../../../src/host/log.ts';
import { fileRecvHandler } from '../../../src/programs/master/commands/file-recv.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../src/python/values/value.ts';
import { makeTree, type Tree } from '../storage/fileserver/tree.ts';

const PATHS = [
  '../outside/secret',
  'a/../../outside/secret',
  '..',
  './../outside/secret',
  'a/b/../../../outside/secret',
  '/etc/passwd',
  '//etc/passwd',
  '|../outside/secret',
  '|/etc/passwd',
  '||../outside/secret',
  '..\\outside\\secret',
  'a\0b',
  '../outside/secret?saltenv=base',
  'secret?saltenv=../outside',
  'secret?saltenv=dev/../../outside',
  '../outside/secret?index=0',
  'secret?index=-1',
  'secret?index=99999999999999999999',
  '%2e%2e/outside/secret%00',
  'a'.repeat(5000),
];

function prepared(t: Parameters<typeof makeTree>[0]): Tree {
  const tree = makeTree(t);
  tree.write({ 'base/a/b/f': 'fine', 'outside/secret': 'secret', 'dev/f': 'fine' });
  return tree;
}

test('CVE-2020-11652, CVE-2021-25282, CVE-2024-22232 - no path leads out of the folders that are served', async (t) => {
  const tree = prepared(t);
  const plain = tree.server();
  const any = tree.server({ file_roots: { __env__: [join(tree.folder, '__env__')] } });
  for (const server of [plain, any]) {
    for (const path of PATHS) {
      for (const saltenv of ['base', 'dev']) {
        assert.equal(await tree.ask(server, '_file_hash', { path, saltenv }), '', path);
        assert.deepEqual(
          await tree.ask(server, '_serve_file', { path, saltenv, loc: 0 }),
          dict({ data: '', dest: '' }),
        );
        assert.deepEqual(
          await tree.ask(server, '_file_find', { path, saltenv }),
          dict({ path: '', rel: '' }),
        );
      }
    }
  }
});

test('CVE-2024-22232 - an environment from the network leads nowhere else', async (t) => {
  const tree = prepared(t);
  const server = tree.server({ file_roots: { __env__: [join(tree.folder, 'base/__env__')] } });
  for (const saltenv of [
    '../outside',
    '..',
    '.',
    '',
    '/',
    'a/../../outside',
    '../../../../../etc',
    'a\0',
    'a\\b',
    'x'.repeat(300),
  ]) {
    for (const path of ['secret', 'passwd']) {
      assert.equal(await tree.ask(server, '_file_hash', { path, saltenv }), '');
      assert.deepEqual(await tree.ask(server, '_file_list', { saltenv }), []);
    }
  }
  assert.ok(!existsSync(join(tree.folder, 'cache/file_lists')), 'names that lead nowhere leave no file');
});

test('CVE-2020-11652 - positions and types of another kind are answered as nothing', async (t) => {
  const tree = prepared(t);
  const server = tree.server();
  for (const loc of [-1, 2 ** 60, 1.5, '0', null, [], true] as Value[])
    assert.deepEqual(
      await tree.ask(server, '_serve_file', { path: 'a/b/f', saltenv: 'base', loc }),
      dict({ data: '', dest: '' }),
    );
  for (const path of [null, 5, [], ['a'], true] as Value[])
    assert.equal(await tree.ask(server, '_file_hash', { path, saltenv: 'base' }), '');
});

/** Pushes one piece as the minion `m`. */
function push(tree: Tree, load: DictInit, options: DictInit = { file_recv: true }): Value {
  const opts = new Options(masterOptions, dict({ cachedir: join(tree.folder, 'cache'), ...options }));
  const handler = fileRecvHandler({ opts, clock: systemClock, log: silentLogger });
  const request = { id: 'm', load: dict({ cmd: '_file_recv', loc: 0, data: 'x', ...load }) } as AesRequest;
  return (handler(request) as { value: Value }).value;
}

test('CVE-2024-38824 - a pushed file stays below the folder of its minion', (t) => {
  const tree = makeTree(t);
  const bad: Value[] = [
    ['..', 'x'],
    ['a', '..', '..', 'data.p'],
    ['../../../etc/x'],
    ['/etc/x'],
    ['', 'x'],
    ['.'],
    ['a/b'],
    ['a\0'],
    ['a\\b'],
    [],
    [5],
    'a/b',
    null,
    Array.from({ length: 1000 }, () => 'a'),
  ];
  for (const path of bad) assert.equal(push(tree, { path }), false, JSON.stringify(path));
  assert.ok(!existsSync(join(tree.folder, 'cache/minions/m/data.p')));
  assert.equal(push(tree, { path: ['var', 'log', 'x'] }), true);
  const stored = join(tree.folder, 'cache/minions/m/files/var/log/x');
  assert.equal(readFileSync(stored, 'utf8'), 'x');
  assert.equal(statSync(stored).mode & 0o777, 0o600);
});

test('CVE-2024-38824 - links inside the folder of a minion are not followed', (t) => {
  const tree = makeTree(t);
  const files = join(tree.folder, 'cache/minions/m/files');
  mkdirSync(files, { recursive: true });
  mkdirSync(join(tree.folder, 'elsewhere'));
  writeFileSync(join(tree.folder, 'elsewhere/f'), 'before');
  symlinkSync(join(tree.folder, 'elsewhere'), join(files, 'd'));
  symlinkSync(join(tree.folder, 'elsewhere/f'), join(files, 'l'));
  assert.equal(push(tree, { path: ['d', 'new'] }), false);
  assert.equal(push(tree, { path: ['l'] }), false);
  assert.equal(readFileSync(join(tree.folder, 'elsewhere/f'), 'utf8'), 'before');
});

test('file_recv - off by default, limited in size, and a piece that comes twice is there once', (t) => {
  const tree = makeTree(t);
  const path = ['f'];
  assert.equal(push(tree, { path }, {}), false);
  const limited = { file_recv: true, file_recv_max_size: 1 };
  assert.equal(push(tree, { path, data: Buffer.alloc(1024 * 1024 + 1) }, limited), false);
  assert.equal(push(tree, { path, loc: 1024 * 1024, data: 'x' }, limited), false);
  const refusal = (load: DictInit, options?: DictInit): string =>
    [...(push(tree, { path, asks_reason: true, ...load }, options) as Dict)].flat().join(' ');
  assert.match(refusal({}, {}), /^__refused__ The master takes no files; file_recv: True/);
  assert.match(
    refusal({ loc: 1024 * 1024 }, limited),
    /^__refused__ The master says: it is larger than file_recv_max_size/,
  );
  assert.match(
    refusal({ path: ['..', 'x'] }),
    /^__refused__ The master says: its path has parts that are no names\./,
  );
  assert.equal(push(tree, { path, loc: -1 }), false);
  assert.equal(push(tree, { path, loc: 5, data: 'later' }), false, 'a hole is refused');
  for (const [loc, data] of [
    [0, 'first'],
    [5, 'second'],
    [5, 'second'],
  ] as const)
    assert.equal(push(tree, { path, loc, data }), true);
  const stored = join(tree.folder, 'cache/minions/m/files/f');
  assert.equal(readFileSync(stored, 'utf8'), 'firstsecond');
  assert.equal(push(tree, { path, data: 'new' }), true);
  assert.equal(readFileSync(stored, 'utf8'), 'new');
});

test('file_recv - one minion has no more files and folders than file_recv_max_files', (t) => {
  const tree = makeTree(t);
  const opts = new Options(
    masterOptions,
    dict({ cachedir: join(tree.folder, 'cache'), file_recv: true, file_recv_max_files: 5 }),
  );
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const lines: string[] = [];
  const log = createLogger('t', [{ level: LOG_LEVELS.warning, write: ({ message }) => lines.push(message) }]);
  const handler = fileRecvHandler({ opts, clock, log });
  const ask = (id: string, path: Value[], load: DictInit = {}): Value => {
    const whole = dict({ cmd: '_file_recv', loc: 0, data: 'x', path, ...load });
    return (handler({ id, load: whole } as AesRequest) as { value: Value }).value;
  };
  assert.equal(ask('m', ['a']), true);
  assert.equal(ask('m', ['d', 'e', 'b']), true, 'folders count');
  assert.equal(ask('m', ['x', 'y']), false);
  assert.equal(ask('m', ['d', 'c']), true);
  assert.equal(ask('m', ['f']), false);
  assert.equal(ask('m', ['a'], { data: 'anew' }), true, 'what is there may be written again');
  assert.equal(ask('m', ['a'], { loc: 4, data: 'more' }), true, 'and grow');
  assert.equal(ask('n', ['f']), true, 'the next minion has its own');
  assert.match(
    [...(ask('m', ['f'], { asks_reason: true }) as Dict)].flat().join(' '),
    /^__refused__ The master says: this minion would have more .* file_recv_max_files allows \(5\); remove /,
  );
  assert.match(lines[0] ?? '', /^A file pushed by the minion m was refused: .* file_recv_max_files/);
  // what is not taken leaves nothing
  const files = join(tree.folder, 'cache/minions/m/files');
  assert.equal(ask('m', ['g', 'h'], { loc: 5 }), false);
  assert.ok(!existsSync(join(files, 'f')) && !existsSync(join(files, 'g')));
  // whoever removes something has room again, once the folder has been counted anew
  rmSync(join(files, 'd'), { recursive: true });
  clock.nowMs += 10_000;
  assert.equal(ask('m', ['f']), true);
});
