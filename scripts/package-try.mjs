// Tries the packages in bare systems: `npm run package:try [-- bookworm trixie]`, as root, with debootstrap. Each script
// of test/packages runs in a copy of a system of its own, with processes and mounts of its own, and leaves nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

const MIRROR = 'http://deb.debian.org/debian';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** A version that upgrades go to. */
const FURTHER = `${version}+further`;
const ARCH = process.arch === 'arm64' ? 'arm64' : 'amd64';
const packages = join(root, 'build/packages');
const scripts = join(root, 'test/packages');

if (process.getuid?.() !== 0) fail('Bare systems are made by root.');
for (const one of [version, FURTHER])
  if (!existsSync(join(packages, `brine-common_${one}_${ARCH}.deb`)))
    must('node', [join(root, 'scripts/package.mjs'), '--arch', ARCH, '--quick', '--version', one]);
let failed = 0;
let passed = 0;
for (const suite of process.argv.length > 2 ? process.argv.slice(2) : ['bookworm', 'trixie'])
  for (const name of readdirSync(scripts)) {
    const isRight = tryIn(systemOf(suite), join(scripts, name));
    console.log(`${isRight ? 'passed' : 'FAILED'} ${name} on ${suite}`);
    if (isRight) passed++;
    else failed++;
  }
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** A bare system, made once. */
function systemOf(suite) {
  const folder = join(root, 'build/systems', suite);
  if (existsSync(folder)) return folder;
  const aside = `${folder}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  must('debootstrap', ['--variant=minbase', '--include=adduser', suite, aside, MIRROR]);
  renameSync(aside, folder);
  return folder;
}

function tryIn(system, script) {
  const place = join(root, 'build/systems', `try-${process.pid}`);
  mkdirSync(place, { recursive: true });
  // the mounts are those of this namespace alone: they are gone with it, before the folder goes
  const inside = `set -e
mount -t tmpfs tmpfs ${place}; mkdir ${place}/changes ${place}/work ${place}/root
mount -t overlay overlay -o lowerdir=${system},upperdir=${place}/changes,workdir=${place}/work ${place}/root
cd ${place}/root; mount -t proc proc proc; mount -t tmpfs tmpfs dev
mknod -m 666 dev/null c 1 3; mknod -m 666 dev/zero c 1 5; mknod -m 666 dev/random c 1 8; mknod -m 666 dev/urandom c 1 9
ln -s /proc/self/fd dev/fd; mkdir dev/shm dev/pts packages; mount --bind -o ro ${packages} packages
cp ${script} script.sh; exec chroot . /bin/bash /script.sh`;
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private', 'bash', '-c', inside],
    {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, PACKAGES: '/packages', ARCH, VERSION: version, FURTHER, HOME: '/root' },
    },
  );
  rmSync(place, { recursive: true });
  if (stdout !== '') console.log(stdout.trimEnd().replace(/^/gm, '  '));
  if (status !== 0) console.log(stderr.trimEnd().replace(/^/gm, '  '));
  return status === 0;
}

function must(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0)
    fail(`${program} ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`);
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
