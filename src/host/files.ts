/** The one place that builds paths from outside data and that creates files, with their final mode from the start. */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { UnsafePathError } from '../errors/errors.ts';
import { systemClock } from './clock.ts';
import { diskRefusal, writing } from './disk-refusal.ts';
import { syncFolder } from './disk-sync.ts';
import { systemRandom } from './random.ts';

/**
 * Joins one or more names from outside below a folder that we chose.
 * @param root the folder that must not be left
 * @param parts names or relative paths from outside
 * @returns the absolute path, inside `root`
 * @throws UnsafePathError when a part holds NUL or backslash, is absolute or empty, or the result is not below `root`
 */
export function safeJoin(root: string, ...parts: string[]): string {
  const base = resolve(root);
  for (const part of parts) {
    if (part === '' || part.includes('\0') || part.includes('\\') || part.startsWith('/')) {
      throw new UnsafePathError(`The name ${JSON.stringify(part)} cannot be used below ${base}.`);
    }
  }
  const path = resolve(base, ...parts);
  if (!path.startsWith(base === sep ? sep : base + sep)) {
    throw new UnsafePathError(`The path ${JSON.stringify(parts.join('/'))} would leave ${base}.`);
  }
  return path;
}

/** True when `id` may name a minion, and so a file of its key (salt/utils/verify.py `valid_id`, 3006.16). */
export function isValidMinionId(id: unknown): id is string {
  if (typeof id !== 'string' || id === '' || id.length > 255) return false;
  return !/[/\\\0\n]/.test(id) && id !== '.' && id !== '..' && Buffer.byteLength(id) <= 255;
}

/** Bits of a new file's life. */
export interface FileCreation {
  /** Permission bits, e.g. `0o600`; they hold from the first moment, whatever the umask. */
  readonly mode: number;
  /** Bring the file and its name to the disk itself before returning, so that it outlives a failure of power. */
  readonly durable?: boolean;
}

/**
 * Writes a whole file so that nobody ever sees half of it: a fresh temporary file beside it, then a rename.
 * @throws DiskRefusesError, or another error of the operating system, with nothing left behind
 */
export function writeFileAtomic(path: string, content: string | Uint8Array, creation: FileCreation): void {
  const temporary = join(dirname(path), `.${systemRandom.bytes(9).toString('base64url')}.tmp`);
  try {
    createUnsynced(temporary, content, creation);
    renameSync(temporary, path);
    if (creation.durable) syncFolder(dirname(path));
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // it was never created, or the rename had already taken it away
    }
    throw diskRefusal(error, path) ?? error;
  }
}

/**
 * Writes over a file of as many bytes with this mode, or else what {@link writeFileAtomic} does. Whoever reads in that
 * moment may see some of the old bytes and some of the new ones, so it is for what readers check. A rename gives an
 * inode free for each file, and ext4 does not use one again for 35 seconds: to create a file it then looks at all of
 * them, which takes a millisecond when there are thousands.
 * @throws the operating system's error
 */
export function overwriteFile(path: string, content: string, creation: FileCreation): void {
  const bytes = Buffer.from(content);
  const fd = openLike(path, bytes.length, creation.mode);
  if (fd === undefined) return writeFileAtomic(path, content, creation);
  writing(path, () => writeAndClose(fd, bytes, creation));
}

/**
 * What {@link writeFileAtomic} does, unless the file has these bytes and this mode: then only its time is set, which
 * costs a fraction.
 * @returns whether it was written
 * @throws the operating system's error
 */
export function writeFileIfChanged(path: string, bytes: Uint8Array, creation: FileCreation): boolean {
  const fd = openLike(path, bytes.length, creation.mode);
  if (fd === undefined || !hadBytes(fd, bytes)) {
    writeFileAtomic(path, bytes, creation);
    return true;
  }
  return false;
}

/** Compares an open file with bytes, sets its time when it has them, and closes it. */
function hadBytes(fd: number, bytes: Uint8Array): boolean {
  try {
    const isSame = readFileSync(fd).equals(bytes);
    const nowS = systemClock.nowMs() / 1000;
    if (isSame) futimesSync(fd, nowS, nowS);
    return isSame;
  } finally {
    closeSync(fd);
  }
}

/**
 * Opens a regular file of this process's user, of this size and mode and with one name; undefined when there is no such
 * one.
 */
function openLike(path: string, sizeBytes: number, mode: number): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  const found = fstatSync(fd);
  const isLike =
    found.isFile() &&
    found.size === sizeBytes &&
    (found.mode & 0o7777) === mode &&
    found.nlink === 1 &&
    found.uid === process.geteuid?.();
  if (isLike) return fd;
  closeSync(fd);
  return undefined;
}

/** Creates a file that must not exist yet. @throws EEXIST among others */
export function createFile(path: string, content: string | Uint8Array, creation: FileCreation): void {
  writing(path, () => {
    createUnsynced(path, content, creation);
    if (creation.durable) syncFolder(dirname(path));
  });
}

/** Creates a file whose name the disk may not have yet. */
function createUnsynced(path: string, content: string | Uint8Array, creation: FileCreation): void {
  const umask = process.umask(0);
  let fd: number;
  try {
    fd = openSync(path, 'wx', creation.mode);
  } finally {
    process.umask(umask);
  }
  writeAndClose(fd, typeof content === 'string' ? Buffer.from(content) : content, creation);
}

function writeAndClose(fd: number, bytes: Uint8Array, { durable }: FileCreation): void {
  try {
    // one write may take less than all of it, on a disk that is nearly full
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Creates a folder and its parents; the folder itself gets `mode` whatever the umask. Existing folders are kept. */
export function makeDirectory(path: string, mode: number): void {
  const umask = process.umask(0o022);
  try {
    mkdirSync(dirname(path), { recursive: true });
    process.umask(0);
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw diskRefusal(error, path) ?? error;
  } finally {
    process.umask(umask);
  }
}

/** The text of a file, or undefined when there is none. @throws every error but "no such file" */
export function readTextIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
