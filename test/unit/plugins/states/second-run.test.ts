/**
 * States whose second run changed something, or whose test mode said what was not so; each with the odd arguments that
 * showed it.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
async function twice(fun: string, args: DictInit): Promise<void> {
  const tested = await run(fun, args, { test: true });
  const first = await run(fun, args);
  assert.equal(first.get('result'), true, String(first.get('comment')));
  const isChange = (first.get('changes') as Dict).size > 0;
  assert.equal(tested.get('result'), isChange ? null : true, String(tested.get('comment')));
  for (const again of [await run(fun, args), await run(fun, args, { test: true })]) {
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
