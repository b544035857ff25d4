/** A file of a package: where it goes, and its text or what it is copied from. */
interface PackagedFile {
  readonly to: string;
  readonly text?: string;
  readonly from?: string;
  readonly gzip?: Buffer;
  readonly mode?: number;
}

/** A package, whichever format it is written in. */
interface PackageDefinition {
  readonly name: string;
  readonly summary: string;
  readonly text: string;
  readonly needsOwn?: readonly string[];
  readonly conflicts?: readonly string[];
  readonly conffiles?: readonly string[];
  readonly unit?: string;
  readonly files: readonly PackagedFile[];
}

/** The packages of what was built. */
export function packagesOf(payload: {
  readonly arch: string;
  readonly version: string;
  readonly folder: string;
}): PackageDefinition[];
