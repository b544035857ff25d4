// Makes what test/packages/repository.sh goes through, as a site would: `node repository.prepare.mjs FOLDER VERSION
// FURTHER ARCH KINDS…`. Each repository of FOLDER/repositories is the one before and what was published since.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [folder, version, further, arch, ...kinds] = process.argv.slice(2);
const LONG_AGO_S = Math.floor(Date.now() / 1000) - 400 * 86_400;
const program = new URL('../../scripts/repository.mjs', import.meta.url).pathname;
const place = join(folder, 'repositories');
rmSync(place, { recursive: true, force: true });
mkdirSync(place);
const keys = mkdtempSync(join(tmpdir(), 'brine-try-keys-'));
const key = (name) => join(keys, name);
const machine = arch === 'arm64' ? 'aarch64' : 'x86_64';
// of the kinds that are to be tried
const of = (one) =>
  ['common', 'minion']
    .flatMap((name) => [`brine-${name}_${one}_${arch}.deb`, `brine-${name}-${one}-1.${machine}.rpm`])
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && kinds.some((kind) => path.endsWith(kind)));
try {
  publish('first', ['--new-key', key('old'), '--url', 'file:/srv/repository', ...of(version)]);
  follow('first', 'second', ['--key', key('old'), ...of(further)]);
  follow('second', 'rotating', [
    '--key',
    key('old'),
    '--new-key',
    key('new'),
    '--begin-rotation',
    ...of(version),
  ]);
  follow('rotating', 'rotated', ['--key', key('new'), '--end-rotation', ...of(version)]);
  publish('foreign', ['--new-key', key('foreign'), '--url', 'file:/srv/repository', ...of(version)]);
  publish('late', ['--key', key('old'), ...of(version)], { SOURCE_DATE_EPOCH: String(LONG_AGO_S) });
  copy('first', 'altered');
  const repomd = join(place, 'altered/rpm/repodata/repomd.xml');
  if (existsSync(repomd)) replaceLonger(repomd);
  for (const name of ['Packages', 'Packages.xz'])
    for (const path of paths('altered', name)) replaceLonger(path);
} finally {
  rmSync(keys, { recursive: true });
}

function follow(before, name, args) {
  copy(before, name);
  publish(name, args);
}

/** Of the same files, which are replaced and never changed. */
function copy(from, to) {
  must('cp', ['-al', join(place, from), join(place, to)]);
}

function publish(name, args, env = {}) {
  must(process.execPath, [program, '--into', join(place, name), ...args], env);
}

function paths(name, file) {
  const index = join(place, name, 'dists/stable/main', `binary-${arch}`);
  return [join(index, file), ...hashesOf(join(index, 'by-hash/SHA256'))];
}

function hashesOf(path) {
  return must('find', [path, '-type', 'f']).trim().split('\n');
}

/** An index that nobody has signed. */
function replaceLonger(path) {
  must('cp', ['--remove-destination', path, `${path}.copy`]);
  appendFileSync(`${path}.copy`, '\n');
  must('mv', [`${path}.copy`, path]);
}

function must(name, args, env = {}) {
  const { status, stdout, stderr } = spawnSync(name, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status === 0) return stdout;
  console.error(`${name} ${args.join(' ')} failed: ${stderr}`);
  process.exit(1);
}
