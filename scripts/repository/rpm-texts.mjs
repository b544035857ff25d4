// The texts of an RPM repository that are ours, and what is read out of those that `createrepo_c` writes.

/** @param settings where the repository is, and the file of its public keys on a machine */
export function repoOf({ url, keys }) {
  return [
    '[brine]',
    'name=Packages of Brine',
    // dnf takes `file:/PATH` for a path below another place
    `baseurl=${url.replace(/^file:\/(?!\/)/, 'file:///')}/rpm`,
    'enabled=1',
    // packages and indexes are believed only if they are signed
    'gpgcheck=1',
    'repo_gpgcheck=1',
    // of this machine: a key that comes with what it is to prove proves nothing
    `gpgkey=file://${keys}`,
    '',
  ].join('\n');
}

/**
 * The files that an index names.
 * @param repomd the text of `repomd.xml`
 * @returns kind, path below the repository, and SHA-256
 */
export function indexesOfRepomd(repomd) {
  return [...repomd.matchAll(/<data type="([^"]+)">(.*?)<\/data>/gs)].map(([, kind, text]) => ({
    kind,
    path: /<location href="([^"]+)"/.exec(text)?.[1] ?? '',
    sha256: /<checksum type="sha256">([0-9a-f]{64})</.exec(text)?.[1] ?? '',
  }));
}

/**
 * The packages of an index.
 * @param primary its text, unpacked
 * @returns path below the repository, and SHA-256
 */
export function packagesOfPrimary(primary) {
  return [...primary.matchAll(/<package type="rpm">(.*?)<\/package>/gs)].map(([, text]) => ({
    path: /<location href="([^"]+)"/.exec(text)?.[1] ?? '',
    sha256: /<checksum type="sha256" pkgid="YES">([0-9a-f]{64})</.exec(text)?.[1] ?? '',
  }));
}

/**
 * Which of several keys signs packages, of which each has one signature: as long as a rotation lasts the one that all
 * machines know.
 * @param signers ids of the keys that have signed what is published
 * @param fingerprints of the keys at hand, as they were named
 */
export function signerOf(signers, fingerprints) {
  return fingerprints.find((each) => signers.some((id) => each.endsWith(id))) ?? fingerprints[0];
}
