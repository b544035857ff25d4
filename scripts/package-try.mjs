// Tries the packages in bare systems: `npm run package:try [-- bookworm trixie --only install]`, as root, with
// debootstrap. Each script of test/packages runs in a copy of a system of its own, with processes and mounts of its own,
// and leaves nothing; what ends with `.systemd.sh` runs in one that systemd has started, and what ends with `.rpm.sh` in
// the one called `rpm`, a Debian 13 with `rpm` and `dnf`, since Fedora is not to be had everywhere. What a script needs and
// such a system cannot make, the script beside it that ends with `.prepare.mjs` makes here first.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './bundle.mjs';
import { RPM_ARCHITECTURES } from './package/rpm-spec.mjs';

const MIRROR = 'http://deb.debian.org/debian';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** A version that upgrades go to. */
const FURTHER = `${version}+further`;
const TRY_MAX_MS = 480_000;
const ARCH = process.arch === 'arm64' ? 'arm64' : 'amd64';
const machine = RPM_ARCHITECTURES[ARCH];
const RPM_SYSTEM = 'rpm';
/** The packages of this version, and those that only tries need. */
const packages = join(root, 'build/tried');
const scripts = join(root, 'test/packages');

if (process.getuid?.() !== 0) fail('Bare systems are made by root.');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  // only the scripts whose names begin with this
  options: { only: { type: 'string', default: '' } },
});
const suites = positionals.length > 0 ? positionals : ['bookworm', 'trixie', RPM_SYSTEM];
const formats = [
  ...(suites.some((each) => each !== RPM_SYSTEM) ? ['deb'] : []),
  ...(suites.includes(RPM_SYSTEM) ? ['rpm'] : []),
];
gatherPackages();
let failed = 0;
let passed = 0;
const names = readdirSync(scripts).filter((each) => each.startsWith(values.only));
for (const name of names.filter((each) => each.endsWith('.prepare.mjs')))
  must('node', [join(scripts, name), packages, version, FURTHER, ARCH, ...formats]);
for (const suite of suites)
  for (const name of names.filter((each) => isFor(suite, each))) {
    const isRight = tryIn(suite, join(scripts, name));
    console.log(`${isRight ? 'passed' : 'FAILED'} ${name} on ${suite}`);
    if (isRight) passed++;
    else failed++;
  }
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function isFor(suite, name) {
  return name.endsWith('.sh') && name.endsWith('.rpm.sh') === (suite === RPM_SYSTEM);
}

function gatherPackages() {
  const made = join(root, 'build/packages');
  mkdirSync(packages, { recursive: true });
  for (const format of formats) {
    if (!existsSync(commonOf(made, version, format))) make(version, made, format);
    // one of other sources has another configuration
    if (!isNewer(commonOf(packages, FURTHER, format), commonOf(made, version, format)))
      make(FURTHER, packages, format);
  }
  const ofVersion = [`_${version}_${ARCH}.deb`, `-${version}-1.${machine}.rpm`];
  for (const name of readdirSync(made).filter((each) => ofVersion.some((end) => each.endsWith(end)))) {
    rmSync(join(packages, name), { force: true });
    linkSync(join(made, name), join(packages, name));
  }
}

function isNewer(path, other) {
  return existsSync(path) && statSync(path).mtimeMs > statSync(other).mtimeMs;
}

function make(one, into, format) {
  must('node', [
    join(root, 'scripts/package.mjs'),
    ...['--arch', ARCH, '--format', format, '--quick', '--version', one, '--into', into],
  ]);
}

function commonOf(folder, one, format) {
  return join(
    folder,
    format === 'rpm' ? `brine-common-${one}-1.${machine}.rpm` : `brine-common_${one}_${ARCH}.deb`,
  );
}

/** A bare system, made once. */
function systemOf(suite, further) {
  const folder = join(root, 'build/systems', [suite, ...further].join('-'));
  if (existsSync(folder)) return folder;
  const aside = `${folder}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  must('debootstrap', [
    '--variant=minbase',
    `--include=${['adduser', ...further].join(',')}`,
    suite,
    aside,
    MIRROR,
  ]);
  renameSync(aside, folder);
  return folder;
}

function tryIn(suite, script) {
  const isStarted = script.endsWith('.systemd.sh');
  const system =
    suite === RPM_SYSTEM
      ? systemOf('trixie', ['rpm', 'dnf'])
      : systemOf(suite, isStarted ? ['systemd', 'dbus'] : []);
  const place = join(root, 'build/systems', `try-${process.pid}`);
  const said = `${place}-said`;
  for (const folder of [place, said]) mkdirSync(folder, { recursive: true });
  const args = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'];
  if (isStarted) args.push('--cgroup', '--uts', '--ipc');
  const inside = ['bash', join(root, 'scripts/package/bare-system.sh'), system, place, script];
  if (isStarted) inside.push('systemd');
  const group = isStarted ? ownGroup() : undefined;
  const joining =
    group === undefined ? [] : ['bash', '-c', `echo $$ >${group}/cgroup.procs; exec "$@"`, 'join'];
  const [program, ...rest] = [...joining, 'unshare', ...args, ...inside];
  const { status, stdout, stderr } = spawnSync(program, rest, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PACKAGES: packages, SAID: said, ARCH, VERSION: version, FURTHER },
    timeout: TRY_MAX_MS,
  });
  if (group !== undefined) leaveGroup(group);
  const output = isStarted ? read(join(said, 'output')) : stdout;
  const isRight = isStarted ? read(join(said, 'status')).trim() === '0' : status === 0;
  rmSync(place, { recursive: true });
  rmSync(said, { recursive: true });
  if (output !== '') console.log(output.trimEnd().replace(/^/gm, '  '));
  if (!isRight) console.log(stderr.trimEnd().replace(/^/gm, '  '));
  return isRight;
}

/** A control group for a systemd that is started here, so that it takes no other's. */
function ownGroup() {
  const [, mounted] = / (\S+) cgroup2 /.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
  if (mounted === undefined)
    fail('A system is started within control groups of version 2, and none are mounted.');
  const group = join(mounted, `brine-try-${process.pid}`);
  mkdirSync(group);
  return group;
}

function leaveGroup(group) {
  for (const { name } of readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    leaveGroup(join(group, name));
  rmdirSync(group);
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
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
