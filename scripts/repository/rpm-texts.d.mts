/** The source file of a machine. */
export function repoOf(settings: { readonly url: string; readonly keys: string }): string;
/** The files that `repomd.xml` names. */
export function indexesOfRepomd(
  repomd: string,
): { readonly kind: string; readonly path: string; readonly sha256: string }[];
/** The packages of an index. */
export function packagesOfPrimary(primary: string): { readonly path: string; readonly sha256: string }[];
/** Which of the keys at hand signs packages. */
export function signerOf(signers: readonly string[], fingerprints: readonly string[]): string;
