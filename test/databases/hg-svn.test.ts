/** The backends hg and svn of the file server, on repositories made here. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { silentLogger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';
import { isFetched } from '../../src/storage/fileserver/fetched.ts';
import type { FileServer } from '../../src/storage/fileserver/file-server.ts';
import { openFileServer } from '../../src/storage/fileserver/open.ts';
import { updateRemotes, type RemotesUpdate } from '../../src/storage/remotes/update-remotes.ts';

const top = mkdtempSync(join(tmpdir(), 'brine-hg-svn-'));
after(() => rmSync(top, { recursive: true, force: true }));

const run = (program: string, cwd: string, words: readonly string[]): string =>
  execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const hgSource = join(top, 'hg source');
mkdirSync(hgSource);
const hg = (...words: string[]): string =>
  run('hg', hgSource, ['--config', 'ui.username=n', '--noninteractive', ...words]);
function commitHg(files: Readonly<Record<string, string>>): void {
  write(hgSource, files);
  hg('commit', '--quiet', '--addremove', '--message', 'm');
}
hg('init');
symlinkSync('/etc/passwd', join(hgSource, 'evil'));
commitHg({ 'top.txt': 'a\n', 'sub/deep/x': 'x' });
hg('tag', 'v1');
hg('branch', '--quiet', 'dev');
commitHg({ 'top.txt': 'dev' });
hg('bookmark', 'mark');
hg('update', '--quiet', 'default');

const svnRepository = join(top, 'svn@home');
const svnSource = join(top, 'svn-source');
run('svnadmin', top, ['create', svnRepository]);
const SVN_ADDRESS = `file://${svnRepository}`;
run('svn', top, ['checkout', '--quiet', `${SVN_ADDRESS}@`, svnSource]);
function commitSvn(files: Readonly<Record<string, string>>): void {
  write(svnSource, files);
  run('svn', svnSource, ['add', '--quiet', '--force', '.']);
  run('svn', svnSource, ['commit', '--quiet', '--message', 'm']);
}
commitSvn({
  'trunk/top.txt': 'trunk',
  'trunk/web/w.sls': 'w',
  'branches/dev/top.txt': 'dev',
  'branches/readme': 'none',
  'tags/v2/top.txt': 'v2',
});

interface Site {
  readonly server: FileServer;
  update(): Promise<RemotesUpdate>;
  text(path: string, saltenv?: string): Promise<string>;
}

/** One copy for several sites. */
const cachedir = join(top, 'cache');
let sites = 0;
function site(options: Record<string, Value>): Site {
  const opts = dict({ cachedir: join(top, `cache${++sites}`), ...options });
  const deps = { clock: systemClock, log: silentLogger };
  const server = openFileServer({ opts, random: systemRandom, ...deps });
  return {
    server,
    update: () =>
      updateRemotes(
        server.backends.filter(isFetched).flatMap(({ remotes }) => remotes),
        deps,
        { role: 'test' },
      ),
    text: async (path, saltenv = 'base') => {
      const answer = (await server.commands.get('_serve_file')?.(dict({ path, saltenv, loc: 0 }))) as Dict;
      const data = answer.get('data');
      return data instanceof Uint8Array ? Buffer.from(data).toString() : String(data);
    },
  };
}

const hgSite = (remotes: Value, options: Record<string, Value> = {}): Site =>
  site({ fileserver_backend: ['hgfs'], hgfs_remotes: remotes, ...options });
const svnSite = (remotes: Value, options: Record<string, Value> = {}): Site =>
  site({ fileserver_backend: ['svn'], svnfs_remotes: remotes, ...options });

test('hgfs - branches and tags are environments; with other methods bookmarks, too', async () => {
  const { server, update, text } = hgSite([hgSource], { cachedir });
  assert.deepEqual(await update(), { isChanged: true, faults: [] });
  assert.deepEqual(server.environments(), ['base', 'dev', 'v1']);
  assert.deepEqual(await server.list('base', 'files'), ['.hgtags', 'evil', 'sub/deep/x', 'top.txt']);
  assert.deepEqual([await text('top.txt'), await text('top.txt', 'dev')], ['a\n', 'dev']);
  assert.equal(await text('top.txt', 'default'), '', 'its name is base');
  assert.equal(await text('evil'), '', 'a link that leads away');
  assert.deepEqual(await update(), { isChanged: false, faults: [] });
  // the same copy, seen otherwise
  const own = [dict({ branch_method: 'mixed' }), dict({ base: 'dev' }), dict({ root: 'sub' })];
  const options = { cachedir, hgfs_mountpoint: 'salt://a/b', hgfs_saltenv_blacklist: ['v*'] };
  const mixed = hgSite([dict({ [hgSource]: own })], options);
  assert.deepEqual(mixed.server.environments(), ['base', 'default', 'mark']);
  assert.deepEqual(await mixed.server.list('mark', 'files'), ['a/b/deep/x']);
  const marks = hgSite([hgSource], { cachedir, hgfs_branch_method: 'bookmarks' });
  assert.deepEqual(marks.server.environments(), ['mark', 'v1']);
});

test('hgfs - what cannot be fetched is served as it was, and passwords are told to nobody', async () => {
  const moved = `${hgSource}.moved`;
  const { update, text } = hgSite([hgSource], { cachedir });
  await update();
  renameSync(hgSource, moved);
  try {
    const { faults } = await update();
    assert.match(
      faults.join(),
      /could not be fetched: repository .* not found.* Its files of \d{4}-.*Z are served\.$/,
    );
    assert.equal(await text('top.txt'), 'a\n');
  } finally {
    renameSync(moved, hgSource);
  }
  const secret = hgSite(['http://user:pa%ss@127.0.0.1:9/x']);
  const { faults } = await secret.update();
  assert.match(faults.join(), /http:\/\/<redacted>@127\.0\.0\.1:9\/x of .* could not be fetched: .*refused/i);
  assert.doesNotMatch(faults.join(), /pa%ss/);
});

test('hgfs and svnfs - options that cannot be meant stop the program', () => {
  const refused: readonly [Value, Record<string, Value>, RegExp][] = [
    [[dict({ [hgSource]: [dict({ branch_methd: 'mixed' })] })], {}, /Did you mean 'branch_method'/],
    [[hgSource], { hgfs_branch_method: 'all' }, /branch_method 'all', which does not exist/],
    [[dict({ [hgSource]: null })], {}, /remove the colon/],
    [['--config=alias.pull=!touch x'], {}, /address that hg would not take/],
    [[dict({ [hgSource]: [dict({ user: 'x' })] })], {}, /no parameter 'user'/],
  ];
  for (const [remotes, options, why] of refused) assert.throws(() => hgSite(remotes, options), why);
  assert.throws(() => svnSite([dict({ [SVN_ADDRESS]: [dict({ trunk: '../x' })] })]), /must be a folder/);
  assert.throws(() => svnSite(['-r1']), /address that svn would not take/);
});

test('svnfs - trunk, branches and tags are environments, and follow what is committed', async () => {
  const { server, update, text } = svnSite([SVN_ADDRESS]);
  assert.deepEqual(await update(), { isChanged: true, faults: [] });
  assert.deepEqual(server.environments(), ['base', 'dev', 'v2']);
  assert.deepEqual(await server.list('base', 'files'), ['top.txt', 'web/w.sls']);
  assert.deepEqual([await text('top.txt', 'dev'), await text('top.txt', 'v2')], ['dev', 'v2']);
  commitSvn({ 'trunk/new.txt': 'new', 'trunk/top.txt': 'changed' });
  assert.equal((await update()).isChanged, true);
  assert.deepEqual(await server.list('base', 'files'), ['new.txt', 'top.txt', 'web/w.sls'], 'at once');
  assert.equal(await text('top.txt'), 'changed');
  const other = svnSite(
    [dict({ [SVN_ADDRESS]: [{ trunk: '.' }, { branches: 'tags' }, { tags: '' }].map((one) => dict(one)) })],
    {
      svnfs_mountpoint: 'm',
      svnfs_root: '',
      svnfs_saltenv_whitelist: ['base', 'v*'],
    },
  );
  await other.update();
  assert.deepEqual(other.server.environments(), ['base', 'v2']);
  const files = await other.server.list('base', 'files');
  assert.ok(files.includes('m/trunk/top.txt'));
  assert.deepEqual(
    files.filter((name) => name.includes('.svn')),
    [],
    "svn's own folder is not served",
  );
  assert.equal(await other.text('m/.svn/wc.db'), '');
});

test('svnfs - a fault is told with the time of what is served', async () => {
  const { update, text } = svnSite([SVN_ADDRESS]);
  await update();
  renameSync(svnRepository, `${svnRepository}.moved`);
  try {
    const { faults } = await update();
    assert.match(
      faults.join(),
      /could not be fetched: E\d+: Unable to connect .* Its files of .*Z are served\.$/,
    );
    assert.notEqual(await text('top.txt'), '');
  } finally {
    renameSync(`${svnRepository}.moved`, svnRepository);
  }
  assert.deepEqual((await update()).faults, []);
});

test('hgfs, svnfs and roots - backends are mixed in their order', async () => {
  const roots = join(top, 'roots');
  write(roots, { 'top.txt': 'roots', 'own.txt': 'own' });
  const mixed = site({
    cachedir,
    fileserver_backend: ['svn', 'hg', 'roots'],
    hgfs_remotes: [hgSource],
    svnfs_remotes: [SVN_ADDRESS],
    file_roots: dict({ base: [roots] }),
  });
  assert.deepEqual((await mixed.update()).faults, []);
  assert.deepEqual(
    [await mixed.text('web/w.sls'), await mixed.text('sub/deep/x'), await mixed.text('own.txt')],
    ['w', 'x', 'own'],
  );
  assert.deepEqual(mixed.server.environments(), ['base', 'dev', 'v1', 'v2']);
});
