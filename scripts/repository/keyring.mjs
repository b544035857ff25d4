// What a machine needs to believe the repository: a package with its public keys and its source file. It has a version
// of its own, which is higher whenever one of the two has changed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDebs } from '../package/deb.mjs';
import { fieldOf, sourcesOf } from './apt-texts.mjs';

const NAME = 'brine-archive-keyring';
const HOMEPAGE = 'https://www.npmjs.com/package/@brine-project/brine';
/** Debian 12 tells the kind of a keyring by its ending. */
const INSTALLED = `/usr/share/keyrings/${NAME}.gpg`;
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

/**
 * @param stanzas of what is published
 * @param files of {@link topFiles}
 * @returns whether machines must be told of something new
 */
export function isNewKeyring(stanzas, files) {
  return (
    !stanzas.some((each) => fieldOf(each, 'Package') === NAME) ||
    files.some(([path, content]) => !existsSync(path) || !readFileSync(path).equals(content))
  );
}

/** Makes the package. @returns its path */
export function buildKeyring(stanzas, files, work) {
  const versions = stanzas
    .filter((each) => fieldOf(each, 'Package') === NAME)
    .map((each) => Number(fieldOf(each, 'Version')));
  const content = (ending) => files.find(([path]) => path.endsWith(ending))[1];
  const definition = {
    name: NAME,
    version: String(Math.max(0, ...versions) + 1),
    arch: 'all',
    homepage: HOMEPAGE,
    summary: 'Remote execution and configuration management: keys of the packages',
    text: 'The public keys with which the repository of the packages is signed, and the source file that has APT use it.',
    files: [
      { to: INSTALLED, text: content('.gpg') },
      { to: SOURCES, text: content('.sources') },
    ],
    conffiles: [SOURCES],
    overrides: [['package-installs-apt-sources *', 'its keys are of use for this source alone']],
  };
  const [path] = buildDebs([definition], { work, to: work, isQuick: false });
  return path;
}
