/** A file of a package: where it goes, and its text or what it is copied from. */
interface PackagedFile {
  readonly to: string;
  readonly text?: string;
  readonly from?: string;
  readonly gzip?: Buffer;
  readonly mode?: number;
  /** How it is different in an RPM package. */
  readonly rpm?: { readonly to?: string; readonly group?: string; readonly isOfAnyGroup?: boolean };
}

/** A package, whichever format it is written in. */
export interface PackageDefinition {
  readonly name: string;
  readonly version: string;
  readonly arch: string;
  readonly library: string;
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
