// The APT side of a repository: packages in `pool`, what is signed in `dists`. Versions are kept, and none is replaced.
// What was published is believed only as far as a key at hand has signed it.
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runProgram } from '../run-program.mjs';
import {
  fieldOf,
  filesOfRelease,
  indexesOf,
  poolPathOf,
  releaseOf,
  stanzaOf,
  stanzasOf,
} from './apt-texts.mjs';
import { copyWhole, sumOf, writeWhole } from './files.mjs';
import { verifiedText } from './keys.mjs';

/**
 * What was published, with the sums of its files held against them.
 * @param folder of the repository
 * @param keyring the file of the public keys of which one has signed it
 * @returns the paragraphs of its packages, the files and the time of its Release
 * @throws Error that names what is another file than was signed
 */
export function readPublished(folder, suite, keyring) {
  const dists = join(folder, 'dists', suite);
  const signed = join(dists, 'InRelease');
  if (!existsSync(signed)) return { stanzas: [], files: [], timeS: 0 };
  const release = verifiedText(keyring, signed);
  if (release === undefined)
    throw new Error(
      `${signed} is signed with none of the keys at hand: what is published there is not signed anew.`,
    );
  const files = filesOfRelease(release);
  const stanzas = files
    .filter(({ path }) => path.endsWith('/Packages'))
    .flatMap((file) => {
      const path = join(dists, file.path, '..', 'by-hash/SHA256', file.sha256);
      mustBe(path, file);
      return stanzasOf(readFileSync(path, 'utf8'));
    });
  const all = [...new Set(stanzas)];
  for (const each of all)
    mustBe(join(folder, fieldOf(each, 'Filename')), {
      size: Number(fieldOf(each, 'Size')),
      sha256: fieldOf(each, 'SHA256'),
    });
  return { stanzas: all, files, timeS: Date.parse(fieldOf(release, 'Date')) / 1000 };
}

function mustBe(path, { size, sha256 }) {
  if (!existsSync(path)) throw new Error(`${path} was published and is gone: put it back.`);
  const found = sumOf(path);
  if (found.size !== size || found.sha256 !== sha256)
    throw new Error(
      `${path} is another file than was published: put back the one with the SHA-256 ${sha256}.`,
    );
}

/**
 * Brings packages into the pool.
 * @param stanzas of what is published
 * @param files packages
 * @returns the paragraphs of those that are new
 * @throws Error when a version is there with another content
 */
export function addPackages(folder, stanzas, files) {
  const published = new Map(stanzas.map((each) => [fieldOf(each, 'Filename'), fieldOf(each, 'SHA256')]));
  const wanted = files.map((file) => {
    const control = runProgram('dpkg-deb', ['--field', file]);
    return { file, control, path: poolPathOf(control, file), ...sumOf(file) };
  });
  const fresh = wanted.filter(({ path, sha256, file }) => {
    const known = published.get(path);
    if (known !== undefined && known !== sha256)
      throw new Error(
        `${file} is another package than the one that is published as ${basename(path)}: a version is never replaced, since machines have it. Give it another version.`,
      );
    published.set(path, sha256);
    return known === undefined;
  });
  return fresh.map(({ file, control, ...sums }) => {
    copyWhole(file, join(folder, sums.path));
    return stanzaOf(control, sums);
  });
}

/**
 * Publishes: what the Release names is there before the Release is, and what the one before named stays.
 * @param before files of the Release until now
 */
export function writeDists(folder, { suite, stanzas, before, timeS, validDays, keys }) {
  const dists = join(folder, 'dists', suite);
  const files = indexesOf(stanzas).flatMap(([arch, text]) => {
    const index = Buffer.from(text);
    const packed = runProgram('xz', ['--compress', '--stdout', '-9', '--threads=1'], {
      input: index,
      encoding: 'buffer',
    });
    return [
      ['Packages', index],
      ['Packages.xz', packed],
    ].map(([name, content]) => writeIndex(dists, `main/binary-${arch}`, name, content));
  });
  const release = releaseOf({ suite, timeS, validDays, files });
  writeWhole(join(dists, 'Release'), release);
  writeWhole(join(dists, 'Release.gpg'), keys.detach(release, timeS));
  // the one that is read today, and whole by itself
  writeWhole(join(dists, 'InRelease'), keys.clearsign(release, timeS));
  forget(dists, [...before, ...files]);
}

function writeIndex(dists, place, name, content) {
  const aside = join(dists, place, name);
  writeWhole(aside, content);
  const sums = sumOf(aside);
  const path = join(dists, place, 'by-hash/SHA256', sums.sha256);
  if (!existsSync(path)) writeWhole(path, content);
  return { path: `${place}/${name}`, ...sums };
}

/** Indexes that neither this Release nor the one before names. */
function forget(dists, files) {
  const named = new Set(files.map(({ sha256 }) => sha256));
  for (const place of new Set(files.map(({ path }) => join(dists, path, '..', 'by-hash/SHA256'))))
    for (const name of readdirSync(place)) if (!named.has(name)) rmSync(join(place, name));
}
