/**
 * `archive.unzip` and `archive.zip` (3006.16 salt/modules/archive.py, 3.11 Lib/zipfile.py). Stricter than both: nothing
 * is written, linked or given a mode outside of the folder it was meant for; an archive with such names or links is
 * refused as a whole.
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync, symlinkSync, writeSync } from 'node:fs';
import { relative } from 'node:path';
import { makeFolders } from '../../../host/make-folders.ts';
import { walk } from '../../../host/file-operations.ts';
import { dirName, isDir, isLink, joinPath, normPath, pathExists, realPath } from '../../../python/paths.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import { describeOsError } from '../../../python/exceptions.ts';
import { inspectZip, type ArchiveLimits } from './inspect.ts';
import { ZipError } from './zip-format.ts';
import { isZipLink, linkTargetOf } from './zip-members.ts';
import { ZipReader, type ZipEntry } from './zip-reader.ts';
import { ZipWriter } from './zip-writer.ts';

const PERMISSIONS = 0o7777;

/** How to unpack. */
export interface UnpackOptions {
  readonly excludes: readonly string[];
  readonly password: string | undefined;
  readonly keepsModes: boolean;
  readonly limits: ArchiveLimits;
}

/** Unpacks an archive. @returns the names of what was unpacked @throws UnsafeArchiveError before anything is written */
export async function unpackZip(
  path: string,
  dest: string,
  { excludes, password, keepsModes, limits }: UnpackOptions,
): Promise<string[]> {
  await inspectZip({ path, folder: dest, limits }, password);
  const zip = new ZipReader(path);
  try {
    const wanted = zip.entries.filter(({ name }) => !excludes.includes(name));
    for (const entry of wanted) {
      if (isZipLink(entry)) await makeLink(zip, entry, dest, password);
      else await unpackEntry(zip, entry, { dest, password, keepsModes });
    }
    return wanted.map(({ name }) => name);
  } finally {
    zip.close();
  }
}

/** The place of an entry, without `.` and doubled slashes. */
function placeOf(dest: string, name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  return normPath(joinPath(dest, parts.join('/')));
}

/** Links that stood there, or came with the archive, must not lead out of the folder. */
function checkInside(dest: string, path: string, name: string): void {
  const root = realPath(dest);
  const real = realPath(path);
  if (real === root || real.startsWith(root === '/' ? root : `${root}/`)) return;
  throw new ZipError(`${name} would be written to ${real}, outside of ${dest}`);
}

async function makeLink(
  zip: ZipReader,
  entry: ZipEntry,
  dest: string,
  password: string | undefined,
): Promise<void> {
  const target = await linkTargetOf(zip, entry, password);
  const path = placeOf(dest, entry.name);
  checkInside(dest, dirName(path), entry.name);
  try {
    symlinkSync(decodeUtf8(target) ?? target, path);
  } catch (error) {
    // Python has the link's target as bytes
    const text = error instanceof Error ? describeOsError(error)?.message : undefined;
    throw text === undefined ? error : new ZipError(text.replace(": '", ": b'"));
  }
}

async function unpackEntry(
  zip: ZipReader,
  entry: ZipEntry,
  { dest, password, keepsModes }: { dest: string; password: string | undefined; keepsModes: boolean },
): Promise<void> {
  const path = placeOf(dest, entry.name);
  const isFolder = entry.name.endsWith('/');
  const above = dirName(path);
  if (pathExists(dest)) checkInside(dest, path, entry.name);
  if (above !== '' && !pathExists(above)) makeFolders(above);
  if (isFolder) {
    if (!isDir(path)) mkdirSync(path);
  } else await writeContent(zip, entry, path, password);
  if (!keepsModes) return;
  const umask = process.umask();
  const mode = entry.mode === 0 ? (isFolder ? 0o777 : 0o666) & ~umask : entry.mode;
  if (!isLink(path)) chmodSync(path, mode & PERMISSIONS);
}

async function writeContent(
  zip: ZipReader,
  entry: ZipEntry,
  path: string,
  password: string | undefined,
): Promise<void> {
  const content = zip.content(entry, password === undefined ? undefined : Buffer.from(password));
  const first = await content.next();
  const fd = openSync(path, 'w', 0o666);
  try {
    for (let step = first; step.done !== true; step = await content.next())
      for (let at = 0; at < step.value.length;) at += writeSync(fd, step.value, at);
  } finally {
    closeSync(fd);
  }
}

/** `ZipFile.testzip`: reads everything. @throws ZipError when a password is needed */
export async function readWholeZip(path: string): Promise<void> {
  const zip = new ZipReader(path);
  try {
    for (const entry of zip.entries) for await (const piece of zip.content(entry)) void piece;
  } finally {
    zip.close();
  }
}

/** Packs files and folders. @returns the names within the archive; sources that do not exist are left out */
export async function packZip(
  path: string,
  sources: readonly string[],
  { cwd, allowsBig }: { readonly cwd: string | undefined; readonly allowsBig: boolean },
): Promise<string[]> {
  const zip = new ZipWriter(path, allowsBig);
  const names: string[] = [];
  const nameOf = (file: string): string =>
    relative(cwd !== undefined && file.startsWith(cwd) ? cwd : '/', normPath(file)) || '.';
  const add = async (file: string, name: string, isFolder: boolean): Promise<void> => {
    names.push(isFolder ? `${name}/` : name);
    await zip.add(file, normPath(name).replace(/^\/+/, ''));
  };
  try {
    for (const given of sources) {
      const source = cwd === undefined ? given : joinPath(cwd, given);
      if (!pathExists(source)) continue;
      if (!statSync(source).isDirectory()) {
        await add(source, nameOf(source), false);
        continue;
      }
      for (const { path: folder, files } of walk(source)) {
        const name = nameOf(folder);
        await add(folder, name, true);
        for (const file of files) await add(joinPath(folder, file), joinPath(name, file), false);
      }
    }
    zip.finish();
  } finally {
    zip.close();
  }
  return names;
}
