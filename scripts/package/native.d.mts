/** The native files below a folder; throws when one is of another machine, or one that is needed is missing. */
export function checkNative(folder: string, arch: string, needed: readonly string[]): string[];
