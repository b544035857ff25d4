import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { maintainerScripts } from '../../../scripts/package/deb-scripts.mjs';
import { packagesOf } from '../../../scripts/package/packages.mjs';

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
  const commands = ['brine-sls', 'salt', 'salt-call', 'salt-cp', 'salt-key', 'salt-run', 'sls'];
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

test('packages - the scripts of Debian packages are those of a shell', () => {
  for (const each of PACKAGES)
    for (const [name, text] of maintainerScripts(each)) {
      const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' });
      assert.equal(status, 0, `${each.name} ${name}: ${stderr}`);
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
