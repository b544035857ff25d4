/**
 * glibc's names for the operating system's errors, which users know from Python; libuv words some of them otherwise.
 */
import { getSystemErrorMap } from 'node:util';
import { textRepr } from './values/repr.ts';

/** Where glibc's text is not libuv's with a capital letter (Linux). */
const GLIBC: ReadonlyMap<string, string> = new Map([
  ['E2BIG', 'Argument list too long'],
  ['EAGAIN', 'Resource temporarily unavailable'],
  ['EBADF', 'Bad file descriptor'],
  ['EBUSY', 'Device or resource busy'],
  ['ECONNABORTED', 'Software caused connection abort'],
  ['EEXIST', 'File exists'],
  ['EFBIG', 'File too large'],
  ['EHOSTUNREACH', 'No route to host'],
  ['EIO', 'Input/output error'],
  ['EISDIR', 'Is a directory'],
  ['ELOOP', 'Too many levels of symbolic links'],
  ['EMFILE', 'Too many open files'],
  ['ENAMETOOLONG', 'File name too long'],
  ['ENFILE', 'Too many open files in system'],
  ['ENOENT', 'No such file or directory'],
  ['ENOMEM', 'Cannot allocate memory'],
  ['ENOSYS', 'Function not implemented'],
  ['ENOTCONN', 'Transport endpoint is not connected'],
  ['ENOTSUP', 'Operation not supported'],
  ['ENXIO', 'No such device or address'],
  ['EPERM', 'Operation not permitted'],
  ['EROFS', 'Read-only file system'],
  ['ESPIPE', 'Illegal seek'],
  ['ESRCH', 'No such process'],
  ['ETXTBSY', 'Text file busy'],
  ['EXDEV', 'Invalid cross-device link'],
]);

/** Errors that libuv has no text for, by number (Linux). */
const UNKNOWN_TO_LIBUV: ReadonlyMap<number, string> = new Map([
  [8, 'Exec format error'],
  [10, 'No child processes'],
  [15, 'Block device required'],
  [62, 'Timer expired'],
  [122, 'Disk quota exceeded'],
]);

/** What glibc's `getaddrinfo` answers, by libuv's number for it: Python's number and text (`socket.gaierror`). */
const RESOLVER: ReadonlyMap<number, readonly [number, string]> = new Map([
  [-3001, [-3, 'Temporary failure in name resolution']],
  [-3002, [-1, 'Bad value for ai_flags']],
  [-3004, [-4, 'Non-recoverable failure in name resolution']],
  [-3005, [-6, 'ai_family not supported']],
  [-3006, [-10, 'Memory allocation failure']],
  [-3007, [-5, 'No address associated with hostname']],
  [-3008, [-2, 'Name or service not known']],
  [-3010, [-8, 'Servname not supported for ai_socktype']],
  [-3011, [-7, 'ai_socktype not supported']],
]);

/** Python's `OSError.strerror` of an error of Node's; undefined for errors that do not come from the system. */
export function strerror(error: unknown): string | undefined {
  const { errno } = error as NodeJS.ErrnoException;
  if (typeof errno !== 'number') return undefined;
  return RESOLVER.get(errno)?.[1] ?? strerrorOf(-errno);
}

/** Python's `OSError.errno`: positive, or negative when a name could not be resolved. */
export function errnoOf(error: unknown): number {
  const { errno = 0 } = error as NodeJS.ErrnoException;
  return RESOLVER.get(errno)?.[0] ?? -errno;
}

/** The text of an error of the system by its number, which is positive; undefined for an unknown one. */
export function strerrorOf(errno: number): string | undefined {
  const [name, text] = getSystemErrorMap().get(-errno) ?? [];
  if (name === undefined || text === undefined) return UNKNOWN_TO_LIBUV.get(errno);
  return GLIBC.get(name) ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Python's `str(OSError)`: `[Errno 2] No such file or directory: 'a'`; any other error's own message. */
export function osErrorText(error: unknown): string {
  const text = strerror(error);
  if (text === undefined) return error instanceof Error ? error.message : String(error);
  const { path } = error as NodeJS.ErrnoException;
  const { dest } = error as { dest?: unknown };
  const places = [path, dest].filter((place): place is string => typeof place === 'string').map(textRepr);
  return `[Errno ${errnoOf(error)}] ${text}${places.length === 0 ? '' : `: ${places.join(' -> ')}`}`;
}

/** True for an error of the operating system (Python's `except OSError`). */
export function isOsError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === 'number';
}

/** True for an error of the operating system with one of these names (`ENOENT`). */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return isOsError(error) && codes.includes(error.code ?? '');
}
