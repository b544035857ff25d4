/** A library as package-lock.json has it. */
export interface LockedLibrary {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
}

/** A bill of materials in CycloneDX 1.6, as JSON. */
export function billOfMaterials(
  payload: { readonly version: string; readonly node: string },
  packages: Readonly<Record<string, LockedLibrary>>,
  paths: readonly string[],
): string;
