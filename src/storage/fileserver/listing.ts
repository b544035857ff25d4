/**
 * Lists of the files, folders, empty folders and links of an environment (salt/fileserver/roots.py `_file_lists`,
 * 3006.16).
 */
import type { Dirent } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, normalize, relative } from 'node:path';
import { compareText } from '../../python/values/order.ts';
import type { FileServerSettings } from './settings.ts';

/** What an environment holds; paths are relative and sorted. */
export interface FileLists {
  readonly files: readonly string[];
  readonly dirs: readonly string[];
  readonly empty_dirs: readonly string[];
  /** Link to what it says. */
  readonly links: ReadonlyMap<string, string>;
}

/** The kinds of lists. */
export type ListForm = keyof FileLists;

interface Collected {
  readonly files: Set<string>;
  readonly dirs: Set<string>;
  readonly emptyDirs: Set<string>;
  readonly links: Map<string, string>;
}

/** A folder on the way down. */
interface Visit {
  readonly path: string;
  /** Below the folder of the environment; empty for that itself. */
  readonly rel: string;
  /** `device.inode` of the folders above: a link back to one of them is not followed for ever. */
  readonly above: readonly string[];
}

/** Walks the folders of an environment. What cannot be read is left out. */
export async function listFiles(
  settings: FileServerSettings,
  folders: readonly string[],
): Promise<FileLists> {
  const found: Collected = { files: new Set(), dirs: new Set(), emptyDirs: new Set(), links: new Map() };
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => undefined);
    if (root !== undefined) await walk(settings, found, root, { path: folder, rel: '', above: [] });
  }
  const sorted = (set: Set<string>): string[] => [...set].sort(compareText);
  return {
    files: sorted(found.files),
    dirs: sorted(found.dirs),
    empty_dirs: sorted(found.emptyDirs),
    links: found.links,
  };
}

async function walk(
  settings: FileServerSettings,
  found: Collected,
  root: string,
  visit: Visit,
): Promise<number> {
  const identity = await identityOf(visit.path);
  if (identity === undefined || visit.above.includes(identity)) return -1;
  const entries = await entriesOf(visit.path);
  const above = [...visit.above, identity];
  for (const entry of entries) {
    const path = join(visit.path, entry.name);
    const rel = visit.rel === '' ? entry.name : `${visit.rel}/${entry.name}`;
    const isFolder = await leadsToFolder(entry, path);
    const isListed = isShown(settings, entry, rel);
    if (isListed) (isFolder ? found.dirs : found.files).add(rel);
    if (isListed && entry.isSymbolicLink()) await addLink(settings, found, root, path, rel);
    if (!isFolder) continue;
    const isWalked = settings.followSymlinks || !entry.isSymbolicLink();
    const count = isWalked
      ? await walk(settings, found, root, { path, rel, above })
      : (await entriesOf(path)).length;
    if (isListed && count === 0) found.emptyDirs.add(rel);
  }
  return entries.length;
}

function isShown(settings: FileServerSettings, entry: Dirent, rel: string): boolean {
  return !(settings.ignoreSymlinks && entry.isSymbolicLink()) && !settings.isIgnored(rel);
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev}.${ino}`;
  } catch {
    return undefined;
  }
}

async function leadsToFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** A link that leads out of the environment is one only when it is not followed. */
async function addLink(
  { followSymlinks }: FileServerSettings,
  { links }: Collected,
  root: string,
  path: string,
  rel: string,
): Promise<void> {
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined) return;
  // Salt compat: a target that begins with `..` is joined to the link itself, one level too low
  const joined = target.startsWith('/')
    ? target
    : join(target.startsWith('..') ? path : join(path, '..'), target);
  const resolved = await realpath(normalize(joined)).catch(() => normalize(joined));
  if (!relative(root, resolved).startsWith('..') || !followSymlinks) links.set(rel, target);
}
