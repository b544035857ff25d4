// What a machine needs to believe the repository: a package with its public keys and its source file. It has a version
// of its own, which is higher whenever one of the two has changed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDebs } from '../package/deb.mjs';
import { buildRpms } from '../package/rpm.mjs';
import { fieldOf, sourcesOf } from './apt-texts.mjs';
import { repoOf } from './rpm-texts.mjs';

const NAME = 'brine-archive-keyring';
const HOMEPAGE = 'https://www.npmjs.com/package/@brine-project/brine';
/** Debian 12 tells the kind of a keyring by its ending. */
const INSTALLED = `/usr/share/keyrings/${NAME}.gpg`;
const KEYS_OF_RPM = '/etc/pki/rpm-gpg/RPM-GPG-KEY-brine';
const SOURCES_OF_RPM = '/etc/yum.repos.d/brine.repo';
const SOURCES = '/etc/apt/sources.list.d/brine.sources';

/** Where a repository has its public keys. */
export function keyringOf(folder) {
  return join(folder, `${NAME}.gpg`);
}

/** @returns where machines find the repository, as it was said last; undefined for a new one */
export function urlOf(folder) {
  const path = join(folder, 'brine.sources');
  return existsSync(path) ? fieldOf(readFileSync(path, 'utf8'), 'URIs') : undefined;
}

/**
 * The files that lie at the top of the repository, each with its content.
 * @param wanted where machines find it, its suite and its keys
 */
export function topFiles(folder, { url, suite, keys }) {
  return [
    [join(folder, `${NAME}.asc`), Buffer.from(keys.publicKeysAsText())],
    [join(folder, 'brine.sources'), Buffer.from(sourcesOf({ url, suite, keyring: INSTALLED }))],
    [keyringOf(folder), keys.publicKeys()],
  ];
}

/** The files at the top that are for RPM. */
export function topFilesOfRpm(folder, { url, keys }) {
  return [
    [join(folder, `${NAME}.asc`), Buffer.from(keys.publicKeysAsText())],
    [join(folder, 'brine.repo'), Buffer.from(repoOf({ url, keys: KEYS_OF_RPM }))],
  ];
}

/**
 * The version of the package of keys that is to be published.
 * @param versions of those that are
 * @param files that lie at the top of the repository, and are in the package
 * @returns undefined when machines are to be told nothing new
 */
export function nextVersion(versions, files) {
  const isNew = files.some(([path, content]) => !existsSync(path) || !readFileSync(path).equals(content));
  return versions.length > 0 && !isNew ? undefined : String(Math.max(0, ...versions) + 1);
}

/** @param stanzas of what is published */
export function versionsIn(stanzas) {
  return stanzas
    .filter((each) => fieldOf(each, 'Package') === NAME)
    .map((each) => Number(fieldOf(each, 'Version')));
}

/** @param paths of RPM packages that are published */
export function versionsOfRpm(paths) {
  return paths.flatMap((path) => {
    const [, version] = /\/brine-archive-keyring-(\d+)-1\.noarch\.rpm$/.exec(path) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
}

/** Makes the package of Debian. @returns its path */
export function buildKeyring(version, files, work) {
  const definition = {
    ...packageOf(version),
    files: [
      { to: INSTALLED, text: contentOf(files, '.gpg') },
      { to: SOURCES, text: contentOf(files, '.sources') },
    ],
    conffiles: [SOURCES],
    overrides: [['package-installs-apt-sources *', 'its keys are of use for this source alone']],
  };
  const [path] = buildDebs([definition], { work, to: work, isQuick: false });
  return path;
}

/** Makes the package of RPM. @returns its path */
export function buildRpmKeyring(version, files, work) {
  const definition = {
    ...packageOf(version),
    files: [
      { to: KEYS_OF_RPM, text: contentOf(files, '.asc') },
      { to: SOURCES_OF_RPM, text: contentOf(files, '.repo') },
    ],
    conffiles: [SOURCES_OF_RPM],
  };
  const [path] = buildRpms([definition], { arch: 'all', work, to: work, isQuick: false });
  return path;
}

function packageOf(version) {
  return {
    name: NAME,
    version,
    arch: 'all',
    homepage: HOMEPAGE,
    summary: 'Remote execution and configuration management: keys of the packages',
    text: 'The public keys with which the repository of the packages is signed, and the source file that has it used.',
  };
}

function contentOf(files, ending) {
  return files.find(([path]) => path.endsWith(ending))[1];
}
