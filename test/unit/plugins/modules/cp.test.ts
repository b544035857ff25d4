import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { FileServer } from '../../../../src/storage/fileserver/file-server.ts';
import { callFunction } from '../../../../src/runtime/loader/registry.ts';
import { cpModule } from '../../../../src/plugins/cp/module.ts';
import { dict, isDict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { decode, encode } from '../../../../src/formats/wire/msgpack.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { LOG_LEVELS } from '../../../../src/host/log.ts';
import { makeTree, type Tree } from '../../storage/fileserver/tree.ts';

const sha = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

interface Minion {
  readonly tree: Tree;
  /** The commands that the master was asked, in order. */
  readonly asked: string[];
  readonly cache: string;
  retcode(): number;
  /** What stands in the log at the default level. */
  errors(): string[];
  cp(fun: string, args?: Value[], kwargs?: DictInit): Promise<Value>;
}

/** A minion whose requests go to a file server, through the encoding of the network. */
function minion(
  t: TestContext,
  serve?: (server: FileServer, load: Dict) => Value | Promise<Value>,
  fun = '',
): Minion {
  const tree = makeTree(t);
  const server = tree.server({ cachedir: join(tree.folder, 'master'), fileserver_list_cache_time: 0 });
  const asked: string[] = [];
  const cache = join(tree.folder, 'cache');
  const context = fakeContext({
    fun,
    opts: dict({ id: 'm', hash_type: 'sha256', cachedir: cache, file_client: 'remote' }),
    services: {
      request: async (load) => {
        asked.push(String(load.get('cmd')));
        const sent = decode(encode(load, 'network'), 'network') as Dict;
        const answer =
          serve ??
          ((own: FileServer, wanted: Dict) => own.commands.get(String(wanted.get('cmd')))?.(wanted) ?? false);
        return decode(encode(await answer(server, sent), 'network'), 'network');
      },
    },
  });
  return {
    tree,
    asked,
    cache,
    retcode: () => context.retcode,
    errors: () =>
      context.logged
        .filter(({ level }) => LOG_LEVELS[level] >= LOG_LEVELS.warning)
        .map(({ message }) => message),
    cp: async (fun, args = [], kwargs = {}) => {
      const spec = cpModule.functions[fun];
      assert.ok(spec, fun);
      return callFunction(`cp.${fun}`, spec, context, args, dict(kwargs));
    },
  };
}

test('cp - get_file brings a file to a path, a folder or the cache, and not twice', async (t) => {
  const { tree, cp, asked, cache } = minion(t);
  tree.write({ 'base/web/a.txt': 'content' });
  const out = join(tree.folder, 'out');
  mkdirSync(out);
  assert.equal(await cp('get_file', ['salt://web/a.txt', join(out, 'x')]), join(out, 'x'));
  assert.equal(await cp('get_file', ['salt://web/a.txt', `${out}/`]), join(out, 'a.txt'));
  assert.equal(await cp('get_file', ['salt://web/a.txt', '']), join(cache, 'files/base/web/a.txt'));
  assert.equal(readFileSync(join(out, 'x'), 'utf8'), 'content');
  assert.equal(statSync(join(cache, 'files/base/web')).mode & 0o777, 0o700);
  const before = asked.length;
  await cp('get_file', ['salt://web/a.txt', join(out, 'x')]);
  assert.deepEqual(asked.slice(before), ['_file_hash_and_stat']);
});

test('cp - get_file says what is missing as Salt does', async (t) => {
  const { tree, cp } = minion(t);
  tree.write({ 'base/a': 'x' });
  assert.equal(await cp('get_file', ['salt://none', '/tmp/never']), '');
  assert.equal(await cp('get_file', ['salt://a', join(tree.folder, 'no/such/place')]), false);
  const deep = join(tree.folder, 'no/such/place');
  assert.equal(await cp('get_file', ['salt://a', deep], { makedirs: true }), deep);
  assert.equal(await cp('get_file', ['/does/not/exist', '/tmp/never']), '');
  await assert.rejects(cp('get_file', [join(tree.folder, 'base/a'), '/tmp/never']), /Unsupported path: /);
});

test('cp - what is not there is named once, with its environment', async (t) => {
  const missing = async (fun: string, args: Value[], kwargs: DictInit = {}): Promise<string> => {
    const { tree, cp, errors } = minion(t, undefined, `cp.${fun}`);
    tree.write({ 'base/a': 'x' });
    await cp(fun, args, kwargs);
    assert.equal(errors().length, 1, `${fun}: ${errors().join(' | ')}`);
    return errors()[0] ?? '';
  };
  const url = 'salt://none?saltenv=dev';
  for (const [fun, ...args] of [
    ['get_file', '/tmp/never'],
    ['get_template', '/tmp/never'],
    ['get_file_str'],
    ['get_url', '/tmp/never'],
    ['cache_file'],
    ['cache_files'],
    ['hash_file'],
    ['stat_file'],
  ] as const) {
    assert.match(await missing(fun, [url, ...args]), /salt:\/\/none.*saltenv '?dev/, fun);
    assert.match(await missing(fun, ['salt://none', ...args]), /salt:\/\/none.*saltenv '?base/, fun);
  }
  const folder = /has no folder 'salt:\/\/none' in saltenv 'dev'/;
  assert.match(await missing('get_dir', ['salt://none', '/tmp/never'], { saltenv: 'dev' }), folder);
  assert.match(await missing('cache_dir', ['salt://none'], { saltenv: 'dev' }), folder);
  assert.match(await missing('cache_local_file', ['/no/file']), /no file \/no\/file on this minion/);
  assert.match(await missing('get_file', ['/no/file', '/tmp/never']), /no file \/no\/file on this minion/);
  assert.match(await missing('get_file', ['salt://a', '/no/folder/a']), /no folder '\/no\/folder'/);
});

test('cp - functions that only look for a file write nothing when it is missing', async (t) => {
  const { cp, errors } = minion(t, undefined, 'state.apply');
  await cp('hash_file', ['salt://none']);
  await cp('stat_file', ['salt://none']);
  await cp('cache_dir', ['salt://none']);
  assert.deepEqual(errors(), []);
});

test('cp - a file that replaces another keeps its mode, and a link stays a link', async (t) => {
  const { tree, cp } = minion(t);
  tree.write({ 'base/a': 'new', 'out/real': 'old' });
  const [real, link] = [join(tree.folder, 'out/real'), join(tree.folder, 'out/link')];
  chmodSync(real, 0o640);
  symlinkSync('real', link);
  assert.equal(await cp('get_file', ['salt://a', link]), link);
  assert.equal(readFileSync(real, 'utf8'), 'new');
  assert.equal(statSync(real).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync(join(tree.folder, 'out')).sort(), ['link', 'real']);
});

test('cp - large files come in pieces, also compressed and when the size is not told', async (t) => {
  const content = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => (i * 7919) & 0xff));
  let withoutSize = false;
  const { tree, cp } = minion(t, async (server, load) => {
    const reply = await server.commands.get(String(load.get('cmd')))?.(load);
    return withoutSize && Array.isArray(reply) ? [reply[0] as Value, null] : (reply ?? false);
  });
  tree.write({ 'base/big': content });
  const dest = join(tree.folder, 'big');
  for (const gzip of [null, 5]) {
    for (const hidden of [false, true]) {
      withoutSize = hidden;
      writeFileSync(dest, 'other');
      assert.equal(await cp('get_file', ['salt://big', dest], { gzip }), dest);
      assert.equal(sha(readFileSync(dest)), sha(content));
    }
  }
});

test('cp - a file that arrives damaged is fetched again, and never takes the place of a good one', async (t) => {
  let damaged = 1;
  const { tree, cp } = minion(t, (server, load) => {
    if (load.get('cmd') === '_serve_file' && damaged-- > 0) return dict({ data: 'damaged', dest: 'a' });
    return server.commands.get(String(load.get('cmd')))?.(load) ?? false;
  });
  tree.write({ 'base/a': 'genuine', out: 'old' });
  const dest = join(tree.folder, 'out');
  await cp('get_file', ['salt://a', dest]);
  assert.equal(readFileSync(dest, 'utf8'), 'genuine');
  writeFileSync(dest, 'old');
  damaged = 100;
  await assert.rejects(cp('get_file', ['salt://a', dest]), /another sum than the master told/);
  assert.equal(readFileSync(dest, 'utf8'), 'old');
  assert.deepEqual(
    readdirSync(tree.folder).filter((name) => name.startsWith('.')),
    [],
  );
});

test('cp - get_dir brings a folder with its empty folders, and nothing beside it', async (t) => {
  const { tree, cp } = minion(t);
  tree.write({
    'base/a/web/x': '1',
    'base/a/web/sub/ü': '2',
    'base/a/website/no': '3',
    'base/a/web.sls': '',
  });
  mkdirSync(join(tree.folder, 'base/a/web/empty'));
  const out = join(tree.folder, 'out');
  assert.deepEqual(
    await cp('get_dir', ['salt://a/web', out]),
    ['empty', 'sub/ü', 'x'].map((name) => `${out}/web/${name}`),
  );
  assert.ok(existsSync(join(out, 'web/empty')));
  assert.ok(!existsSync(join(out, 'website')));
  await assert.rejects(cp('get_dir', ['/a', out]), /Unsupported path: \/a/);
});

test('cp - get_dir refuses names that lead out of the destination', async (t) => {
  const { tree, cp } = minion(t, (server, load) =>
    load.get('cmd') === '_file_list'
      ? ['a/../../../stolen']
      : (server.commands.get(String(load.get('cmd')))?.(load) ?? false),
  );
  tree.write({ 'base/a/x': '1' });
  await assert.rejects(cp('get_dir', ['salt://a', join(tree.folder, 'out/deep')]));
  assert.ok(!existsSync(join(tree.folder, 'stolen')));
});

test('cp - the cache has the layout of Salt', async (t) => {
  const { tree, cp, cache } = minion(t);
  tree.write({ 'base/a/1': '1', 'base/a/2.py': '2', 'dev/d': 'd', 'base/null': '' });
  mkdirSync(join(tree.folder, 'base/a/e'));
  const at = (path: string): string => join(cache, 'files', path);
  assert.equal(await cp('cache_file', ['salt://d?saltenv=dev']), at('dev/d'));
  assert.equal(await cp('cache_file', ['salt://null']), at('base/null'));
  assert.equal(statSync(at('base/null')).size, 0);
  assert.equal(await cp('cache_file', ['salt://none']), false);
  assert.deepEqual(await cp('cache_files', ['salt://a/1,salt://none']), [at('base/a/1'), false]);
  assert.deepEqual(await cp('cache_dir', ['salt://a'], { include_empty: true }), [
    at('base/a/1'),
    at('base/a/2.py'),
    at('base/a/e'),
  ]);
  assert.deepEqual(await cp('cache_dir', ['salt://a'], { include_pat: 'E@\\.py$' }), [at('base/a/2.py')]);
  assert.deepEqual(await cp('cache_dir', ['salt://a'], { exclude_pat: '*.py' }), [at('base/a/1')]);
  assert.deepEqual(await cp('cache_master'), [at('base/a/1'), at('base/a/2.py'), at('base/null')]);
  assert.equal(await cp('is_cached', ['salt://a/1']), at('base/a/1'));
  assert.equal(await cp('is_cached', ['salt://../../etc/passwd']), '');
  assert.equal(await cp('cache_dest', ['salt://x/y?saltenv=dev']), at('dev/x/y'));
  assert.equal(
    await cp('cache_dest', ['https://u:p@foo.com:8080/bar.rpm?v=1']),
    join(cache, 'extrn_files/base/foo.com8080/bar.rpm-v=1'),
  );
  assert.equal(await cp('cache_dest', ['http://h/../../../../etc/passwd']), 'Invalid path');
  await assert.rejects(cp('cache_dest', ['salt://../../../etc/passwd']));
});

test('cp - files of this machine are cached when they have changed', async (t) => {
  const { tree, cp, cache } = minion(t);
  tree.write({ mine: 'one' });
  const path = join(tree.folder, 'mine');
  const cached = join(cache, 'localfiles', path);
  assert.equal(await cp('cache_local_file', [path]), cached);
  assert.equal(await cp('is_cached', [path]), cached);
  tree.write({ mine: 'two' });
  assert.equal(await cp('cache_local_file', [path]), cached);
  assert.equal(readFileSync(cached, 'utf8'), 'two');
  assert.equal(await cp('cache_local_file', ['/no/such/file']), '');
  assert.ok(((await cp('list_minion')) as Value[]).includes(cached));
});

test('cp - sums, modes and lists', async (t) => {
  const { tree, cp } = minion(t);
  tree.write({ 'base/top.sls': 'x', 'base/web/init.sls': '', 'base/web/db.sls': '', 'base/f': 'hello' });
  chmodSync(join(tree.folder, 'base/f'), 0o751);
  symlinkSync('f', join(tree.folder, 'base/l'));
  const sum = { hsum: sha('hello'), hash_type: 'sha256' };
  assert.deepEqual(
    new Map([...((await cp('hash_file', ['salt://f'])) as Dict)].sort()),
    new Map(Object.entries(sum).sort()),
  );
  assert.deepEqual(await cp('hash_file', [join(tree.folder, 'base/f')]), dict(sum));
  assert.equal(await cp('hash_file', ['salt://none']), '');
  assert.deepEqual(await cp('hash_file', ['/none']), new Map());
  assert.equal(await cp('stat_file', ['salt://f']), '0751');
  assert.equal(await cp('stat_file', ['salt://f'], { octal: false }), 0o100751);
  assert.equal(await cp('stat_file', ['salt://none']), null);
  assert.deepEqual(await cp('list_states'), ['top', 'web', 'web.db']);
  assert.deepEqual(await cp('list_master', [], { prefix: '/web/' }), ['web/db.sls', 'web/init.sls']);
  assert.deepEqual(await cp('list_master_dirs'), ['web']);
  assert.deepEqual(await cp('list_master_symlinks'), dict({ l: 'f' }));
  assert.deepEqual(await cp('envs'), ['base', 'dev']);
  assert.equal(await cp('get_file_str', ['salt://f']), 'hello');
  assert.equal(await cp('get_file_str', ['salt://none']), false);
  assert.equal(await cp('get_url', ['salt://f', null]), 'hello');
});

test('cp - recv writes whole files where they belong', async (t) => {
  const { tree, cp } = minion(t);
  const at = (name: string): string => join(tree.folder, 'base', name);
  assert.deepEqual(
    await cp('recv', [dict({ '/x/a': 'A', '/x/b': 'B' }), `${tree.folder}/base`]),
    dict({ [at('a')]: true, [at('b')]: true }),
  );
  assert.deepEqual(await cp('recv', [dict({ '/x/a': 'A2' }), at('c')]), dict({ [at('c')]: true }));
  assert.equal(readFileSync(at('c'), 'utf8'), 'A2');
  assert.equal(await cp('recv', [dict({ '/x/a': 'A' }), '/no/such/place']), 'Destination unavailable');
  assert.deepEqual(
    await cp('recv', [dict({ '/x/a': 'A' }), '/no/such/a']),
    dict({ '/no/such/a': "[Errno 2] No such file or directory: '/no/such/a'" }),
  );
});

test('cp - recv_chunked puts pieces together, makes folders and sets modes', async (t) => {
  const { tree, cp, retcode } = minion(t);
  const dest = join(tree.folder, 'new/deep/file');
  const packed = (text: string): string => gzipSync(text).toString('base64');
  assert.equal(await cp('recv_chunked', [dest, packed('one'), false, true, 0o750]), true);
  assert.equal(await cp('recv_chunked', [dest, packed('two'), true, true, 0o700]), true);
  assert.equal(readFileSync(dest, 'utf8'), 'onetwo');
  assert.equal(statSync(dest).mode & 0o777, 0o750);
  assert.equal(await cp('recv_chunked', [dest, Buffer.from('raw').toString('base64'), false, false]), true);
  assert.equal(readFileSync(dest, 'utf8'), 'raw');
  assert.equal(await cp('recv_chunked', [join(tree.folder, 'folder'), null]), true);
  assert.equal(await cp('recv_chunked', [join(tree.folder, 'folder'), null]), true);
  assert.equal(await cp('recv_chunked', [dest, null]), 'Path exists and is a file');
  assert.equal(retcode(), 0);
  assert.match(String(await cp('recv_chunked', [tree.folder, packed('x')])), /^\[Errno 21\] /);
  assert.equal(retcode(), 1);
});

test('cp - push sends pieces in order, and names links by where they lead', async (t) => {
  const loads: Dict[] = [];
  let taken: Value = true;
  const { tree, cp } = minion(t, (_server, load) => {
    loads.push(load);
    return taken;
  });
  tree.write({ 'src/f': 'x'.repeat(300_000), 'src/empty': '', 'src/sub/g.conf': 'g' });
  const path = join(tree.folder, 'src/f');
  symlinkSync(path, join(tree.folder, 'link'));
  assert.equal(await cp('push', [join(tree.folder, 'link')]), true);
  assert.deepEqual(
    loads.map((load) => [load.get('cmd'), load.get('path'), load.get('loc'), load.get('size')]),
    [0, 262_144].map((loc) => ['_file_recv', path.slice(1).split('/'), loc, 300_000]),
  );
  loads.length = 0;
  assert.equal(
    await cp('push', [join(tree.folder, 'src/empty')], { upload_path: '/a/b', remove_source: true }),
    true,
  );
  assert.deepEqual(loads[0]?.get('path'), ['a', 'b']);
  assert.ok(!existsSync(join(tree.folder, 'src/empty')));
  loads.length = 0;
  assert.equal(
    await cp('push_dir', [join(tree.folder, 'src')], { glob: '*.conf', upload_path: '/up' }),
    true,
  );
  assert.deepEqual(
    loads.map((load) => load.get('path')),
    [['up', 'sub', 'g.conf']],
  );
  taken = false;
  assert.equal(await cp('push', [path]), false);
  for (const bad of ['relative', '/tmp/../etc/passwd', '/no/such/file', tree.folder])
    assert.equal(await cp('push', [bad]), false);
  assert.equal(await cp('push', [path], { upload_path: '../x' }), false);
});

test('cp - a push that is not done answers whoever called it with the reason', async (t) => {
  const reasons = {
    asked: new Map([['__refused__', 'The master says: it is too large.']]),
    bare: false,
  } as const;
  let answer: Value = reasons.asked;
  const loads: Dict[] = [];
  const serve = (_server: FileServer, load: Dict): Value => {
    loads.push(load);
    return answer;
  };
  const { tree, cp } = minion(t, serve, 'cp.push');
  tree.write({ f: 'x' });
  const path = join(tree.folder, 'f');
  await assert.rejects(cp('push', [path]), {
    message: `cp.push: the master did not take ${path}. The master says: it is too large.`,
  });
  assert.equal(loads[0]?.get('asks_reason'), true);
  answer = reasons.bare;
  await assert.rejects(cp('push', [path]), /did not take .*\. It takes files with file_recv: True/);
  for (const [bad, why] of [
    ['relative', /relative: the path must be absolute/],
    ['/no/such/file', /there is no such file/],
    [tree.folder, /it is no file; folders are pushed with cp\.push_dir/],
  ] as const)
    await assert.rejects(cp('push', [bad]), why);
  await assert.rejects(cp('push', [path], { upload_path: '../x' }), /upload_path must be without/);
  await assert.rejects(cp('push_dir', ['/no/such']), /there is no such folder/);
  await assert.rejects(
    cp('push_dir', [tree.folder], { glob: '*.none' }),
    /sends nothing: there is no such file below/,
  );
});

test('cp - without a master that answers the error is the one of Salt', async (t) => {
  const context = fakeContext({ opts: dict({ id: 'm', cachedir: makeTree(t).folder }) });
  const spec = cpModule.functions['list_master'];
  assert.ok(spec);
  await assert.rejects(callFunction('cp.list_master', spec, context, [], new Map()), {
    type: 'salt.exceptions.SaltClientError',
  });
});

test('cp - with file_client local the minion serves itself', async (t) => {
  const tree = makeTree(t);
  tree.write({ 'base/a': 'own' });
  const context = fakeContext({
    opts: dict({
      id: 'm',
      file_client: 'local',
      cachedir: join(tree.folder, 'cache'),
      file_roots: { base: [join(tree.folder, 'base')] },
    }),
  });
  const call = (fun: string, ...args: Value[]): Promise<Value> => {
    const spec = cpModule.functions[fun];
    assert.ok(spec);
    return callFunction(`cp.${fun}`, spec, context, args, new Map());
  };
  assert.deepEqual(await call('list_master'), ['a']);
  assert.equal(await call('cache_file', 'salt://a'), join(tree.folder, 'cache/files/base/a'));
  assert.ok(isDict(await call('hash_file', 'salt://a')));
});

test('cp - folders that cannot be made are an error, also where Node would never come back', async (t) => {
  const { tree, cp } = minion(t);
  tree.write({ 'base/a': 'x' });
  const chunk = gzipSync('x').toString('base64');
  assert.match(String(await cp('recv_chunked', ['/proc/none/x', chunk])), /^\[Errno 2\] .*'\/proc\/none'$/);
  assert.match(String(await cp('recv_chunked', ['/proc/none/x', null])), /^\[Errno 2\] /);
  await assert.rejects(cp('get_file', ['salt://a', '/proc/none/x'], { makedirs: true }), { code: 'ENOENT' });
});

test('cp - templates are rendered with what the call gives, and can import files of the master', async (t) => {
  const { tree, cp } = minion(t);
  tree.write({
    'base/t':
      '{% from "lib.jinja" import hi %}{{ hi(who) }} {{ grains.get("none", 1) }} {{ salt["test.echo"]("x") }}\n',
    'base/lib.jinja': '{% macro hi(n) %}hi {{ n }}{% endmacro %}',
    'base/bad': '{% if %}',
    'base/web/linux.txt': 'linux',
  });
  const dest = join(tree.folder, 'made/t');
  assert.equal(await cp('get_template', ['salt://t', dest], { makedirs: true, who: 'bob' }), dest);
  assert.equal(readFileSync(dest, 'utf8'), 'hi bob 1 x\n');
  assert.equal(await cp('get_template', ['salt://none', dest]), '');
  assert.equal(await cp('get_template', ['salt://bad', dest]), '');
  assert.equal(await cp('get_template', ['salt://t', join(tree.folder, 'no/such')], { who: 1 }), '');
  const path = join(tree.folder, 'got');
  assert.equal(
    await cp('get_file', ['salt://web/{{ pillar.os }}.txt', path], {
      template: 'jinja',
      pillar: { os: 'linux' },
    }),
    path,
  );
  await assert.rejects(cp('get_file', ['salt://a', path], { template: 'mako' }), /unavailable engine mako/);
});
