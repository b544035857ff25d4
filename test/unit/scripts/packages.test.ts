import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { maintainerScripts } from '../../../scripts/package/deb-scripts.mjs';
import { checkNative } from '../../../scripts/package/native.mjs';
import { loadedLibraries } from '../../../scripts/package/libraries.mjs';
import { packagesOf } from '../../../scripts/package/packages.mjs';
import { scriptlets } from '../../../scripts/package/rpm-scripts.mjs';
import { specOf } from '../../../scripts/package/rpm-spec.mjs';
import { billOfMaterials } from '../../../scripts/package/sbom.mjs';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const PACKAGES = packagesOf({ arch: 'amd64', version: '1.2.3', folder: join(ROOT, 'dist') });

test('packages - each program of bin is in one package, and each file once', () => {
  const files = PACKAGES.flatMap((each) => each.files.map(({ to }) => to));
  assert.deepEqual(
    files.filter((to, at) => files.indexOf(to) !== at),
    [],
  );
  const programs = files
    .filter((to) => to.startsWith('/usr/bin/'))
    .map((to) => to.slice('/usr/bin/'.length))
    .sort();
  const daemons = ['salt-api', 'salt-master', 'salt-minion', 'salt-syndic'];
  const commands = ['brine', 'brine-sls', 'salt', 'salt-call', 'salt-cp', 'salt-key', 'salt-run', 'sls'];
  assert.deepEqual(programs, [...commands, ...daemons].sort());
  for (const name of programs) assert.ok(existsSync(join(ROOT, 'bin', name)), name);
});

test('packages - what one names is there: units, configuration files, packages that it needs', () => {
  const names = new Set(PACKAGES.map(({ name }) => name));
  for (const each of PACKAGES) {
    const files = new Set(each.files.map(({ to }) => to));
    for (const path of each.conffiles ?? []) assert.ok(files.has(path), `${each.name}: ${path}`);
    for (const name of each.needsOwn ?? []) assert.ok(names.has(`brine-${name}`), `${each.name}: ${name}`);
    if (each.unit !== undefined) assert.ok(files.has(`/usr/lib/systemd/system/${each.unit}`), each.unit);
  }
});

test('packages - what programs share stands beside Salt, and the others take its place', () => {
  const common = PACKAGES.find(({ name }) => name === 'brine-common');
  assert.deepEqual(common?.conflicts ?? [], []);
  const places = /^\/usr\/(?:lib|libexec|bin|share\/man\/man1)\/brine(?:[/.]|$)/;
  for (const { to } of common?.files ?? []) assert.match(to, places);
  for (const { name, conflicts } of PACKAGES)
    if (name !== 'brine-common') assert.ok(conflicts?.includes('salt-common'), name);
  const starters = common?.files.filter(({ to }) => to.startsWith('/usr/libexec/brine/')) ?? [];
  const text = starters.find(({ to }) => to.endsWith('/salt-minion'))?.text ?? '';
  assert.match(
    text,
    /^b=\/usr\/lib\/brine\/current; \[ -e \$b\/bin\/launch\.cjs \] \|\| b=\/usr\/lib\/brine\/1\.2\.3$/m,
  );
  assert.match(text, /exec \$b\/node\/bin\/node \$b\/bin\/salt-minion "\$@"$/m);
});

test('packages - the scripts of packages are those of a shell', () => {
  for (const each of PACKAGES)
    for (const [name, text] of [...maintainerScripts(each), ...scriptlets(each)]) {
      const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' });
      assert.equal(status, 0, `${each.name} ${name}: ${stderr}`);
    }
});

test('packages - the description of RPM packages lists each file of each once, with its mode and as configuration', () => {
  const settings = { tree: '/tree', maintainer: 'Me <me@host>', timeS: 1_000_000_000 };
  const text = specOf(PACKAGES, settings);
  const files = (name: string) =>
    (text.split(`%files -n ${name}\n`)[1] ?? '').split(/\n(?:\n|%changelog)/)[0]?.split('\n') ?? [];
  for (const each of PACKAGES) {
    const listed = files(each.name).filter((line) => line.includes('/'));
    for (const { to, rpm } of each.files) {
      const path = rpm?.to ?? to;
      assert.equal(
        listed.filter((line) => line.split(' ').at(-1) === path).length,
        1,
        `${each.name}: ${path}`,
      );
    }
    for (const path of each.conffiles ?? [])
      assert.ok(
        listed.some((line) => line.startsWith('%config(noreplace) ') && line.endsWith(` ${path}`)),
        path,
      );
    for (const name of each.needsOwn ?? [])
      assert.match(
        text,
        new RegExp(`%package -n ${each.name}\\n(?:.+\\n)*Requires: brine-${name} = 1\\.2\\.3-1\\n`),
      );
  }
  assert.ok(files('brine-master').includes('%config(noreplace) %attr(0640,root,salt) /etc/salt/master'));
  assert.ok(
    files('brine-minion').includes(
      '%config(noreplace) %attr(0640,root,root) %verify(not group) /etc/salt/minion',
    ),
  );
  assert.match(text, /^\* Sun Sep 09 2001 Me <me@host> - 1\.2\.3-1$/m);
  // macros of RPM are written on purpose, and none comes out of a script
  assert.match(text, /stat -c %%U/);
  const [{ version: _, ...first }] = PACKAGES as [(typeof PACKAGES)[number]];
  assert.throws(() => specOf([{ ...first, version: '1.2-rc1' }], settings), {
    message: '"1.2-rc1" is no version of an RPM package: a "-" divides it from the release.',
  });
});

test('packages - an upgrade keeps the files of what runs, in both kinds of packages', () => {
  const common = PACKAGES.find(({ name }) => name === 'brine-common');
  assert.ok(common !== undefined);
  const deb = new Map(maintainerScripts(common));
  const rpm = new Map(scriptlets(common));
  for (const text of [deb.get('prerm'), rpm.get('post')])
    assert.match(text ?? '', /cp -al .*\.kept-|cp -al "\$old" "\$aside"/);
  for (const text of [deb.get('postinst'), rpm.get('posttrans')]) {
    assert.match(text ?? '', /mv "\$aside" "\$old"/);
    assert.match(text ?? '', /readlink \/proc\/\[0-9\]\*\/exe .* rm -rf "\$old"/);
  }
});

test('packages - the configuration that is brought names each option once, and sets only the account', () => {
  const master = PACKAGES.flatMap(({ files }) => files).find(({ to }) => to === '/etc/salt/master');
  const lines = (master?.text ?? '').split('\n');
  const options = lines.filter((line) => /^#\w+:/.test(line));
  assert.ok(options.length > 100);
  assert.equal(new Set(options.map((line) => line.split(':')[0])).size, options.length);
  assert.deepEqual(
    lines.filter((line) => line !== '' && !line.startsWith('#')),
    ['user: salt'],
  );
});

test('packages - native code of another machine, or none, is named before it is packed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-native-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const elf = (machine: number) => {
    const header = Buffer.alloc(64);
    header.writeUInt32BE(0x7f454c46, 0);
    header.writeUInt16LE(machine, 18);
    return header;
  };
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/node'), elf(183));
  writeFileSync(join(folder, 'text'), 'no program, and long enough for a header');
  writeFileSync(join(folder, 'short'), '');
  assert.deepEqual(checkNative(folder, 'arm64', ['bin/node']), ['bin/node']);
  assert.throws(() => checkNative(folder, 'amd64', []), {
    message: 'The packages cannot be made: bin/node is of another machine than amd64 (arm64).',
  });
  writeFileSync(join(folder, 'bin/old.node'), elf(3));
  assert.throws(() => checkNative(folder, 'arm64', ['x.node']), {
    message:
      'The packages cannot be made: bin/old.node is of another machine than arm64 (ELF machine 3); x.node for arm64 is missing.',
  });
});

test('packages - units say when they are up, are watched, and give up root where they can', () => {
  const units = new Map(
    PACKAGES.flatMap(({ unit, files }) =>
      files.filter(({ to }) => to.endsWith(`/${unit}`)).map(({ text }) => [unit, text ?? '']),
    ),
  );
  assert.equal(units.size, 4);
  for (const [unit, text] of units) {
    for (const line of ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=120', 'Restart=on-failure'])
      assert.ok(text.split('\n').includes(line), `${unit}: ${line}`);
    const isMinion = unit === 'salt-minion.service';
    assert.equal(/^User=salt$/m.test(text), !isMinion, unit);
    assert.equal(/^NoNewPrivileges=yes$/m.test(text), !isMinion, unit);
    assert.equal(/^KillMode=process$/m.test(text), isMinion, 'jobs outlive their minion');
  }
});

test('packages - of the libraries those come along that programs load from outside their bundles', () => {
  const found = loadedLibraries({
    '': {},
    'node_modules/pg': { dependencies: { ms: '1', split2: '4' } },
    'node_modules/pg/node_modules/ms': {},
    'node_modules/ms': {},
    'node_modules/split2': { dependencies: { 'not-there': '1' } },
    'node_modules/jose': {},
    'node_modules/zeromq': { dev: true },
  });
  assert.deepEqual(found, ['node_modules/pg', 'node_modules/pg/node_modules/ms', 'node_modules/split2']);
});

test('packages - the bill of materials names Node and each library once, with licence and sum, the same each time', () => {
  const packages = {
    'node_modules/pg': {
      version: '8.1.0',
      license: 'MIT',
      integrity: `sha512-${Buffer.alloc(64).toString('base64')}`,
    },
    'node_modules/pg/node_modules/ms': { version: '2.0.0', license: '(MIT OR Apache-2.0)' },
    'node_modules/@noble/hashes': { version: '1.8.0', license: 'MIT' },
  };
  const paths = [
    'node_modules/pg',
    'node_modules/@noble/hashes',
    'node_modules/pg',
    'node_modules/pg/node_modules/ms',
  ];
  const text = billOfMaterials({ version: '1.2.3', node: '24.1.0' }, packages, paths);
  assert.equal(text, billOfMaterials({ version: '1.2.3', node: '24.1.0' }, packages, paths.toReversed()));
  const bill = JSON.parse(text) as {
    readonly bomFormat: string;
    readonly serialNumber: string;
    readonly components: readonly Readonly<Record<string, unknown>>[];
  };
  assert.equal(bill.bomFormat, 'CycloneDX');
  assert.match(
    bill.serialNumber,
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.deepEqual(
    bill.components.map(({ purl }) => purl),
    ['pkg:generic/node@24.1.0', 'pkg:npm/%40noble/hashes@1.8.0', 'pkg:npm/pg@8.1.0', 'pkg:npm/ms@2.0.0'],
  );
  assert.deepEqual(bill.components[2]?.['hashes'], [{ alg: 'SHA-512', content: '0'.repeat(128) }]);
  assert.deepEqual(bill.components[3]?.['licenses'], [{ expression: 'MIT OR Apache-2.0' }]);
  assert.throws(
    () => billOfMaterials({ version: '1', node: '2' }, {}, ['node_modules/x']),
    /x is in a bundle/,
  );
});

test('packages - what is in the bundles is in package-lock.json, the console too', () => {
  const names = JSON.parse(readFileSync(join(ROOT, 'dist/libraries.json'), 'utf8')) as string[];
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, unknown>>;
  };
  assert.deepEqual(
    names.filter((name) => !Object.hasOwn(packages, name)),
    [],
  );
  for (const name of ['node_modules/preact', 'node_modules/jose']) assert.ok(names.includes(name), name);
});
