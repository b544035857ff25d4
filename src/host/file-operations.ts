/** What Python's `shutil`, `tempfile` and `os.walk` do with files (3.11), for the functions that are built on them. */
import {
  chmodSync,
  closeSync,
  constants,
  cpSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  opendirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
  type BigIntStats,
} from 'node:fs';
import { constants as osConstants, tmpdir } from 'node:os';
import { diskRefusal, writing } from './disk-refusal.ts';
import { createFile } from './files.ts';
import { baseName, isDir, isLink, joinPath } from '../python/paths.ts';
import type { Random } from './random.ts';
import { isOsError } from '../python/os-errors.ts';
import { makeFolders } from './make-folders.ts';

/** The beginning of the names of Salt's temporary files. */
export const TEMP_PREFIX = '__salt.tmp.';

/** A file that is made, or loses what it had. */
const OVERWRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;

/** The folder for temporary files, as Python chooses it. */
export function tempFolder(): string {
  return tmpdir();
}

/** What Python makes names of temporary files of (Lib/tempfile.py `_RandomNameSequence`), in its length. */
const NAME_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789_';
const NAME_LENGTH = 8;

/** A path for a temporary file or folder, with a name nobody can guess. */
export function tempPath(
  random: Random,
  options: { readonly prefix?: string; readonly suffix?: string; readonly folder?: string } = {},
): string {
  const chosen = [...random.bytes(NAME_LENGTH)].map((byte) => NAME_CHARACTERS[byte % NAME_CHARACTERS.length]);
  const name = `${options.prefix ?? TEMP_PREFIX}${chosen.join('')}${options.suffix ?? ''}`;
  return joinPath(options.folder ?? tempFolder(), name);
}

/** Creates an empty file with mode 0600 and a name nobody can guess. @returns its path */
export function makeTempFile(
  random: Random,
  options: {
    readonly prefix?: string;
    readonly suffix?: string;
    readonly folder?: string;
    readonly content?: string | Uint8Array;
  } = {},
): string {
  const path = tempPath(random, options);
  createFile(path, options.content ?? '', { mode: 0o600 });
  return path;
}

/**
 * `shutil.copyfile`: the content only, into a file that may exist; links are followed.
 * @throws DiskRefusesError, or another error of the system
 */
export function copyContent(source: string, target: string): void {
  const from = statSync(source);
  const to = statSync(target, { throwIfNoEntry: false });
  if (to !== undefined && from.dev === to.dev && from.ino === to.ino)
    throw new Error(`'${source}' and '${target}' are the same file`);
  const input = openSync(source, 'r');
  try {
    const output = writing(target, () => openSync(target, OVERWRITE, 0o666));
    try {
      const buffer = Buffer.allocUnsafe(Math.min(from.size, 256 * 1024) || 4096);
      for (let count = readSync(input, buffer); count > 0; count = readSync(input, buffer))
        writing(target, () => {
          for (let at = 0; at < count;) at += writeSync(output, buffer, at, count - at);
        });
    } finally {
      closeSync(output);
    }
  } finally {
    closeSync(input);
  }
}

/** `shutil.copy2`: content, permissions and times. */
export function copyWithFacts(source: string, target: string): void {
  const place = isDir(target) ? joinPath(target, baseName(source)) : target;
  copyContent(source, place);
  copyFacts(source, place);
}

/** `shutil.copystat`: permissions and times. */
function copyFacts(source: string, target: string): void {
  const facts = statSync(source, { bigint: true });
  utimesSync(target, seconds(facts.atimeNs), seconds(facts.mtimeNs));
  chmodSync(target, Number(facts.mode) & 0o7777);
}

function seconds(ns: bigint): number {
  return Number(ns) / 1e9;
}

/** `shutil.move`: a rename where that is possible, else a copy with its facts and the removal of the source. */
export function movePath(source: string, target: string): void {
  let place = target;
  if (isDir(target)) {
    place = joinPath(target, baseName(source.replace(/\/+$/, '')));
    if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) {
      throw Object.assign(new Error(`Destination path '${place}' already exists`), { errno: undefined });
    }
  }
  try {
    renameSync(source, place);
  } catch (error) {
    if (!isOsError(error)) throw error;
    if (isLink(source)) {
      symlinkSync(readlinkSync(source), place);
      unlinkSync(source);
    } else if (isDir(source)) {
      cpSync(source, place, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      rmSync(source, { recursive: true });
    } else {
      copyWithFacts(source, place);
      unlinkSync(source);
    }
  }
}

/** `shutil.copytree`: into a folder that must not exist. @param keepLinks links are copied as links, else followed */
export function copyTree(source: string, target: string, keepLinks = false): void {
  makeFolders(target);
  for (const entry of listFolder(source)) {
    const [from, to] = [joinPath(source, entry), joinPath(target, entry)];
    if (keepLinks && isLink(from)) symlinkSync(readlinkSync(from), to);
    else if (isDir(from)) copyTree(from, to, keepLinks);
    else copyWithFacts(from, to);
  }
  copyFacts(source, target);
}

/** The names in a folder in the file system's own order (`os.listdir`). */
export function listFolder(path: string): string[] {
  const folder = opendirSync(path);
  try {
    const names: string[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) names.push(entry.name);
    return names;
  } finally {
    folder.closeSync();
  }
}

/** One folder that {@link walk} visits. */
export interface WalkedFolder {
  readonly path: string;
  /** Names of folders below, links to folders included; taking names out keeps the walk from going there. */
  readonly folders: string[];
  readonly files: string[];
}

/** `os.walk`, from the top: links to folders are listed but not entered; folders that cannot be read are left out. */
export function* walk(top: string): Generator<WalkedFolder, void> {
  let names: string[];
  try {
    names = listFolder(top);
  } catch {
    return;
  }
  const folders: string[] = [];
  const files: string[] = [];
  for (const name of names) (isDir(joinPath(top, name)) ? folders : files).push(name);
  yield { path: top, folders, files };
  for (const name of folders) {
    const path = joinPath(top, name);
    if (!isLink(path)) yield* walk(path);
  }
}

/** Facts about a file as Python's `os.stat` gives them: times as seconds with a fraction. */
export interface StatFacts {
  readonly inode: number | bigint;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly links: number;
  readonly atime: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly rdev: number;
  readonly kind: 'file' | 'dir' | 'char' | 'block' | 'link' | 'pipe' | 'socket';
}

/** `os.stat` (or `os.lstat`). @throws the system's error */
export function statFacts(path: string, followLinks = true): StatFacts {
  const facts = followLinks ? statSync(path, { bigint: true }) : lstatSync(path, { bigint: true });
  return {
    inode: facts.ino <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(facts.ino) : facts.ino,
    mode: Number(facts.mode),
    uid: Number(facts.uid),
    gid: Number(facts.gid),
    size: Number(facts.size),
    links: Number(facts.nlink),
    atime: seconds(facts.atimeNs),
    mtime: seconds(facts.mtimeNs),
    ctime: seconds(facts.ctimeNs),
    rdev: Number(facts.rdev),
    kind: kindOf(facts),
  };
}

function kindOf(facts: BigIntStats): StatFacts['kind'] {
  if (facts.isDirectory()) return 'dir';
  if (facts.isCharacterDevice()) return 'char';
  if (facts.isBlockDevice()) return 'block';
  if (facts.isSymbolicLink()) return 'link';
  if (facts.isFIFO()) return 'pipe';
  return facts.isSocket() ? 'socket' : 'file';
}

/**
 * Replaces the content of a file in place: same inode, owner and permissions; a new file gets what the mask leaves.
 * @throws DiskRefusesError, or another error of the system
 */
export function writeInPlace(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  writing(path, () => {
    const fd = openSync(path, OVERWRITE, 0o666);
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    } finally {
      closeSync(fd);
    }
  });
}

/**
 * Replaces a file by a new one in one step (Salt's `atomic_open`): permissions and owner of the old one are kept where
 * that is allowed.
 */
export function replaceFile(random: Random, path: string, content: string | Uint8Array): void {
  const before = statSync(path, { throwIfNoEntry: false });
  const temporary = makeTempFile(random, {
    prefix: '.___atomic_write',
    folder: path.slice(0, path.lastIndexOf('/')) || '/',
  });
  try {
    const fd = openSync(temporary, 'r+');
    try {
      ftruncateSync(fd);
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      if (before !== undefined) fchownSync(fd, before.uid, before.gid);
      fchmodSync(fd, before === undefined ? 0o666 & ~process.umask() : before.mode & 0o7777);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw diskRefusal(error, path) ?? error;
  }
}

/** The first bytes of a file. */
export function readStart(path: string, length: number): Buffer {
  const fd = openToRead(path);
  try {
    const buffer = Buffer.alloc(length);
    let at = 0;
    for (let count = -1; at < length && count !== 0; at += count)
      count = readSync(fd, buffer, at, length - at, at);
    return buffer.subarray(0, at);
  } finally {
    closeSync(fd);
  }
}

/** The whole of a file. @throws the system's error, which names the path */
export function readBytes(path: string): Buffer {
  const fd = openToRead(path);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Opens a file for reading; a folder is refused at once, with its name. @returns a descriptor, to be closed */
export function openToRead(path: string): number {
  const fd = openSync(path, 'r');
  if (!fstatSync(fd).isDirectory()) return fd;
  closeSync(fd);
  throw Object.assign(new Error(`EISDIR: illegal operation on a directory, open '${path}'`), {
    errno: -osConstants.errno.EISDIR,
    code: 'EISDIR',
    path,
  });
}
