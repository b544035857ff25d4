/** Errors of the operating system that reach the end of a program, as sentences with the path and what to do. */
import { diskRefusal } from '../../host/disk-refusal.ts';

const FORBIDDEN = new Set(['EACCES', 'EPERM']);

/** @returns undefined for an error that does not say enough: it has no path, or is of another kind */
export function systemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (path !== undefined && FORBIDDEN.has(code ?? ''))
    return `${path} cannot be used (${syscall ?? 'access'}, ${code}): this user may not. Run the program as the user who may, or let this one in.`;
  return diskRefusal(error)?.message;
}
