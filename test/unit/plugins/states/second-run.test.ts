/**
 * States whose second run changed something, or whose test mode said what was not so; each with the odd arguments that
 * showed it.
 */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemRandom } from '../../../../src/host/random.ts';
import { findProgram } from '../../../../src/host/which.ts';
import { dict, type Dict, type DictInit } from '../../../../src/python/values/value.ts';
import { fakeStateContext, runState, type FakeStateOptions } from '../../../support/state-context.ts';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-again-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(fun: string, args: DictInit, options: FakeStateOptions = {}): Promise<Dict> {
  return runState(fakeStateContext(options), fun, dict(args));
}

/** Test mode, for real, again, and test mode again. */
async function twice(fun: string, args: DictInit, options: FakeStateOptions = {}): Promise<void> {
  const tested = await run(fun, args, { ...options, test: true });
  const first = await run(fun, args, options);
  assert.equal(first.get('result'), true, String(first.get('comment')));
  const isChange = (first.get('changes') as Dict).size > 0;
  assert.equal(tested.get('result'), isChange ? null : true, String(tested.get('comment')));
  for (const again of [await run(fun, args, options), await run(fun, args, { ...options, test: true })]) {
    assert.equal(again.get('result'), true, String(again.get('comment')));
    assert.deepEqual(again.get('changes'), new Map());
  }
}

const LINES: readonly [args: DictInit, before: string, after: string][] = [
  [{ mode: 'replace', match: 'a=', content: 'zz' }, 'a=1\nb\n  a=1\na=3\n', 'zz\nb\n  zz\nzz\n'],
  [{ mode: 'replace', match: '^a=\\d', content: 'a=9' }, 'a=1\nb\na=2\n', 'a=9\nb\na=2\n'],
  [{ mode: 'replace', match: 'none', content: 'zz' }, 'a=1\n', 'a=1\n'],
  [{ mode: 'delete', match: 'a=' }, 'a=1\nb\na=2\na=1\n', 'b\n'],
  [{ mode: 'delete', content: 'b' }, 'b\nab\nc\n', 'c\n'],
];

for (const [args, before, after] of LINES)
  test(`states again - file.line ${JSON.stringify(args)} is done after one run`, async (t) => {
    const name = join(folderFor(t), 'lines');
    writeFileSync(name, before);
    await twice('file.line', { name, ...args });
    assert.equal(readFileSync(name, 'utf8'), after);
  });

const REFUSED: readonly [fun: string, args: DictInit, reason: RegExp][] = [
  ['file.managed', { contents: 'x', mode: 'u=rw,g=r' }, /'u=rw,g=r' is no mode/],
  ['file.managed', { contents: 'x', mode: '0888' }, /'0888' is no mode/],
  ['file.managed', { contents: 'x', makedirs: true, dir_mode: 'a+x' }, /'a\+x' is no mode/],
  ['file.directory', { mode: 'u=rwx' }, /is no mode/],
  ['file.directory', { file_mode: 'rw' }, /is no mode/],
  ['file.copy', { source: '/etc/hosts', mode: 'a+r' }, /is no mode/],
  ['file.mknod', { ntype: 'p', mode: 'a+r' }, /is no mode/],
  ['file.serialize', { dataset: { a: 1 }, mode: 'rw' }, /is no mode/],
];

for (const [fun, args, reason] of REFUSED)
  test(`states again - ${fun} ${JSON.stringify(args)} is refused before anything is made`, async (t) => {
    const name = join(folderFor(t), 'new');
    for (const isTest of [true, false])
      await assert.rejects(run(fun, { name, ...args }, { test: isTest }), reason);
    assert.equal(existsSync(name), false);
  });

for (const [fun, args] of [
  ['file.managed', { contents: 'x' }],
  ['file.touch', {}],
  ['file.append', { text: 'x' }],
  ['file.serialize', { dataset: { a: 1 } }],
] as [string, DictInit][])
  test(`states again - ${fun} of a name that ends in a slash is refused, in test mode, too`, async (t) => {
    const name = `${join(folderFor(t), 'new')}/`;
    for (const isTest of [true, false])
      await assert.rejects(run(fun, { name, ...args }, { test: isTest }), /ends in a slash/);
  });

const INI = 'top=0\n[main]\nx=1\nport=2\n[other]\nz=1\n';

for (const [fun, sections, gone] of [
  ['ini.options_absent', { main: 'port' }, /port/],
  ['ini.options_absent', { main: { x: 1 } }, /x/],
  ['ini.options_absent', { top: null }, /top/],
  ['ini.sections_absent', 'other', /other/],
] as [string, Sections, RegExp][])
  test(`states again - ${fun} takes ${JSON.stringify(sections)} for one name`, async (t) => {
    const name = join(folderFor(t), 'conf.ini');
    writeFileSync(name, INI);
    await twice(fun, { name, sections });
    const left = readFileSync(name, 'utf8');
    assert.doesNotMatch(left, gone);
    assert.equal(['top', 'x', 'port', 'other'].filter((word) => left.includes(word)).length, 3, left);
  });

type Sections = DictInit[string];

test('states again - test mode of mount.fstab_present and fstab_absent says what is done already', async (t) => {
  const config = join(folderFor(t), 'fstab');
  writeFileSync(config, '/dev/sda1 / ext4 defaults 0 1\n');
  const entry = { name: '/dev/sdz1', fs_file: '/mnt/z', config };
  await twice('mount.fstab_present', {
    ...entry,
    fs_vfstype: 'ext4',
    fs_mntops: ['ro', 'noatime'],
    mount: false,
  });
  await twice('mount.fstab_present', { ...entry, fs_vfstype: 'ext4', fs_mntops: 'ro', mount: false });
  await twice('mount.fstab_absent', entry);
});

test('states again - ssh_auth refuses an invalid key in test mode as well', async (t) => {
  const folder = folderFor(t);
  const config = join(folder, 'keys');
  const user = userInfo().username;
  for (const key of ['AAAAB3Nza!', 'AAAAB', 'ssh-rsa AAAA!'])
    for (const isTest of [true, false]) {
      const done = await run('ssh_auth.present', { name: key, user, config }, { test: isTest });
      assert.deepEqual([done.get('result'), done.get('changes')], [false, new Map()], key);
      const managed = {
        name: 'keys',
        ssh_keys: [key, 'AAAAB3NzaC1yc2E='],
        user,
        config: `${config}.${String(isTest)}`,
      };
      assert.equal((await run('ssh_auth.manage', managed, { test: isTest })).get('result'), false, key);
    }
  assert.equal(existsSync(config), false);
});

test('states again - file.directory of a link that leads nowhere is refused in test mode as well', async (t) => {
  const name = join(folderFor(t), 'link');
  for (const target of ['nowhere', 'link']) {
    symlinkSync(target, name);
    for (const follow_symlinks of [true, false])
      for (const isTest of [true, false]) {
        const done = await run('file.directory', { name, follow_symlinks }, { test: isTest });
        assert.equal(done.get('result'), false);
        assert.match(String(done.get('comment')), /is a symlink that leads nowhere/);
      }
    rmSync(name);
  }
  symlinkSync('nowhere', name);
  await twice('file.directory', { name, force: true });
});

test('states again - file.directory sets modes beside a link that leads nowhere', async (t) => {
  const folder = folderFor(t);
  writeFileSync(join(folder, 'a'), '');
  symlinkSync('nowhere', join(folder, 'link'));
  for (const [mode, follow_symlinks] of [
    ['0750', true],
    ['0700', false],
  ] as const)
    await twice('file.directory', { name: folder, mode, follow_symlinks, recurse: ['mode'] });
});

for (const reject_file of [undefined, 'rejects'])
  test(
    `states again - file.patch that does not fit names no temporary file, with reject_file ${reject_file ?? 'left out'}`,
    { skip: findProgram('patch') === undefined },
    async (t) => {
      const folder = folderFor(t);
      const name = join(folder, 'conf');
      writeFileSync(name, 'one\nother\nthree\n');
      const source = join(folder, 'change.patch');
      writeFileSync(source, '--- a/conf\n+++ b/conf\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n');
      const kept = reject_file === undefined ? undefined : join(folder, reject_file);
      for (const isTest of [true, false]) {
        const done = await run(
          'file.patch',
          { name, source, reject_file: kept ?? null },
          { test: isTest, random: systemRandom },
        );
        const comment = String(done.get('comment'));
        assert.equal(done.get('result'), false);
        assert.match(comment, /patching file/);
        assert.ok(comment.includes(kept ?? '(not kept)'), comment);
        const named = comment.match(/\/\S+/g) ?? [];
        assert.deepEqual(
          named.filter((path) => path !== name && path !== kept),
          [],
        );
      }
      assert.equal(existsSync(kept ?? name), true);
      writeFileSync(name, 'one\ntwo\nthree\n');
      const foretold = await run('file.patch', { name, source }, { test: true, random: systemRandom });
      assert.equal((foretold.get('changes') as Dict).get('stdout'), `patching file ${name}`);
    },
  );

const LEFT_ALONE: readonly [fun: string, args: DictInit, reason: RegExp][] = [
  [
    'file.serialize',
    { dataset: [1], serializer: 'json', merge_if_exists: true },
    /the dataset is of type list/,
  ],
  [
    'file.serialize',
    { dataset: '', serializer: 'json', merge_if_exists: true },
    /the dataset is of type str/,
  ],
  ['file.serialize', { dataset: { a: 1 }, serializer_opts: { bad: 1 } }, /unexpected keyword argument 'bad'/],
  [
    'file.serialize',
    { dataset: { a: 1 }, serializer_opts: { canonical: true } },
    /canonical of yaml is not served/,
  ],
  [
    'file.serialize',
    { dataset: { a: 1 }, serializer_opts: { indent: 'x' } },
    /indent of yaml has to be a number/,
  ],
  [
    'file.serialize',
    { dataset: { a: 1 }, serializer: 'json', serializer_opts: { separators: ',' } },
    /separators/,
  ],
  [
    'file.blockreplace',
    { marker_start: '{', marker_end: '}', content: null },
    /expected a text, not NoneType/,
  ],
  ['file.blockreplace', { marker_start: '{', marker_end: '}', content: ['a'] }, /expected a text, not list/],
  ['file.blockreplace', { marker_start: null, content: 'x', append_if_not_found: true }, /expected a text/],
  ['file.directory', { max_depth: 'deep', recurse: ['mode'], dir_mode: '700' }, /invalid literal/],
  ['file.recurse', { source: 'salt://x', maxdepth: 'deep' }, /invalid literal/],
];

for (const [fun, args, reason] of LEFT_ALONE)
  test(`states again - ${fun} ${JSON.stringify(args)} is refused and leaves the file as it is`, async (t) => {
    const name = join(folderFor(t), 'file');
    const before = '{"old": 1}';
    writeFileSync(name, before);
    for (const isTest of [true, false]) {
      const said = await run(fun, { name, ...args }, { test: isTest, random: systemRandom }).then(
        (done) => `${String(done.get('result'))}: ${String(done.get('comment'))}`,
        (error: unknown) => `false: ${String(error)}`,
      );
      assert.match(said, /^false/);
      assert.match(said, reason);
    }
    assert.equal(readFileSync(name, 'utf8'), before);
  });

test('states again - file.serialize does not put a mapping in the place of a list', async (t) => {
  const name = join(folderFor(t), 'list.json');
  writeFileSync(name, '[1, 2]');
  const done = await run('file.serialize', {
    name,
    dataset: { a: 1 },
    serializer: 'json',
    merge_if_exists: true,
  });
  assert.equal(done.get('result'), false);
  assert.match(String(done.get('comment')), /list\.json is of type list/);
  assert.equal(readFileSync(name, 'utf8'), '[1, 2]');
});

for (const [opts, text] of [
  [{ serializer: 'json', serializer_opts: { indent: null } }, '{"a": 1,"b": [2]}\n'],
  [{ serializer: 'json', serializer_opts: { indent: null, separators: [', ', ':'] } }, '{"a":1, "b":[2]}\n'],
  [{ serializer: 'yaml', serializer_opts: { line_break: '\r\n' } }, 'a: 1\r\nb:\r\n- 2\r\n'],
] as [DictInit, string][])
  test(`states again - file.serialize serves ${JSON.stringify(opts)}`, async (t) => {
    const name = join(folderFor(t), 'data');
    const dataset = { b: [2], a: 1 };
    assert.equal((await run('file.serialize', { name, dataset, ...opts })).get('result'), true);
    assert.equal(readFileSync(name, 'utf8'), text);
  });

test('states again - file.replace with a negative count replaces nothing', async (t) => {
  const name = join(folderFor(t), 'lines');
  writeFileSync(name, 'one\n');
  const done = await run('file.replace', { name, pattern: 'o', repl: '0', count: -1 });
  assert.deepEqual([done.get('result'), done.get('changes')], [true, new Map()]);
  assert.equal(readFileSync(name, 'utf8'), 'one\n');
});

test('states again - file.recurse keeps a link to a folder that has links itself', async (t) => {
  const folder = folderFor(t);
  const name = join(folder, 'to');
  const links = { 'src/dirl': 'sub', 'src/dirl/lnk': '../a', 'src/sub/lnk': '../a' };
  await twice(
    'file.recurse',
    { name, source: 'salt://src', keep_symlinks: true },
    {
      functions: {
        'file.source_list': () => ['salt://src', ''],
        'cp.list_master_dirs': () => ['src', 'src/sub', 'src/dirl'],
        'cp.list_master': () => Object.keys(links),
        'cp.list_master_symlinks': () => dict(links),
      },
    },
  );
  assert.equal(readlinkSync(join(name, 'dirl')), 'sub');
  assert.equal(readlinkSync(join(name, 'sub/lnk')), '../a');
});
