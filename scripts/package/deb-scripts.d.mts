import type { packagesOf } from './packages.mjs';

/** The scripts of a package, by their names. */
export function maintainerScripts(definition: ReturnType<typeof packagesOf>[number]): [string, string][];
