/** A file of a repository: where it lies, its size in bytes and its SHA-256. */
interface SummedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** The first line of a field; empty if there is none. */
export function fieldOf(control: string, name: string): string;
/** Where a package lies; throws for a name, version or architecture that is none. */
export function poolPathOf(control: string, source: string): string;
/** A package in an index. */
export function stanzaOf(control: string, file: SummedFile): string;
/** The packages of an index. */
export function stanzasOf(index: string): string[];
/** The index of each architecture. */
export function indexesOf(stanzas: readonly string[]): [string, string][];
/** The text that is signed. */
export function releaseOf(release: {
  readonly suite: string;
  readonly timeS: number;
  readonly validDays: number;
  readonly files: readonly SummedFile[];
}): string;
/** The files that a Release has sums of. */
export function filesOfRelease(text: string): SummedFile[];
/** The source file of a machine, in deb822. */
export function sourcesOf(source: {
  readonly url: string;
  readonly suite: string;
  readonly keyring: string;
}): string;
