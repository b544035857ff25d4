/** Taking files that `salt-cp` sends inside of jobs (salt/modules/cp.py `recv`, `recv_chunked`, 3006.16). */
import { closeSync, chmodSync, openSync, statSync, writeFileSync, writeSync, type OpenMode } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { diskRefusal } from '../../../host/disk-refusal.ts';
import { makeFolders } from '../../../host/make-folders.ts';
import { describeOsError, PythonError } from '../../../python/exceptions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { type Dict, type Value } from '../../../python/values/value.ts';
import { asBytes } from '../../../formats/wire/msgpack.ts';
import { isDir } from '../../../python/paths.ts';

/** Content of one piece, unpacked; more is refused. */
const PIECE_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Writes whole files.
 * @param files path on the machine of `salt-cp` to content
 * @returns `{path: True}`, with the reason in place of False, or `Destination
 *   unavailable`
 */
export function receiveFiles(files: Dict, dest: string): Value {
  const written: Dict = new Map();
  for (const [source, data] of files) {
    const name = basename(pyStr(source));
    let path = dest;
    if (isDir(dest)) path = join(dest, name);
    else if (name !== basename(dest) && !isDir(dirname(dest))) return 'Destination unavailable';
    try {
      writeFileSync(path, asBytes(data) ?? pyStr(data));
      written.set(path, true);
    } catch (error) {
      // Salt compat: Salt's answer is False, which says nothing of the reason
      written.set(path, reasonOf(error, path));
    }
  }
  return written;
}

/** One piece as `salt-cp --chunked` sends it. */
export interface ReceivedPiece {
  readonly dest: string;
  /** base64; null asks for a folder. */
  readonly chunk: string | undefined;
  readonly append: boolean;
  readonly compressed: boolean;
  /** Permission bits for a new file. */
  readonly mode: number | undefined;
}

/** Writes one piece. @returns True, or what went wrong, with return code 1 */
export function receivePiece(ctx: ModuleContext, piece: ReceivedPiece): Value {
  const { dest, chunk, append, compressed, mode } = piece;
  const failed = (error: unknown): string => {
    ctx.setRetcode(1);
    return reasonOf(error, dest);
  };
  try {
    if (chunk === undefined) return makeFolder(dest);
    const bytes = Buffer.from(chunk, 'base64');
    const content = compressed ? unpack(bytes) : bytes;
    writeContent(dest, content, append ? 'a' : 'w');
    const bits = mode;
    if (!append && bits !== undefined) chmodSync(dest, bits & 0o7777);
    return true;
  } catch (error) {
    if (error instanceof PythonError) throw error;
    return failed(error);
  }
}

/** What is said of a file that could not be written. */
function reasonOf(error: unknown, path: string): string {
  const { message } = diskRefusal(error, path) ?? describeOsError(error as Error) ?? (error as Error);
  return message;
}

function makeFolder(dest: string): Value {
  if (statSync(dest, { throwIfNoEntry: false })?.isFile()) return 'Path exists and is a file';
  makeFolders(dest);
  return true;
}

function unpack(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: PIECE_BYTES_MAX });
  } catch (error) {
    throw new PythonError('gzip.BadGzipFile', (error as Error).message);
  }
}

function writeContent(dest: string, content: Buffer, flags: OpenMode): void {
  let fd: number;
  try {
    fd = openSync(dest, flags, 0o666);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolders(dirname(dest));
    fd = openSync(dest, flags, 0o666);
  }
  try {
    for (let at = 0; at < content.length;) at += writeSync(fd, content, at);
  } finally {
    closeSync(fd);
  }
}
