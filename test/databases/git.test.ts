/** The git backend of the file server, on repositories made here. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { createLogger, silentLogger, type Logger } from '../../src/host/log.ts';
import { systemRandom } from '../../src/host/random.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';
import type { FileServer } from '../../src/storage/fileserver/file-server.ts';
import { Gitfs } from '../../src/storage/fileserver/gitfs.ts';
import { PillarService } from '../../src/runtime/pillar/service.ts';
import { openFileServer } from '../../src/storage/fileserver/open.ts';
import { updateRemotes, type RemotesUpdate } from '../../src/storage/remotes/update-remotes.ts';

const top = mkdtempSync(join(tmpdir(), 'brine-gitfs-'));
after(() => rmSync(top, { recursive: true, force: true }));
const work = join(top, 'work');
const bare = join(top, 'repository.git');
const git = (...words: string[]): string =>
  execFileSync('git', ['-C', work, '-c', 'user.name=n', '-c', 'user.email=n@example.com', ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
function commit(files: Readonly<Record<string, string>>, message: string): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
}
mkdirSync(work);
git('init', '--quiet', '--initial-branch=master');
symlinkSync('deep/x.txt', join(mkdirs(join(work, 'sub')), 'link'));
symlinkSync('/etc/passwd', join(work, 'evil'));
symlinkSync('../../../../../../../etc', join(work, 'evildir'));
const FIRST = commit(
  {
    'top.txt': 'a\nb\n',
    'sub/deep/x.txt': 'x',
    'sub/run.sh': '#!/bin/sh\n',
    '.gitattributes': '*.txt text eol=crlf export-ignore\n',
  },
  'one',
);
git('checkout', '--quiet', '-b', 'develop');
const SECOND = commit({ 'web/dev.sls': 'dev', 'top.txt': 'dev' }, 'two');
git('tag', '--annotate', 'v1.0', '--message', 'a tag');
git('checkout', '--quiet', '-b', 'feature/x');
commit({ 'web/f.sls': 'f' }, 'three');
execFileSync('git', ['clone', '--quiet', '--bare', work, bare], { stdio: 'ignore' });
const push = (): string => git('push', '--quiet', '--force', bare, '--all');

function mkdirs(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

interface Site {
  readonly server: FileServer;
  readonly gitfs: Gitfs;
  update(): Promise<RemotesUpdate>;
  ask(cmd: string, load: Record<string, Value>): Promise<Value>;
  text(path: string, saltenv?: string): Promise<string>;
  files(saltenv?: string): Promise<string[]>;
}

let sites = 0;
function site(remotes: Value, options: Record<string, Value> = {}, log: Logger = silentLogger): Site {
  const cachedir = String(options['cachedir'] ?? join(top, `cache${++sites}`));
  const opts = dict({ cachedir, fileserver_backend: ['gitfs'], gitfs_remotes: remotes, ...options });
  const server = openFileServer({ opts, clock: systemClock, random: systemRandom, log });
  const gitfs = server.backends.find((one) => one instanceof Gitfs) as Gitfs;
  const ask = async (cmd: string, load: Record<string, Value>): Promise<Value> =>
    (await server.commands.get(cmd)?.(dict(load))) ?? null;
  return {
    server,
    gitfs,
    update: () => updateRemotes(gitfs.remotes, { clock: systemClock, log }, { role: 'gitfs' }),
    ask,
    text: async (path, saltenv = 'base') => {
      const answer = (await ask('_serve_file', { path, saltenv, loc: 0 })) as Dict;
      const data = answer.get('data');
      return data instanceof Uint8Array ? Buffer.from(data).toString() : String(data);
    },
    files: (saltenv = 'base') => server.list(saltenv, 'files'),
  };
}

test('gitfs - branches, tags and commits are environments; files are as they were committed', async () => {
  const { server, update, text, files, ask } = site([`file://${bare}`]);
  assert.deepEqual(await update(), { isChanged: true, faults: [] });
  assert.deepEqual(server.environments(), ['base', 'develop', 'feature/x', 'v1.0']);
  assert.deepEqual(await files(), [
    '.gitattributes',
    'evil',
    'evildir',
    'sub/deep/x.txt',
    'sub/link',
    'sub/run.sh',
    'top.txt',
  ]);
  assert.equal(await text('top.txt'), 'a\nb\n', 'whatever its attributes say');
  for (const saltenv of ['develop', 'v1.0', SECOND])
    assert.equal(await text('web/dev.sls', saltenv), 'dev', saltenv);
  assert.equal(await text('web/f.sls', 'feature/x'), 'f');
  assert.equal(await text('top.txt', 'nosuch'), '');
  assert.equal(await text('top.txt', '0'.repeat(40)), '');
  const found = (await ask('_file_find', { path: 'sub/run.sh', saltenv: 'base' })) as Dict;
  assert.equal(found.get('back'), 'gitfs');
  assert.equal(Number((found.get('stat') as Value[])[0]) & 0o777, 0o755);
  assert.deepEqual(await ask('_file_envs', { sources: true }), dict({ gitfs: server.environments() }));
});

test('gitfs - a link leads to files of its repository, and nowhere else', async () => {
  const { update, text, server } = site([`file://${bare}`]);
  await update();
  assert.equal(await text('sub/link'), 'x');
  for (const path of ['evil', 'evildir/passwd', '../../state.json', 'sub/../../../state.json'])
    assert.equal(await text(path), '');
  assert.deepEqual(
    await server.links('base'),
    new Map([
      ['evil', '/etc/passwd'],
      ['evildir', '../../../../../../../etc'],
      ['sub/link', 'deep/x.txt'],
    ]),
  );
});

test('gitfs - root, mountpoint, mapped environments, lists of environments, fallback', async () => {
  const remote = (...own: Value[]): Value => [dict({ [`file://${bare}`]: own })];
  const mapped = site(
    remote(
      dict({ root: 'sub' }),
      dict({ mountpoint: 'salt://mnt/a' }),
      dict({ saltenv: [dict({ prod: [dict({ ref: 'develop' }), dict({ root: 'web' })] })] }),
      dict({ saltenv_blacklist: ['feature/*'] }),
    ),
  );
  await mapped.update();
  assert.deepEqual(mapped.server.environments(), ['base', 'prod', 'v1.0']);
  assert.deepEqual(await mapped.files(), ['mnt/a/deep/x.txt', 'mnt/a/link', 'mnt/a/run.sh']);
  assert.deepEqual(await mapped.server.list('base', 'dirs'), ['mnt/a', 'mnt/a/deep']);
  assert.equal(await mapped.text('mnt/a/dev.sls', 'prod'), 'dev');
  assert.equal(await mapped.text('deep/x.txt'), '');
  const other = site(remote(dict({ base: 'develop' }), dict({ disable_saltenv_mapping: true })), {
    gitfs_saltenv: [dict({ test: [dict({ ref: 'feature/x' })] })],
  });
  await other.update();
  assert.deepEqual(other.server.environments(), ['base', 'test']);
  assert.equal(await other.text('web/f.sls', 'test'), 'f');
  const falling = site(remote(dict({ fallback: 'develop' }), dict({ ref_types: ['branch'] })));
  await falling.update();
  assert.deepEqual(falling.server.environments(), ['base', 'develop', 'feature/x']);
  assert.equal(await falling.text('web/dev.sls', 'nosuch'), 'dev');
  const all = site(remote(dict({ all_saltenvs: 'develop' })));
  await all.update();
  assert.equal(await all.text('top.txt', 'base'), 'dev');
});

test('gitfs - several remotes and backends: the first that has a file gives it', async () => {
  const roots = join(top, 'roots');
  mkdirSync(roots);
  writeFileSync(join(roots, 'top.txt'), 'of roots');
  writeFileSync(join(roots, 'own.txt'), 'own');
  const pushed = join(top, 'both', 'minions', 'web1', 'files', 'etc');
  mkdirSync(pushed, { recursive: true });
  for (const name of ['motd', 'top.sls']) writeFileSync(join(pushed, name), 'pushed');
  symlinkSync('/etc/passwd', join(pushed, 'passwd'));
  const options: Record<string, Value> = {
    cachedir: join(top, 'both'),
    file_roots: dict({ base: [roots] }),
    minionfs_mountpoint: 'salt://up',
  };
  const first = site([`file://${bare}`], { ...options, fileserver_backend: ['git', 'roots', 'minion'] });
  await first.update();
  assert.equal(await first.text('top.txt'), 'a\nb\n');
  assert.equal(await first.text('own.txt'), 'own');
  assert.equal(await first.text('up/web1/etc/motd'), 'pushed');
  for (const path of ['up/web1/etc/top.sls', 'up/web1/etc/passwd', 'up/../web1/etc/motd'])
    assert.equal(await first.text(path), '', path);
  assert.deepEqual(
    (await first.files()).filter((path) => !/^(?:sub|evil|\.)/.test(path)),
    ['own.txt', 'top.txt', 'up/web1/etc/motd'],
  );
  const last = site([`file://${bare}`], { ...options, fileserver_backend: ['roots', 'git'] });
  assert.equal(await last.text('top.txt'), 'of roots');
});

test('gitfs - what is pushed is served after the next fetch; a fetch that fails leaves what is there, and says since when', async () => {
  const lines: string[] = [];
  const log = createLogger('t', [
    { level: 0, write: ({ message, level }) => lines.push(`${level} ${message}`) },
  ]);
  const { update, text, gitfs } = site([`file://${bare}`], {}, log);
  await update();
  git('checkout', '--quiet', 'develop');
  commit({ 'web/dev.sls': 'newer' }, 'more');
  push();
  assert.equal(await text('web/dev.sls', 'develop'), 'dev');
  assert.equal((await update()).isChanged, true);
  // folders are looked up once for requests that come within 50 ms
  const untilMs = systemClock.monotonicMs() + 5_000;
  while ((await text('web/dev.sls', 'develop')) === 'dev') assert.ok(systemClock.monotonicMs() < untilMs);
  assert.equal(await text('web/dev.sls', 'develop'), 'newer');
  assert.equal((await update()).isChanged, false);
  renameSync(bare, `${bare}.away`);
  const { faults } = await update();
  assert.match(
    faults[0] ?? '',
    /^The remote file:\/\/.* of gitfs could not be fetched: fatal: .* Its files of 20\d\d-.*Z are served\.$/,
  );
  await update();
  assert.equal(lines.filter((line) => line.startsWith('error')).length, 1, lines.join());
  assert.equal(await text('web/dev.sls', 'develop'), 'newer');
  renameSync(`${bare}.away`, bare);
  assert.deepEqual(await update(), { isChanged: false, faults: [] });
  const repository = gitfs.remotes[0]?.repository;
  assert.equal(repository?.lock(), true);
  assert.match((await update()).faults[0] ?? '', /locked/);
  assert.equal(repository?.unlock(), true);
});

test('gitfs - what a crash leaves behind keeps nobody from fetching', async () => {
  const { update, gitfs, text } = site([`file://${bare}`]);
  await update();
  const folder = gitfs.remotes[0]?.repository.folder ?? '';
  const stale = ['packed-refs.lock', 'config.lock', 'refs/remotes/origin/develop.lock'];
  for (const name of stale) {
    mkdirs(dirname(join(folder, 'repository.git', name)));
    writeFileSync(join(folder, 'repository.git', name), '');
  }
  writeFileSync(join(folder, 'fetching'), '4194305 1');
  git('checkout', '--quiet', 'develop');
  commit({ 'web/dev.sls': 'after the crash' }, 'again');
  push();
  assert.deepEqual(await update(), { isChanged: true, faults: [] });
  assert.equal(await text('web/dev.sls', 'develop'), 'after the crash');
  const trees = join(folder, 'trees');
  const draft = join(trees, `${FIRST}.1.ab`);
  cpSync(join(trees, readdirSync(trees)[0] ?? ''), draft, { recursive: true });
  execFileSync('touch', ['-d', '2020-01-01', draft]);
  await update();
  assert.equal(existsSync(draft), false, 'a draft that nobody finishes goes');
});

test('gitfs - a password is sent to the remote, and stands nowhere else', async (t) => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const remotes = [`http://ann:canary-7@127.0.0.1:${port}/x.git`];
  assert.throws(() => site(remotes), /would send its password in clear text/);
  const { update, gitfs } = site(remotes, { gitfs_insecure_auth: true });
  const { faults } = await update();
  assert.ok(seen.includes(`Basic ${Buffer.from('ann:canary-7').toString('base64')}`), 'it was sent');
  assert.equal(faults.length, 1);
  for (const text of [
    faults[0],
    gitfs.remotes[0]?.id,
    execFileSync('grep', ['-r', '--text', '-c', '', gitfs.remotes[0]?.repository.folder ?? '.']).toString(),
  ])
    assert.doesNotMatch(text ?? '', /canary/);
  const left = execFileSync('sh', [
    '-c',
    `grep -r --text canary-7 "$1" || true`,
    'sh',
    gitfs.remotes[0]?.repository.folder ?? '.',
  ]);
  assert.equal(left.toString(), '', 'nor in the copy');
});

test('gitfs - what the configuration says wrongly stops, each with a sentence', () => {
  for (const [remotes, said] of [
    [[dict({ 'file:///x': [dict({ roott: 'a' })] })], /has no parameter 'roott'. Did you mean 'root'/],
    [[dict({ 'file:///x': null })], /remove the colon/],
    [[5], /is no address/],
    [['--upload-pack=x'], /git would not take as one/],
    [[dict({ 'file:///x': [dict({ ref_types: ['brunch'] })] })], /ref_types that do not exist: brunch/],
  ] as const)
    assert.throws(() => site(remotes as unknown as Value), said);
});

// ---- pillar ----

const pillarWork = join(top, 'pillar');
const pillarBare = join(top, 'pillar.git');
const inPillar = (...words: string[]): void =>
  void execFileSync(
    'git',
    ['-C', pillarWork, '-c', 'user.name=n', '-c', 'user.email=n@example.com', ...words],
    {
      stdio: 'ignore',
    },
  );
function pillarCommit(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(pillarWork, name)), { recursive: true });
    writeFileSync(join(pillarWork, name), text);
  }
  inPillar('add', '--all');
  inPillar('commit', '--quiet', '--message', 'x');
}
mkdirSync(pillarWork);
inPillar('init', '--quiet', '--initial-branch=master');
pillarCommit({
  'top.sls': "base:\n  '*': [a, sub.mnt.y]\ndev:\n  '*': [a]\n",
  'a.sls': 'a: master\n',
  'q/y.sls': 'y: mounted\n',
  'q/top.sls': "base:\n  '*': [y]\n",
});
inPillar('checkout', '--quiet', '-b', 'dev');
pillarCommit({ 'a.sls': 'a: dev\n' });
execFileSync('git', ['clone', '--quiet', '--bare', pillarWork, pillarBare], { stdio: 'ignore' });

async function pillarOf(
  remotes: Value[],
  options: Record<string, Value> = {},
  ext?: Value,
): Promise<Record<string, unknown>> {
  const opts = dict({
    cachedir: join(top, `pillar${++sites}`),
    ext_pillar: [dict({ git: remotes })],
    pillar_roots: dict({}),
    ...options,
  });
  const service = new PillarService({
    opts,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    functions: () => ({ has: () => false, call: () => null }),
  });
  const { pillarenv = null } = options;
  const pillar = await service.pillar({
    minionId: 'm',
    grains: new Map(),
    saltenv: null,
    pillarenv: pillarenv as string | null,
    override: new Map(),
    ...(ext === undefined ? {} : { ext }),
  });
  return Object.fromEntries([...pillar].map(([key, value]) => [String(key as string), value]));
}

// the answers are those of Salt 3006.16, but for errors of several remotes, of which Salt keeps the last
test('git pillar - branches, environments, fallback, one branch for all', async () => {
  const one = (branch: string, ...own: Value[]): Value[] => {
    const id = `${branch} file://${pillarBare}`;
    return [own.length === 0 ? id : dict({ [id]: own })];
  };
  assert.deepEqual(await pillarOf(one('dev')), { a: 'dev' });
  assert.deepEqual(await pillarOf([`file://${pillarBare}`], { git_pillar_branch: 'dev' }), { a: 'dev' });
  assert.deepEqual(await pillarOf(one('__env__'), { pillarenv: 'dev' }), { a: 'dev' });
  assert.deepEqual(await pillarOf(one('__env__'), { pillarenv: 'nosuch' }), {});
  assert.equal((await pillarOf(one('master', dict({ root: 'q' }))))['y'], 'mounted');
  assert.equal((await pillarOf(one('__env__', dict({ base: 'dev' }))))['a'], 'dev');
  assert.equal((await pillarOf(one('dev', dict({ env: 'base' }))))['a'], 'dev');
});

test('git pillar - a remote may be mounted into another, and remotes include from each other', async () => {
  const mounted = await pillarOf([
    `master file://${pillarBare}`,
    dict({ [`master file://${pillarBare}`]: [dict({ root: 'q' }), dict({ mountpoint: 'sub/mnt' })] }),
  ]);
  assert.equal(mounted['y'], 'mounted');
});

test('CVE-2025-22237 - an address of git that a minion names runs nothing, where git may be asked for on demand', async () => {
  const onDemand = (id: string, ...own: Value[]): Promise<Record<string, unknown>> =>
    pillarOf(
      [`dev file://${pillarBare}`],
      { on_demand_ext_pillar: ['git'] },
      dict({ git: [own.length === 0 ? id : dict({ [id]: own })] }),
    );
  assert.equal((await onDemand(`master file://${pillarBare}`))['a'], 'master');
  const trace = join(top, 'trace');
  for (const id of [
    `master ext::sh -c touch% ${trace}`,
    `master ext::touch ${trace}`,
    `ext::touch% ${trace}`,
    `master --upload-pack=touch ${trace}`,
    `master -u touch ${trace};`,
    `--upload-pack=touch% ${trace} file://${pillarBare}`,
    `master ssh://-oProxyCommand=touch ${trace}/x`,
    `master -oProxyCommand=touch ${trace}:x`,
    `master file://${pillarBare}\next::touch% ${trace}`,
    `$(touch ${trace}) file://${pillarBare}`,
    `master file://${top}/;touch ${trace}`,
    `master fd::0 touch ${trace}`,
  ]) {
    const pillar = await onDemand(id);
    assert.ok(pillar['_errors'] !== undefined || pillar['a'] === 'dev', `${id}: ${JSON.stringify(pillar)}`);
    assert.ok(!existsSync(trace), id);
  }
  const parameters: Value[] = [
    dict({ root: '../../..' }),
    dict({ privkey: `x' -oProxyCommand='touch ${trace}` }),
    dict({ user: `x\n[core]\nsshCommand = touch ${trace}`, password: 'y' }),
    dict({ refspecs: [`--upload-pack=touch ${trace}`] }),
  ];
  for (const own of parameters) {
    await onDemand(`master file://${pillarBare}`, own);
    await onDemand('master ssh://git@127.0.0.1:1/x', own);
    assert.ok(!existsSync(trace), JSON.stringify([...(own as Dict)]));
  }
});

test('git pillar - what cannot be had fails the pillar, and says which remote and why', async () => {
  const faults = async (remotes: Value[]): Promise<string> => String((await pillarOf(remotes))['_errors']);
  assert.match(
    await faults([`nosuch file://${pillarBare}`]),
    /git_pillar has no branch, tag or commit nosuch/,
  );
  assert.match(
    await faults([`master file://${top}/nosuch.git`]),
    /has never been fetched: fatal: .*nosuch.git/,
  );
  assert.match(
    await faults([dict({ [`master file://${pillarBare}`]: [dict({ root: 'nosuch' })] })]),
    /has no folder nosuch/,
  );
  assert.match(
    await faults([dict({ [`master file://${pillarBare}`]: [dict({ base: 'x' })] })]),
    /has a base, which means something only/,
  );
});

test('gitfs - the history comes when a commit of it is named, once, and a name that nobody knows costs no second fetch', async () => {
  const { update, text, gitfs } = site([`file://${bare}`]);
  await update();
  const repository = join(gitfs.remotes[0]?.repository.folder ?? '', 'repository.git');
  assert.ok(existsSync(join(repository, 'shallow')), 'branches and tags without what was before them');
  assert.equal(await text('top.txt', 'f'.repeat(40)), '');
  assert.ok(!existsSync(join(repository, 'shallow')));
  git('checkout', '--quiet', 'develop');
  const before = git('rev-parse', 'HEAD');
  commit({ 'top.txt': 'newer' }, 'newer');
  push();
  const other = site([`file://${bare}`]);
  await other.update();
  assert.equal(await other.text('top.txt', before), 'dev');
  renameSync(bare, `${bare}.away`);
  try {
    const alone = site([`file://${bare}`]);
    await alone.update();
    assert.equal(await alone.text('top.txt', before), '', 'there is nothing to complete');
    assert.equal(await other.text('top.txt', FIRST), 'a\nb\n', 'what was fetched stays');
  } finally {
    renameSync(`${bare}.away`, bare);
  }
});
