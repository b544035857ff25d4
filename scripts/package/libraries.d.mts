/** The paths of the libraries outside the bundles, and of what they need, in package-lock.json. */
export function loadedLibraries(
  packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly dependencies?: Readonly<Record<string, string>> }>
  >,
): string[];
