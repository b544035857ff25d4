// Writes Debian packages. Each file has the time of the commit and belongs to root, so that two builds are the same.
import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bundle.mjs';
import { runProgram } from '../run-program.mjs';
import { maintainerScripts } from './deb-scripts.mjs';
import { place, settle, timeOfCommit } from './tree.mjs';

export const MAINTAINER = 'The Brine authors <maintainers@brine-project.invalid>';
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
