import type { PackageDefinition } from './packages.mjs';

/** RPM's names of architectures, by Debian's. */
export const RPM_ARCHITECTURES: Readonly<Record<string, string>>;
/** The description of all packages; throws for a version that is none of RPM's. */
export function specOf(
  packages: readonly PackageDefinition[],
  settings: { readonly tree: string; readonly maintainer: string; readonly timeS: number },
): string;
