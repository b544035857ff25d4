import type { PackageDefinition } from './packages.mjs';

/** The scripts of a package, by their names. */
export function scriptlets(definition: PackageDefinition): [string, string][];
