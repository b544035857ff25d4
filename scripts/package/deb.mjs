// Writes Debian packages. Each file has the time of the commit and belongs to root, so that two builds are the same.
import {
  chmodSync,
  cpSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  lstatSync,
  writeFileSync,
  readFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../bundle.mjs';
import { runProgram } from '../run-program.mjs';
import { maintainerScripts } from './deb-scripts.mjs';

const MAINTAINER = 'The Brine authors <maintainers@brine-project.invalid>';
const WIDTH = 78;
const KIB = 1024;

/**
 * @param packages of {@link packagesOf}
 * @param options architecture, a folder to work in, and the one for the packages
 * @returns the paths of the packages
 */
export function buildDebs(packages, { work, to, isQuick }) {
  const time = timeOfCommit();
  return packages.map((each) => {
    const tree = join(work, each.name);
    rmSync(tree, { recursive: true, force: true });
    for (const file of each.files) place(file, tree);
    writeDocuments(each, tree, time);
    mkdirSync(join(tree, 'DEBIAN'));
    writeControl(each, tree);
    settle(tree, time);
    const deb = join(to, `${each.name}_${each.version}_${each.arch}.deb`);
    // of one thread: more would cut the file by their number
    const compression = isQuick ? ['-Zgzip'] : ['-Zxz', '-z9', '--threads-max=1'];
    runProgram('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree, deb], {
      env: { SOURCE_DATE_EPOCH: String(time) },
    });
    return deb;
  });
}

/** Seconds since 1970. */
function timeOfCommit() {
  const said =
    process.env.SOURCE_DATE_EPOCH ?? runProgram('git', ['-C', root, 'log', '-1', '--format=%ct']).trim();
  return Number(said);
}

function place({ to, from, text, gzip, mode = 0o644 }, tree) {
  const path = join(tree, to);
  mkdirSync(dirname(path), { recursive: true });
  if (from !== undefined) {
    cpSync(from, path, { recursive: true });
    openToAll(path);
  } else {
    writeFileSync(path, gzip === undefined ? text : gzipSync(gzip, { level: 9 }));
    chmodSync(path, mode);
  }
}

/** Whatever the umask of the one who builds: files of the checkout are for everybody. */
function openToAll(path) {
  const stat = lstatSync(path);
  if (stat.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
  else if (!stat.isSymbolicLink()) chmodSync(path, stat.mode & 0o100 ? 0o755 : 0o644);
}

function writeDocuments({ name, version, overrides = [] }, tree, time) {
  const folder = `/usr/share/doc/${name}`;
  place({ to: `${folder}/copyright`, text: copyright(new Date(time * 1000).getUTCFullYear()) }, tree);
  place({ to: `${folder}/changelog.gz`, gzip: Buffer.from(changelog(version, time)) }, tree);
  place({ to: `${folder}/NEWS.md.gz`, gzip: readFileSync(join(root, 'CHANGELOG.md')) }, tree);
  if (overrides.length > 0)
    place({ to: `/usr/share/lintian/overrides/${name}`, text: overridesOf(name, overrides) }, tree);
}

/** What lintian warns of on purpose, each with its reason. */
function overridesOf(name, overrides) {
  return overrides.map(([tag, reason]) => `# ${reason}\n${name}: ${tag}\n`).join('');
}

function changelog(version, time) {
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000');
  return `brine (${version}) unstable; urgency=medium\n\n  * What has changed is told in NEWS.md.gz.\n\n -- ${MAINTAINER}  ${date}\n`;
}

function copyright(year) {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Brine
Comment: Node's licence, and those of the libraries, lie beside them in /usr/lib/brine.

Files: *
Copyright: ${year} The Brine authors
License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
`;
}

function writeControl(each, tree) {
  const own = (each.needsOwn ?? []).map((name) => `brine-${name} (= ${each.version})`);
  const fields = {
    Package: each.name,
    Version: each.version,
    Architecture: each.arch,
    Maintainer: MAINTAINER,
    'Installed-Size': String(sizeOf(tree)),
    Depends: [...own, ...(each.needs ?? []), ...(each.account === undefined ? [] : ['adduser'])].join(', '),
    Recommends: (each.recommends ?? []).join(', '),
    Conflicts: (each.conflicts ?? []).join(', '),
    Section: 'admin',
    Priority: 'optional',
    Homepage: each.homepage,
    Description: `${each.summary}\n${wrapped(each.text)}`,
  };
  const lines = Object.entries(fields).filter(([, value]) => value !== '');
  const control = join(tree, 'DEBIAN');
  writeFileSync(
    join(control, 'control'),
    `${lines.map(([name, value]) => `${name}: ${value}`).join('\n')}\n`,
  );
  if (each.conffiles !== undefined)
    writeFileSync(join(control, 'conffiles'), each.conffiles.map((path) => `${path}\n`).join(''));
  for (const [name, text] of maintainerScripts(each)) {
    writeFileSync(join(control, name), text);
    chmodSync(join(control, name), 0o755);
  }
}

function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (lines.at(-1).length + word.length > WIDTH) lines.push('');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.join('\n');
}

/** In KiB, each file rounded up. */
function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.name === 'DEBIAN') return sum;
    return sum + (entry.isDirectory() ? 1 + sizeOf(path) : Math.ceil(lstatSync(path).size / KIB));
  }, 0);
}

/** Modes and times that do not depend on who builds, and when. */
function settle(path, time) {
  const stat = lstatSync(path);
  if (stat.isDirectory()) {
    for (const name of readdirSync(path)) settle(join(path, name), time);
    chmodSync(path, 0o755);
  } else if (!stat.isSymbolicLink()) {
    const mode = statSync(path).mode & 0o777;
    const isPrivate = (mode & 0o004) === 0;
    chmodSync(path, isPrivate ? mode : mode & 0o100 ? 0o755 : 0o644);
  }
  lutimesSync(path, time, time);
}
