// The RPM side of a repository, in its folder `rpm`: packages that are signed themselves, and indexes of `createrepo_c`
// that are signed. As with APT's, versions are kept and none is replaced.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { runProgram } from '../run-program.mjs';
import { NEW, copyWhole, sumOf, writeWhole } from './files.mjs';
import { verifies } from './keys.mjs';
import { indexesOfRepomd, packagesOfPrimary, signerOf } from './rpm-texts.mjs';

const PROGRAMS = {
  rpm: 'rpm',
  rpmsign: 'rpm-sign or rpm',
  rpmbuild: 'rpm-build or rpm',
  createrepo_c: 'createrepo-c',
};
const FILE = /^[A-Za-z0-9][A-Za-z0-9.+~^_-]*\.(x86_64|aarch64|noarch)\.rpm$/;
/** What tells two packages of one name apart, whoever has signed them. */
const CONTENT = '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm %{SHA256HEADER}';
const SIGNER = '%|RSAHEADER?{%{RSAHEADER:pgpsig}}:{none}|';

/** @throws Error that names the first program that is missing */
export function needRpmPrograms() {
  for (const [name, from] of Object.entries(PROGRAMS))
    if (spawnSync(name, ['--version'], { stdio: 'ignore' }).status !== 0)
      throw new Error(
        `${name} is needed for RPM packages, and is in ${from}. Without them: name the .deb files that are to be published.`,
      );
}

/**
 * @param folder of the repository
 * @param keyring the file of the public keys of which one has signed it
 * @returns the paths of what is published, and of its indexes
 * @throws Error that names what is another file than was signed
 */
export function readPublishedRpms(folder, keyring) {
  const place = join(folder, 'rpm');
  const repomd = join(place, 'repodata/repomd.xml');
  if (!existsSync(repomd)) return { packages: [], indexes: [] };
  if (!verifies(keyring, `${repomd}.asc`, repomd))
    throw new Error(
      `${repomd} is signed with none of the keys at hand: what is published there is not signed anew.`,
    );
  const indexes = indexesOfRepomd(readFileSync(repomd, 'utf8'));
  for (const each of indexes) mustBe(place, each);
  const primary = indexes.find(({ kind }) => kind === 'primary');
  const packages = packagesOfPrimary(gunzipSync(readFileSync(join(place, primary.path))).toString('utf8'));
  for (const each of packages) mustBe(place, each);
  return {
    packages: packages.map(({ path }) => join(place, path)),
    indexes: indexes.map(({ path }) => path),
  };
}

function mustBe(place, { path, sha256 }) {
  const file = join(place, path);
  if (!existsSync(file)) throw new Error(`${file} was published and is gone: put it back.`);
  if (sumOf(file).sha256 !== sha256)
    throw new Error(
      `${file} is another file than was published: put back the one with the SHA-256 ${sha256}.`,
    );
}

/**
 * Holds packages against those that are published.
 * @returns file, name and content of those that are new
 * @throws Error when a version is there with another content
 */
export function newRpms(published, files) {
  const known = new Map(published.packages.map((file) => [basename(file), contentOf(file).sum]));
  return files
    .map((file) => ({ file, ...contentOf(file) }))
    .filter(({ file, name, sum }) => {
      if (!FILE.test(name))
        throw new Error(`${file} cannot be published: "${name}" is no name of a package.`);
      const there = known.get(name);
      if (there !== undefined && there !== sum)
        throw new Error(
          `${file} is another package than the one that is published as ${name}: a version is never replaced, since machines have it. Give it another version.`,
        );
      known.set(name, sum);
      return there === undefined;
    });
}

/**
 * Publishes packages beside those that are published.
 * @param wanted `fresh`, of {@link newRpms}
 * @returns the names of those that are new
 */
export function publishRpms(folder, { published, fresh, keys, timeS }) {
  const place = join(folder, 'rpm');
  mkdirSync(join(place, 'packages'), { recursive: true });
  const work = mkdtempSync(join(folder, NEW));
  try {
    const signers = published.packages.map(signedBy);
    const signer = signerOf(signers, keys.named);
    // those of a key that has gone are signed by the one that stays
    const stale = published.packages.filter(
      (_, at) => !keys.named.some((each) => each.endsWith(signers[at])),
    );
    for (const { file, name } of [...fresh, ...stale.map((path) => ({ file: path, name: basename(path) }))])
      copyWhole(signed(file, join(work, name), signer, keys, timeS), join(place, 'packages', name), timeS);
    writeIndexes(place, work, { before: published.indexes, keys, timeS });
  } finally {
    rmSync(work, { recursive: true });
  }
  return fresh.map(({ name }) => name);
}

function contentOf(file) {
  const [name, sum] = query(file, CONTENT).split(' ');
  return { name, sum };
}

/** The id of a key, in capital letters as in its fingerprint; empty for none. */
function signedBy(file) {
  return (/Key ID ([0-9a-f]+)/.exec(query(file, SIGNER))?.[1] ?? 'none').toUpperCase();
}

function query(file, format) {
  return runProgram('rpm', ['--query', '--package', '--nosignature', '--queryformat', format, file]);
}

function signed(file, copy, signer, keys, timeS) {
  copyFileSync(file, copy);
  const settings = {
    _gpg_name: signer,
    _gpg_path: keys.home,
    _gpg_digest_algo: 'sha256',
    _gpg_sign_cmd_extra_args: keys.signingArguments(timeS).join(' '),
  };
  const defines = Object.entries(settings).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  runProgram('rpmsign', [...defines, '--resign', copy]);
  return copy;
}

/** The index that names the others comes last; those of the state before stay. */
function writeIndexes(place, work, { before, keys, timeS }) {
  runProgram('createrepo_c', [
    ...['--quiet', '--no-database', '--general-compress-type', 'gz', '--workers', '1'],
    ...['--revision', String(timeS), '--set-timestamp-to-revision', '--outputdir', work, place],
  ]);
  const repomd = readFileSync(join(work, 'repodata/repomd.xml'), 'utf8');
  const indexes = indexesOfRepomd(repomd).map(({ path }) => path);
  for (const path of indexes) copyWhole(join(work, path), join(place, path));
  writeWhole(join(place, 'repodata/repomd.xml.asc'), keys.detach(repomd, timeS));
  writeWhole(join(place, 'repodata/repomd.xml'), repomd);
  const named = new Set([
    'repomd.xml',
    'repomd.xml.asc',
    ...[...before, ...indexes].map((path) => basename(path)),
  ]);
  for (const name of readdirSync(join(place, 'repodata')))
    if (!named.has(name)) rmSync(join(place, 'repodata', name));
}
