/** Errors of the operating system that reach the end of a program, as sentences with the path and what to do. */

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not. Run the program as the user who may, or let this one in.'],
  ['EPERM', 'this user may not. Run the program as the user who may, or let this one in.'],
  [
    'EROFS',
    'the file system is mounted to be read only. Mount it to be written, or name another folder in the configuration.',
  ],
  ['ENOSPC', 'no room, or no inode, is left on its file system. Make room there, and try again.'],
  ['EDQUOT', 'the quota of its owner is used up. Make room there, or raise the quota, and try again.'],
]);

/** @returns undefined for an error that does not say enough: it has no path, or is of another kind */
export function systemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  const meaning = code === undefined ? undefined : MEANINGS.get(code);
  if (meaning === undefined || path === undefined) return undefined;
  return `${path} cannot be used (${syscall ?? 'access'}, ${code}): ${meaning}`;
}
