/**
 * What a state needs and is not there is refused in test mode as in the run, unless an earlier state of the run would
 * make it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { mayBeMade } from '../../../../src/plugins/shared/made-earlier.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { callState, fakeStateContext, type FakeStateOptions } from '../../../support/state-context.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'brine-missing-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));
const GONE = join(FOLDER, 'gone');
const FILE = join(FOLDER, 'file');
writeFileSync(FILE, 'x');
mkdirSync(join(FOLDER, 'dir'));

type Functions = NonNullable<FakeStateOptions['functions']>;
interface Case {
  readonly fun: string;
  readonly args: Readonly<Record<string, Value>>;
  readonly comment: RegExp;
  readonly functions?: Functions;
}

/** A state of the run before, which in test mode only promises. */
function before(tag: string, changes: Dict = dict()): Dict {
  return new Map([[tag, dict({ name: tag, result: null, changes, comment: '' })]]);
}
/** What a package brings may be anything. */
const PACKAGE = before('pkg_|-all_|-all_|-installed');
/** What cannot help. */
const OTHER = before('file_|-x_|-/srv/other_|-managed');

const NOT_SERVED: Functions = { 'cp.hash_file': dict(), 'cp.is_cached': '', 'cp.list_master': [] };
const NO_REMOTE: Functions = {
  'git.remote_refs': new CommandExecutionError("Command 'git ls-remote' failed: fatal: no such repository"),
  'git.is_worktree': false,
  'git.config_get_regexp': dict(),
};
const NO_SERVICE: Functions = {
  'service.available': false,
  'service.status': false,
  'service.offline': false,
  'service.masked': false,
  'service.start': true,
};
const GRAINS = dict({ os_family: 'Debian', os: 'Debian' });
const NOBODY = { user: 'brine-nobody-there' };
const PIP: Functions = { 'pip.version': '23.0', 'pip.list': dict(), 'pip.freeze': [] };

const CASES: readonly Case[] = [
  {
    fun: 'archive.extracted',
    args: { name: join(FOLDER, 'out'), source: `${GONE}.tgz` },
    comment: /^Source file '.*gone\.tgz' does not exist$/,
  },
  {
    fun: 'archive.extracted',
    args: { name: join(FOLDER, 'out'), source: [`${GONE}.tgz`, `${GONE}.zip`] },
    comment: /^none of the specified sources were found$/,
  },
  ...['managed', 'symlink', 'touch', 'serialize', 'append'].map((fun) => ({
    fun: `file.${fun}`,
    args: {
      name: join(GONE, 'deep'),
      ...(fun === 'symlink' ? { target: '/srv' } : {}),
      ...(fun === 'serialize' ? { dataset: { a: 1 } as unknown as Value, serializer: 'json' } : {}),
      ...(fun === 'append' ? { text: 'x' } : {}),
      ...(fun === 'managed' ? { contents: 'x' } : {}),
    },
    comment: /there is no folder .*gone for .*gone\/deep$/,
  })),
  {
    fun: 'file.managed',
    args: { name: join(FOLDER, 'new'), contents: 'x', ...NOBODY },
    comment: /^User 'brine-nobody-there' is not available$/,
  },
  {
    fun: 'ini.options_present',
    args: { name: join(GONE, 'a.ini'), sections: dict({ a: { b: 1 } }) },
    comment: /^Unable to write file .*No such file or directory/,
  },
  { fun: 'cmd.run', args: { name: 'true', cwd: GONE }, comment: /^Desired working directory/ },
  { fun: 'cmd.run', args: { name: 'true', shell: GONE }, comment: /^The shell .* is not available$/ },
  { fun: 'cmd.run', args: { name: 'true', runas: NOBODY.user }, comment: /^User '.*' is not available$/ },
  { fun: 'cmd.script', args: { name: `${GONE}.sh` }, comment: /^Unable to cache script/ },
  { fun: 'cmd.script', args: { name: `${GONE}.sh a b` }, comment: /^Unable to cache script/ },
  ...['running', 'enabled', 'masked'].map((fun) => ({
    fun: `service.${fun}`,
    args: { name: 'nosuch' },
    comment: /^The named service nosuch is not available$/,
    functions: NO_SERVICE,
  })),
  {
    fun: 'mount.mounted',
    args: { name: join(FOLDER, 'dir'), device: GONE, fstype: 'ext4' },
    comment: /^Device .* does not exist$/,
    functions: { 'mount.active': dict(), 'mount.set_fstab': 'new', 'mount.fstab': dict() },
  },
  {
    fun: 'mount.mounted',
    args: { name: GONE, device: 'tmpfs', fstype: 'tmpfs' },
    comment: /^Mount directory is not present$/,
    functions: { 'mount.active': dict(), 'mount.set_fstab': 'new', 'mount.fstab': dict() },
  },
  {
    fun: 'mount.swap',
    args: { name: GONE },
    comment: /failed to activate: Device .* does not exist$/,
    functions: { 'mount.swaps': dict(), 'mount.fstab': dict() },
  },
  {
    fun: 'mount.fstab_present',
    args: { name: GONE, fs_file: join(FOLDER, 'dir'), fs_vfstype: 'ext4' },
    comment: /cannot be mounted: Device .* does not exist$/,
    functions: { 'mount.set_fstab': 'new', 'mount.fstab': dict() },
  },
  {
    fun: 'pip.installed',
    args: { requirements: `${GONE}.txt` },
    comment: /^pip requirements file '.*gone\.txt' not found$/,
    functions: PIP,
  },
  {
    fun: 'virtualenv.managed',
    args: { name: join(FOLDER, 'env'), requirements: `${GONE}.txt` },
    comment: /^pip requirements file '.*gone\.txt' not found$/,
    functions: PIP,
  },
  {
    fun: 'cron.present',
    args: { name: '/bin/x', ...NOBODY },
    comment: /^User '.*' is not available$/,
    functions: { 'cron.list_tab': dict({ crons: [], env: [], pre: [], special: [] }) },
  },
  {
    fun: 'cron.file',
    args: { name: `${GONE}.tab` },
    comment: /gone\.tab does not exist$/,
    functions: { 'user.info': dict({ groups: ['root'] }), 'cron.raw_cron': '' },
  },
  {
    fun: 'pkgrepo.managed',
    args: { name: 'deb http://example.com/debian stable main', file: join(GONE, 'x.list') },
    comment: /there is no folder .*gone for .*x\.list$/,
    functions: { 'pkg.get_repo': dict(), 'pkg.mod_repo': dict() },
  },
  {
    fun: 'sysctl.present',
    args: { name: 'kernel.brine_nosuch', value: '1', config: join(FOLDER, 'sysctl.conf') },
    comment: /^Failed to set .*: sysctl kernel\.brine_nosuch does not exist \(User\)?$|does not exist$/,
    functions: { 'sysctl.show': dict(), 'sysctl.get': '' },
  },
  ...['present', 'absent'].map((fun) => ({
    fun: `ssh_auth.${fun}`,
    args: { user: 'root', source: `${GONE}.pub` },
    comment: /^Source file .*gone\.pub is missing$/,
    functions: { 'ssh.check_key_file': dict({ AAAA: fun === 'present' ? 'add' : 'exists' }) },
  })),
  {
    fun: 'ssh_auth.present',
    args: { name: 'AAAA', ...NOBODY },
    comment: /^User '.*' is not available$/,
    functions: { 'ssh.check_key': 'add' },
  },
  {
    fun: 'locale.present',
    args: { name: 'xx_NOPE.UTF-8' },
    comment: /^Failed to generate locale xx_NOPE\.UTF-8: /,
    functions: { 'locale.avail': false },
  },
  {
    fun: 'ssh_known_hosts.present',
    args: { name: 'host.example', ...NOBODY },
    comment: /^User '.*' is not available$/,
    functions: { 'ssh.check_known_host': 'add' },
  },
  ...['git.cloned', 'git.detached', 'git.latest'].map((fun) => ({
    fun,
    args: { name: GONE, target: join(FOLDER, 'clone'), ...(fun === 'git.cloned' ? {} : { rev: 'main' }) },
    comment: /^Failed to check remote refs: fatal: no such repository$/,
    functions: NO_REMOTE,
  })),
];

for (const { fun, args, comment, functions = {} } of CASES)
  test(`${fun} - test mode refuses ${JSON.stringify(args).replaceAll(FOLDER, '')}, unless an earlier state would help`, async () => {
    const apply = (running: Dict): Promise<Dict> =>
      callState(fun, dict({ name: 'x', ...args }), { ...{ test: true, running, functions }, grains: GRAINS });
    for (const running of [new Map(), ...(functions === NO_SERVICE ? [] : [OTHER])]) {
      if (running === OTHER && /User|refs|locale|sysctl/.test(comment.source)) continue;
      const result = await apply(running as Dict);
      assert.equal(result.get('result'), false, String(result.get('comment')));
      assert.match(String(result.get('comment')), comment);
      assert.equal((result.get('changes') as Dict).size, 0);
    }
    const foretold = await apply(PACKAGE);
    assert.equal(foretold.get('result'), null, String(foretold.get('comment')));
  });

for (const [fun, args] of [
  ['archive.extracted', { name: join(FOLDER, 'out'), source: 'salt://nosuch.tgz' }],
  ['file.cached', { name: 'salt://nosuch' }],
  ['cmd.script', { name: 'salt://nosuch.sh' }],
] as const)
  test(`${fun} - test mode refuses what the file server does not have`, async () => {
    const options = { test: true, functions: NOT_SERVED, running: PACKAGE };
    const result = await callState(fun, dict(args), options);
    assert.equal(result.get('result'), false, String(result.get('comment')));
    assert.match(String(result.get('comment')), /nosuch/);
  });

for (const fun of ['options_absent', 'options_present', 'sections_absent', 'sections_present'])
  test(`ini.${fun} - a folder is no file, in both modes`, async () => {
    const sections = fun.startsWith('options') ? dict({ a: ['b'] }) : ['a'];
    for (const isTest of [true, false]) {
      const args = dict({ name: join(FOLDER, 'dir'), sections });
      const result = await callState(`ini.${fun}`, args, { test: isTest });
      assert.equal(result.get('result'), false);
      assert.match(String(result.get('comment')), /^Unable to open file .*Is a directory/);
    }
  });

test('mayBeMade - what an earlier state of a run in test mode may bring', () => {
  const asked = (running: Dict, path?: string, low: Dict = dict(), isTest = true): boolean =>
    mayBeMade(fakeStateContext({ test: isTest, running, low }), path);
  assert.equal(asked(OTHER, ''), false);
  const file = (fun: string, name: string, changes?: Dict): Dict =>
    before(`file_|-id_|-${name}_|-${fun}`, changes);
  assert.ok(!asked(new Map(), '/srv/x'));
  assert.ok(asked(PACKAGE, '/srv/x') && asked(PACKAGE));
  assert.ok(!asked(PACKAGE, '/srv/x', dict(), false));
  assert.ok(asked(file('managed', '/srv/x'), '/srv/x'));
  assert.ok(asked(file('managed', '/srv/x/deep'), '/srv/x'));
  assert.ok(!asked(file('managed', '/srv/x'), '/srv/x/deep'));
  assert.ok(asked(file('recurse', '/srv/x'), '/srv/x/deep'));
  assert.ok(asked(file('directory', '/srv', dict({ '/srv/x': 'new' })), '/srv/x'));
  assert.ok(!asked(before('cron_|-a_|-a_|-present'), '/srv/x') && !asked(before('cron_|-a_|-a_|-present')));
  const done = new Map([['pkg_|-a_|-a_|-installed', dict({ result: true, changes: {} })]]);
  assert.ok(!asked(done, '/srv/x'));
  // whoever waits for this one runs before it
  assert.ok(asked(new Map(), '/srv/x', dict({ __prereq__: true })));
});
