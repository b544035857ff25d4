// The texts of an APT repository: what stands in its indexes, its Release and the source file of a machine. All of them
// are made from what is handed in, so that the same packages give the same texts.

const ARCHITECTURES = ['amd64', 'arm64'];
const DAY_S = 86_400;
const NAME = /^[a-z0-9][a-z0-9+.-]+$/;
const VERSION = /^[0-9][0-9A-Za-z.+~:-]*$/;

/**
 * @param control the paragraph of a package, as `dpkg-deb --field` prints it
 * @param name of a field
 * @returns its first line; empty if there is none
 */
export function fieldOf(control, name) {
  const line = control.split('\n').find((each) => each.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line === undefined ? '' : line.slice(name.length + 1).trim();
}

/**
 * Where a package lies in the repository.
 * @param control its paragraph
 * @param source the file that it was read from, for the error
 * @throws Error for a name, a version or an architecture that is none: they become a path
 */
export function poolPathOf(control, source) {
  const [name, version, arch] = ['Package', 'Version', 'Architecture'].map((each) => fieldOf(control, each));
  if (!NAME.test(name)) throw new Error(`${source} cannot be published: "${name}" is no name of a package.`);
  if (!VERSION.test(version))
    throw new Error(`${source} cannot be published: "${version}" is no version of a package.`);
  if (![...ARCHITECTURES, 'all'].includes(arch))
    throw new Error(
      `${source} cannot be published: it is for "${arch}"; the repository is for ${ARCHITECTURES.join(' and ')}.`,
    );
  return `pool/main/b/brine/${name}_${version.replace(/^\d+:/, '')}_${arch}.deb`;
}

/**
 * A package in an index.
 * @param control its paragraph
 * @param file path below the repository, size in bytes and SHA-256
 */
export function stanzaOf(control, { path, size, sha256 }) {
  return `${control.trimEnd()}\nFilename: ${path}\nSize: ${size}\nSHA256: ${sha256}\n`;
}

/** The packages of an index, as {@link stanzaOf} wrote them. */
export function stanzasOf(index) {
  return index
    .split('\n\n')
    .filter((each) => each.trim() !== '')
    .map((each) => `${each.trimEnd()}\n`);
}

/**
 * The indexes of each architecture; packages for all of them are in each.
 * @returns pairs of architecture and text
 */
export function indexesOf(stanzas) {
  const sorted = [...new Set(stanzas)].sort((one, other) =>
    fieldOf(one, 'Filename') < fieldOf(other, 'Filename') ? -1 : 1,
  );
  return ARCHITECTURES.map((arch) => [
    arch,
    sorted.filter((each) => [arch, 'all'].includes(fieldOf(each, 'Architecture'))).join('\n'),
  ]);
}

/**
 * What is signed: the sums of the indexes, and until when they may be believed.
 * @param release suite, `timeS` (since 1970), days until it is out of date, and files (path below the suite's folder,
 *   size, SHA-256)
 */
export function releaseOf({ suite, timeS, validDays, files }) {
  const sums = files.map(({ path, size, sha256 }) => ` ${sha256} ${String(size).padStart(9)} ${path}`);
  return [
    'Origin: Brine',
    'Label: Brine',
    `Suite: ${suite}`,
    `Codename: ${suite}`,
    `Date: ${dateOf(timeS)}`,
    `Valid-Until: ${dateOf(timeS + validDays * DAY_S)}`,
    'Acquire-By-Hash: yes',
    `Architectures: ${ARCHITECTURES.join(' ')}`,
    'Components: main',
    'Description: Packages of Brine',
    'SHA256:',
    ...sums.sort((one, other) => (one.slice(76) < other.slice(76) ? -1 : 1)),
    '',
  ].join('\n');
}

/** The files that a Release has sums of. */
export function filesOfRelease(text) {
  return text.split('\n').flatMap((line) => {
    const [, sha256, size, path] = /^ ([0-9a-f]{64}) +(\d+) (\S+)$/.exec(line) ?? [];
    return sha256 === undefined ? [] : [{ path, size: Number(size), sha256 }];
  });
}

/** The source file of a machine, in deb822. */
export function sourcesOf({ url, suite, keyring }) {
  return [
    '# Packages of Brine',
    'Types: deb',
    `URIs: ${url}`,
    `Suites: ${suite}`,
    'Components: main',
    `Signed-By: ${keyring}`,
    '',
  ].join('\n');
}

/** As RFC 5322 writes it, which APT reads. */
function dateOf(timeS) {
  return new Date(timeS * 1000).toUTCString().replace('GMT', '+0000');
}
