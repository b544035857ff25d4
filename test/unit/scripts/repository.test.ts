import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  fieldOf,
  filesOfRelease,
  indexesOf,
  poolPathOf,
  releaseOf,
  sourcesOf,
  stanzaOf,
  stanzasOf,
} from '../../../scripts/repository/apt-texts.mjs';
import { checkKeys } from '../../../scripts/repository/key-changes.mjs';
import { openKeys } from '../../../scripts/repository/keys.mjs';
import {
  indexesOfRepomd,
  packagesOfPrimary,
  repoOf,
  signerOf,
} from '../../../scripts/repository/rpm-texts.mjs';

const SHA256 = 'ab'.repeat(32);
const control = (name: string, version: string, arch: string) =>
  `Package: ${name}\nVersion: ${version}\nArchitecture: ${arch}\nDescription: short\n long\n .\n end\n`;
const stanza = (name: string, version: string, arch: string) => {
  const text = control(name, version, arch);
  return stanzaOf(text, { path: poolPathOf(text, 'file'), size: 5, sha256: SHA256 });
};

test('repository - an index has each version of each package, those of all architectures everywhere, in one order', () => {
  const stanzas = [
    stanza('bb', '1.0', 'amd64'),
    stanza('bb', '1:2.0', 'amd64'),
    stanza('aa', '1', 'all'),
    stanza('bb', '1.0', 'arm64'),
  ];
  const indexes = new Map(indexesOf(stanzas));
  assert.deepEqual(indexesOf(stanzas.toReversed()), [...indexes]);
  assert.deepEqual([...indexes.keys()], ['amd64', 'arm64']);
  const named = (arch: string) =>
    stanzasOf(indexes.get(arch) ?? '').map((each) => fieldOf(each, 'Filename').split('/').at(-1));
  assert.deepEqual(named('amd64'), ['aa_1_all.deb', 'bb_1.0_amd64.deb', 'bb_2.0_amd64.deb']);
  assert.deepEqual(named('arm64'), ['aa_1_all.deb', 'bb_1.0_arm64.deb']);
  assert.ok(stanzasOf(indexes.get('amd64') ?? '').every((each) => stanzas.includes(each)));
  assert.deepEqual(indexesOf([]), [
    ['amd64', ''],
    ['arm64', ''],
  ]);
});

test('repository - a name, a version or an architecture that is none does not become a path', () => {
  assert.equal(
    poolPathOf(control('brine-cli', '1:0.1.0~rc1+x', 'all'), 'file'),
    'pool/main/b/brine/brine-cli_0.1.0~rc1+x_all.deb',
  );
  for (const [text, reason] of [
    [control('../x', '1', 'all'), 'x.deb cannot be published: "../x" is no name of a package.'],
    [control('xy', '1/../..', 'all'), 'x.deb cannot be published: "1/../.." is no version of a package.'],
    ['Package: xy\n', 'x.deb cannot be published: "" is no version of a package.'],
    [
      control('xy', '1', 'i386'),
      'x.deb cannot be published: it is for "i386"; the repository is for amd64 and arm64.',
    ],
  ] as const)
    assert.throws(() => poolPathOf(text, 'x.deb'), { message: reason });
});

test('repository - a release says how long it may be believed, and the sums of its files', () => {
  const files = [
    { path: 'main/binary-arm64/Packages', size: 0, sha256: SHA256 },
    { path: 'main/binary-amd64/Packages', size: 1234, sha256: 'cd'.repeat(32) },
  ];
  const text = releaseOf({ suite: 'stable', timeS: 1_000_000_000, validDays: 2, files });
  assert.equal(fieldOf(text, 'Date'), 'Sun, 09 Sep 2001 01:46:40 +0000');
  assert.equal(fieldOf(text, 'Valid-Until'), 'Tue, 11 Sep 2001 01:46:40 +0000');
  assert.equal(fieldOf(text, 'Acquire-By-Hash'), 'yes');
  assert.deepEqual(filesOfRelease(text), files.toReversed());
});

test('repository - the source file of a machine names the keyring alone that it believes', () => {
  const text = sourcesOf({ url: 'https://host/brine', suite: 'stable', keyring: '/keys.gpg' });
  assert.equal(fieldOf(text, 'URIs'), 'https://host/brine');
  assert.equal(fieldOf(text, 'Signed-By'), '/keys.gpg');
});

test('repository - keys change with an overlap, and each wrong step is told the right one', () => {
  for (const [current, given, change] of [
    [[], ['A'], undefined],
    [['A'], ['A'], undefined],
    [['A'], ['A', 'B'], 'begin'],
    [['A', 'B'], ['B', 'A'], undefined],
    [['A', 'B'], ['B'], 'end'],
  ] as const)
    checkKeys(current, given, change);
  for (const [current, given, change, reason] of [
    [['A'], ['B'], undefined, /is signed with A, which machines know, and not with B.*--begin-rotation/],
    [['A'], ['A', 'B'], undefined, /--begin-rotation/],
    [['A', 'B'], ['A'], undefined, /name --key for B too, or end the rotation with --end-rotation/],
    [['A'], ['B'], 'begin', /begins with the key that goes as well: --key for A/],
    [['A'], ['A'], 'begin', /name it with a further --key, or --new-key/],
    [['A'], ['B'], 'end', /B is not among the keys of the repository/],
    [['A', 'B'], ['A', 'B'], 'end', /Each key of the repository was named/],
    [[], ['A'], 'begin', /not there yet/],
  ] as const)
    assert.throws(() => checkKeys(current, given, change), reason);
});

test('repository - a private key that lies in the checkout, or that others can read, is refused', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-keys-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'checkout'));
  const inside = join(folder, 'checkout/key');
  writeFileSync(inside, '', { mode: 0o600 });
  const open = (files: readonly string[], made?: string) =>
    openKeys({ files, ...(made === undefined ? {} : { made }), outside: [join(folder, 'checkout')] });
  const lies = /lies in .*checkout, from where a private key is copied along/;
  assert.throws(() => open([inside]), lies);
  assert.throws(() => open([], join(folder, 'checkout/new')), lies);
  const key = join(folder, 'key');
  assert.throws(() => open([key]), /key is not there/);
  writeFileSync(key, '', { mode: 0o600 });
  assert.throws(() => open([], key), /key is there already: name it with --key/);
  chmodSync(key, 0o640);
  assert.throws(() => open([key]), /can be read by others \(mode 640\): chmod 600/);
  assert.throws(() => open([], join(folder, 'none/key')), /there is no folder/);
});

test('repository - the source file of RPM believes signed packages and signed indexes, by keys of the machine', () => {
  const lines = repoOf({ url: 'file:/srv/brine', keys: '/etc/keys' }).split('\n');
  for (const line of [
    'baseurl=file:///srv/brine/rpm',
    'gpgcheck=1',
    'repo_gpgcheck=1',
    'gpgkey=file:///etc/keys',
  ])
    assert.ok(lines.includes(line), line);
  assert.match(repoOf({ url: 'https://host/x', keys: '/k' }), /^baseurl=https:\/\/host\/x\/rpm$/m);
});

test('repository - indexes of createrepo_c are read: their files, and the packages with their sums', () => {
  const repomd = `<repomd><data type="primary">\n<checksum type="sha256">${SHA256}</checksum>
    <open-checksum type="sha256">${'0'.repeat(64)}</open-checksum><location href="repodata/p.xml.gz"/></data>
    <data type="other"><checksum type="sha256">${SHA256}</checksum><location href="repodata/o.xml.gz"/></data></repomd>`;
  assert.deepEqual(indexesOfRepomd(repomd), [
    { kind: 'primary', path: 'repodata/p.xml.gz', sha256: SHA256 },
    { kind: 'other', path: 'repodata/o.xml.gz', sha256: SHA256 },
  ]);
  const primary = `<metadata packages="1"><package type="rpm"><name>x</name>
    <checksum type="sha256" pkgid="YES">${SHA256}</checksum>\n<location href="packages/x-1-1.noarch.rpm"/></package></metadata>`;
  assert.deepEqual(packagesOfPrimary(primary), [{ path: 'packages/x-1-1.noarch.rpm', sha256: SHA256 }]);
});

test('repository - while a key is changed, RPM packages are signed with the one that all machines know', () => {
  assert.equal(signerOf(['BB'], ['11AA', '22BB']), '22BB');
  assert.equal(signerOf([], ['11AA', '22BB']), '11AA');
  assert.equal(signerOf(['CC'], ['11AA']), '11AA');
});
