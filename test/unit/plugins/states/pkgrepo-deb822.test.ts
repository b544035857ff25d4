/**
 * Sources of apt in `.sources` files (deb822): recognised, changed where they stand, written and removed; and lines
 * beside them.
 */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { MachineView } from '../../../support/machine-view.ts';
import { fakeStateContext, runState } from '../../../support/state-context.ts';

const PROGRAMS = ['apt-get', 'dpkg', 'dpkg-query'];
const FOLDER = '/etc/apt/sources.list.d';

/** A machine with apt's files only. */
class AptMachine {
  readonly root: string;
  readonly grains: Dict;

  constructor(t: TestContext, files: Readonly<Record<string, string>>, grains: DictInit = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'brine-apt-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    this.root = join(folder, 'root');
    mkdirSync(join(this.root, 'usr/bin'), { recursive: true });
    for (const name of PROGRAMS)
      writeFileSync(join(this.root, 'usr/bin', name), '#!/bin/sh\n', { mode: 0o755 });
    mkdirSync(join(this.root, FOLDER), { recursive: true });
    writeFileSync(join(this.root, 'etc/debian_version'), '12.1\n');
    for (const [name, text] of Object.entries(files)) writeFileSync(this.#path(name), text);
    this.grains = dict({ os: 'Debian', os_family: 'Debian', oscodename: 'bookworm', ...grains });
  }

  #path(name: string): string {
    return join(this.root, name === 'sources.list' ? '/etc/apt' : FOLDER, name);
  }

  text(name: string): string {
    return readFileSync(this.#path(name), 'utf8');
  }

  get files(): string[] {
    return readdirSync(join(this.root, FOLDER)).sort();
  }

  async #within<T>(doing: () => Promise<T>): Promise<T> {
    const view = new MachineView({
      root: this.root,
      folder: this.root,
      base: [],
      scripts: [],
      environment: { PATH: '/usr/bin' },
    });
    let out: T | undefined;
    await view.within(async () => {
      out = await doing();
    });
    return out as T;
  }

  state(fun: string, args: DictInit, isTest = false): Promise<Dict> {
    const ctx = fakeStateContext({ grains: this.grains, test: isTest });
    return this.#within(() => runState(ctx, fun, dict({ ...args, refresh: false })));
  }

  call(fun: string, args: readonly Value[], kwargs: DictInit = {}): Promise<Value> {
    const ctx = fakeStateContext({
      grains: this.grains,
      functions: { 'cmd.run_all': dict({ retcode: 0, stdout: '', stderr: '' }) },
    });
    return this.#within(() => ctx.functions.call(fun, args, dict(kwargs)));
  }

  /** Applies a state in test mode, for real, again, and in test mode again; what the first two say has to hold. */
  async twice(fun: string, args: DictInit): Promise<void> {
    const before = this.files.map((name) => this.text(name));
    const tested = await this.state(fun, args, true);
    assert.deepEqual(
      this.files.map((name) => this.text(name)),
      before,
    );
    const first = await this.state(fun, args);
    const isChange = (first.get('changes') as Dict).size > 0;
    assert.equal(first.get('result'), true, String(first.get('comment')));
    assert.equal(tested.get('result'), isChange ? null : true, String(tested.get('comment')));
    for (const again of [await this.state(fun, args), await this.state(fun, args, true)]) {
      assert.equal(again.get('result'), true, String(again.get('comment')));
      assert.deepEqual(again.get('changes'), new Map());
    }
  }
}

const DEBIAN = `# The distribution's own
Types: deb deb-src
# a snapshot
URIs: http://deb.example.com/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian.gpg

Types: deb
URIs: http://deb.example.com/security
Suites: bookworm-security
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mDMEYCQjIxYJ
 -----END PGP PUBLIC KEY BLOCK-----
Check-Valid-Until: no
Enabled: yes
`;

const KNOWN = [
  'deb http://deb.example.com/debian bookworm main contrib',
  'deb http://deb.example.com/debian/ bookworm-updates contrib main',
  'deb-src [signed-by=/usr/share/keyrings/debian.gpg] http://deb.example.com/debian bookworm main contrib',
  'deb http://deb.example.com/security bookworm-security main',
  'deb [check-valid-until=false] http://deb.example.com/security bookworm-security main',
];

for (const name of KNOWN)
  test(`pkgrepo - ${name} is recognised in a .sources file`, async (t) => {
    const machine = new AptMachine(t, { 'debian.sources': DEBIAN });
    for (const file of [undefined, `${FOLDER}/other.list`, `${FOLDER}/other.sources`])
      for (const isTest of [true, false]) {
        const result = await machine.state(
          'pkgrepo.managed',
          { name, ...(file === undefined ? {} : { file }) },
          isTest,
        );
        assert.equal(result.get('result'), true, String(result.get('comment')));
        assert.deepEqual(result.get('changes'), new Map());
      }
    assert.deepEqual(machine.files, ['debian.sources']);
    assert.equal(machine.text('debian.sources'), DEBIAN);
  });

test('pkgrepo - pkg.list_repos and pkg.get_repo show the sources of stanzas, disabled ones, too', async (t) => {
  const off = `${DEBIAN}\nTypes: deb\nURIs: http://off.example.com/\nSuites: ./\nArchitectures: amd64 arm64\nEnabled: No\n`;
  const machine = new AptMachine(t, {
    'debian.sources': off,
    'odd.sources': 'Types: deb\nURIs: http://x.example.com\n',
  });
  const repos = (await machine.call('pkg.list_repos', [])) as Dict;
  assert.deepEqual(
    [...repos.keys()],
    ['http://deb.example.com/debian', 'http://deb.example.com/security', 'http://off.example.com/'],
  );
  const debian = repos.get('http://deb.example.com/debian') as Dict[];
  assert.deepEqual(
    debian.map((one) => `${String(one.get('type'))} ${String(one.get('dist'))}`),
    ['deb bookworm', 'deb bookworm-updates', 'deb-src bookworm', 'deb-src bookworm-updates'],
  );
  const found = (await machine.call('pkg.get_repo', ['deb http://off.example.com ./'])) as Dict;
  assert.deepEqual(
    found,
    dict({
      file: `${FOLDER}/debian.sources`,
      comps: [],
      disabled: true,
      dist: './',
      type: 'deb',
      uri: 'http://off.example.com/',
      line: '# deb [arch=amd64,arm64] http://off.example.com/ ./',
      architectures: ['amd64', 'arm64'],
      signedby: '',
      enabled: false,
      types: ['deb'],
      uris: ['http://off.example.com/'],
      suites: ['./'],
    }),
  );
  const key = (await machine.call('pkg.get_repo', [KNOWN[3] ?? ''])) as Dict;
  assert.match(String(key.get('signedby')), /^-----BEGIN PGP PUBLIC KEY BLOCK-----\n\.\nmDME/);
  assert.equal(
    key.get('line'),
    'deb [check-valid-until=no] http://deb.example.com/security bookworm-security main',
  );
});

const KEY = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEYCQjIxYJ\n-----END PGP PUBLIC KEY BLOCK-----\n';
const LINE_OPTIONS =
  'signed-by=/k.gpg arch=amd64,arm64 lang=en,de lang-=fr target+=Contents-deb pdiffs=no by-hash=force trusted=yes ' +
  'allow-insecure=yes check-valid-until=no valid-until-max=86400 check-date=no date-max-future=5 inrelease-path=x/InRelease';

/** A name, further arguments, and the stanza that is written. */
const WRITTEN: readonly [name: string, args: DictInit, stanza: string][] = [
  [
    'deb [signed-by=/k.gpg] http://one.example.com/debian bookworm main contrib',
    {},
    'Types: deb\nURIs: http://one.example.com/debian\nSuites: bookworm\nComponents: main contrib\nSigned-By: /k.gpg\n',
  ],
  [
    'deb [trusted=yes] file:/srv/mirror ./',
    {},
    'Types: deb\nURIs: file:/srv/mirror\nSuites: ./\nTrusted: yes\n',
  ],
  [
    `deb [${LINE_OPTIONS}] http://one.example.com/debian bookworm main`,
    {},
    'Types: deb\nURIs: http://one.example.com/debian\nSuites: bookworm\nComponents: main\nSigned-By: /k.gpg\n' +
      'Architectures: amd64 arm64\nLanguages: en de\nLanguages-Remove: fr\nTargets-Add: Contents-deb\nPDiffs: no\nBy-Hash: force\n' +
      'Trusted: yes\nAllow-Insecure: yes\nCheck-Valid-Until: no\nValid-Until-Max: 86400\nCheck-Date: no\nDate-Max-Future: 5\n' +
      'InRelease-Path: x/InRelease\n',
  ],
  [
    'deb http://one.example.com/debian bookworm main',
    {
      signedby: KEY,
      architectures: 'amd64',
      comps: 'main,contrib',
      comments: ['one', '# two'],
      enabled: false,
    },
    '# one two\nTypes: deb\nURIs: http://one.example.com/debian\nSuites: bookworm\nComponents: main contrib\nArchitectures: amd64\n' +
      'Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mDMEYCQjIxYJ\n -----END PGP PUBLIC KEY BLOCK-----\nEnabled: no\n',
  ],
  [
    'deb-src http://one.example.com/debian bookworm main',
    { trusted: true, dist: 'trixie', comps: ['main', 'contrib'] },
    'Types: deb-src\nURIs: http://one.example.com/debian\nSuites: trixie\nComponents: main contrib\nTrusted: yes\n',
  ],
];

for (const [name, args, stanza] of WRITTEN)
  test(`pkgrepo - ${name} with ${Object.keys(args).join(', ')} becomes a stanza`, async (t) => {
    const file = `${FOLDER}/one.sources`;
    const machine = new AptMachine(t, {});
    await machine.twice('pkgrepo.managed', { name, file, ...args });
    assert.equal(machine.text('one.sources'), stanza);
    const beside = new AptMachine(t, { 'one.sources': `${DEBIAN}\n\n` });
    await beside.twice('pkgrepo.managed', { name, file, ...args });
    assert.equal(beside.text('one.sources'), `${DEBIAN}\n${stanza}`);
    await beside.twice('pkgrepo.absent', {
      name: name.replace('bookworm', String(args['dist'] ?? 'bookworm')),
      ...args,
    });
  });

const SIGNED = 'Signed-By: /usr/share/keyrings/debian.gpg\n';
const HEAD = "# The distribution's own\n";
const stanzaText = (types: string, suites: string, rest: string): string =>
  `Types: ${types}\n# a snapshot\nURIs: http://deb.example.com/debian\nSuites: ${suites}\n${rest}`;
const MAIN = 'Components: main contrib\n';

/** A name, further arguments, and the first stanza of {@link DEBIAN} afterwards. */
const CHANGED: readonly [what: string, name: string, args: DictInit, text: string][] = [
  [
    'components of one of several sources',
    'deb http://deb.example.com/debian bookworm main',
    {},
    `${HEAD}${stanzaText('deb deb-src', 'bookworm-updates', MAIN + SIGNED)}\n` +
      `${stanzaText('deb-src', 'bookworm', MAIN + SIGNED)}\n${stanzaText('deb', 'bookworm', `Components: main\n${SIGNED}`)}`,
  ],
  [
    'a key, for all types of the release',
    'deb [signed-by=/new.gpg] http://deb.example.com/debian bookworm-updates main contrib',
    {},
    `${HEAD}${stanzaText('deb deb-src', 'bookworm', MAIN + SIGNED)}\n` +
      stanzaText('deb deb-src', 'bookworm-updates', `${MAIN}Signed-By: /new.gpg\n`),
  ],
  [
    'switched off',
    'deb-src http://deb.example.com/debian bookworm main contrib',
    { disabled: true },
    `${HEAD}${stanzaText('deb deb-src', 'bookworm-updates', MAIN + SIGNED)}\n` +
      `${stanzaText('deb', 'bookworm', MAIN + SIGNED)}\n${stanzaText('deb-src', 'bookworm', `${MAIN}${SIGNED}Enabled: no\n`)}`,
  ],
  [
    'the comment above',
    'deb http://deb.example.com/debian bookworm main contrib',
    { comments: 'ours' },
    `# ours\n${stanzaText('deb deb-src', 'bookworm bookworm-updates', MAIN + SIGNED)}`,
  ],
];

for (const [what, name, args, text] of CHANGED)
  test(`pkgrepo - ${what}: a stanza changes where it stands, and no more of it than is asked`, async (t) => {
    const machine = new AptMachine(t, { 'debian.sources': DEBIAN });
    await machine.twice('pkgrepo.managed', { name, file: `${FOLDER}/debian.list`, ...args });
    assert.deepEqual(machine.files, ['debian.sources']);
    assert.equal(
      machine.text('debian.sources'),
      text + DEBIAN.slice(DEBIAN.indexOf('\nTypes: deb\nURIs: http://deb.example.com/security')),
    );
  });

test('pkgrepo - a source that is switched off is switched on again, in a stanza and in a line', async (t) => {
  const stanza = 'Types: deb\nURIs: http://one.example.com/d\nSuites: s\nComponents: main\nTrusted: yes\n';
  const machine = new AptMachine(t, {
    'one.sources': `${stanza}Enabled: no\n`,
    'two.list': '# deb [trusted=yes] http://two.example.com/d s main\n',
  });
  for (const host of ['one', 'two'])
    await machine.twice('pkgrepo.managed', { name: `deb [trusted=yes] http://${host}.example.com/d s main` });
  assert.equal(machine.text('one.sources'), stanza);
  assert.equal(machine.text('two.list'), 'deb [trusted=yes] http://two.example.com/d s main\n');
});

test('pkgrepo - a source stays in the format in which it stands', async (t) => {
  const machine = new AptMachine(t, { 'one.list': 'deb [trusted=yes] http://one.example.com/d s main\n' });
  const name = 'deb [trusted=yes] http://one.example.com/d s main contrib';
  await machine.twice('pkgrepo.managed', { name, file: `${FOLDER}/one.sources` });
  assert.deepEqual(machine.files, ['one.list']);
  assert.equal(machine.text('one.list'), `${name}\n`);
});

test('pkgrepo - keywords of a line: each is written, found again, and no second time', async (t) => {
  for (const args of [
    { signedby: '/k.gpg' },
    { trusted: true },
    { dist: 'other', trusted: 'yes' },
    { uri: 'http://new.example.com/d', trusted: true },
    { comps: ['main', 'contrib'], trusted: true },
    { architectures: ['amd64', 'arm64'], trusted: true },
    { disabled: true, trusted: true },
    { enabled: false, trusted: true, comments: 'why' },
  ]) {
    const machine = new AptMachine(t, {});
    await machine.twice('pkgrepo.managed', {
      name: 'deb http://one.example.com/d s main',
      file: `${FOLDER}/one.list`,
      ...args,
    });
    assert.equal(machine.text('one.list').split('\n').length, 2, machine.text('one.list'));
  }
});

test('pkgrepo - a key has no place in a line, and a disc none in a stanza', async (t) => {
  const machine = new AptMachine(t, {});
  for (const isTest of [true, false]) {
    const name = 'deb http://one.example.com/d s main';
    const key = await machine.state(
      'pkgrepo.managed',
      { name, signedby: KEY, file: `${FOLDER}/one.list` },
      isTest,
    );
    assert.equal(key.get('result'), false);
    assert.match(String(key.get('comment')), /signedby is a key, which has no place in the line of a source/);
    const disc = 'deb [trusted=yes] cdrom:[Debian GNU/Linux 12]/ stable main';
    const other = await machine.state(
      'pkgrepo.managed',
      { name: disc, file: `${FOLDER}/one.sources` },
      isTest,
    );
    assert.equal(other.get('result'), false);
    assert.match(String(other.get('comment')), /has blanks/);
  }
  assert.deepEqual(machine.files, []);
});

test('pkgrepo - what is removed from a stanza takes nothing else with it', async (t) => {
  const machine = new AptMachine(t, { 'debian.sources': DEBIAN });
  await machine.twice('pkgrepo.absent', {
    name: 'deb-src http://deb.example.com/debian bookworm main contrib',
  });
  await machine.twice('pkgrepo.absent', {
    name: 'deb http://deb.example.com/debian bookworm-updates contrib',
  });
  const left = (await machine.call('pkg.list_repos', [])) as Dict;
  const lines = [...left.values()].flatMap((sources) =>
    (sources as Dict[]).map((one) => String(one.get('line'))),
  );
  const key = '[signed-by=/usr/share/keyrings/debian.gpg] http://deb.example.com/debian';
  assert.deepEqual(lines.sort(), [
    'deb [check-valid-until=no] http://deb.example.com/security bookworm-security main',
    `deb ${key} bookworm main contrib`,
    `deb ${key} bookworm-updates main`,
    `deb-src ${key} bookworm-updates main contrib`,
  ]);
  for (const line of lines) await machine.twice('pkgrepo.absent', { name: line });
  assert.deepEqual(machine.files, []);
});

test('pkgrepo - consolidate leaves stanzas where they are', async (t) => {
  const machine = new AptMachine(t, {
    'debian.sources': DEBIAN,
    'a.list': 'deb [trusted=yes] http://one.example.com/d s main\n',
  });
  const line = 'deb [trusted=yes] http://one.example.com/d s main';
  await machine.call('pkg.mod_repo', [line], { consolidate: true, refresh: false });
  assert.equal(machine.text('debian.sources'), DEBIAN);
  assert.equal(machine.text('sources.list'), `${line}\n`);
  assert.deepEqual(machine.files, ['debian.sources']);
});

test('pkgrepo - a PPA that apt-add-repository has written as a stanza is there', async (t) => {
  const ppa =
    'Types: deb\nURIs: https://ppa.launchpadcontent.net/owner/name/ubuntu/\nSuites: noble\nComponents: main\nSigned-By:\n -----BEGIN\n';
  const grains = { os: 'Ubuntu', oscodename: 'noble' };
  const machine = new AptMachine(t, { 'owner-ubuntu-name-noble.sources': ppa }, grains);
  await machine.twice('pkgrepo.managed', { name: 'ppa', ppa: 'owner/name' });
  assert.equal(machine.text('owner-ubuntu-name-noble.sources'), ppa);
  await machine.twice('pkgrepo.absent', { name: 'ppa', ppa: 'owner/name' });
  assert.deepEqual(machine.files, []);
});

test('pkgrepo - apt reads what was written', { skip: !existsSync('/usr/bin/apt-get') }, async (t) => {
  const machine = new AptMachine(t, { 'debian.sources': DEBIAN });
  for (const [name, args] of WRITTEN)
    await machine.state('pkgrepo.managed', { name, file: `${FOLDER}/one.sources`, ...args });
  for (const [, name, args] of CHANGED) await machine.state('pkgrepo.managed', { name, ...args });
  const at = (path: string): string => join(machine.root, path);
  mkdirSync(at('lists/partial'), { recursive: true });
  const options = [
    `Dir::Etc::sourcelist=${at('none')}`,
    `Dir::Etc::sourceparts=${at(FOLDER)}`,
    `Dir::State::lists=${at('lists')}`,
  ];
  const words = [...options.flatMap((option) => ['-o', option]), 'update', '--print-uris'];
  const { stdout, stderr } = spawnSync('apt-get', words, { encoding: 'utf8' });
  assert.doesNotMatch(stderr, /^E:/m);
  const releases = stdout.split('\n').flatMap((line) => /^'(\S+)InRelease'/.exec(line)?.[1] ?? []);
  for (const release of [
    'debian/dists/bookworm/',
    'debian/dists/bookworm-updates/',
    'security/dists/bookworm-security/',
  ])
    assert.ok(releases.includes(`http://deb.example.com/${release}`), stdout + stderr);
});
