/**
 * What `clean` leaves alone and what it removes. Follows 3006.16 salt/states/file.py `_gen_keep_files`, `_clean_dir`.
 */
import { rmSync } from 'node:fs';
import { includeExclude } from '../../../storage/fileclient/pattern.ts';
import { walk } from '../../../host/file-operations.ts';
import { absPath, dirName, isAbs, isDir, joinPath, relativePath } from '../../../python/paths.ts';
import { isOsError } from '../../../python/os-errors.ts';
import { textArgument } from '../../shared/file-params.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { recursedPlaces } from './recurse-files.ts';

/** The paths that the required states of `file` manage within a folder. */
export async function keptByRequired(
  ctx: StateContext,
  folder: string,
  require: Value,
): Promise<Set<string>> {
  const kept = new Set<string>();
  const wanted = (Array.isArray(require) ? require : []).flatMap((item) => {
    const id = isDict(item) ? item.get('file') : undefined;
    return id === undefined ? [] : [id];
  });
  for (const id of wanted) {
    for (const low of ctx.state.lowstate) {
      if (!valuesEqual(low.get('name') ?? null, id) && !valuesEqual(low.get('__id__') ?? null, id)) continue;
      for (const path of await managedBy(ctx, low, folder)) kept.add(path);
    }
  }
  return kept;
}

async function managedBy(ctx: StateContext, low: Dict, folder: string): Promise<Iterable<string>> {
  const path = textArgument(low.get('name') ?? null);
  if (!isDir(path)) return [path];
  if (relativePath(path, folder).startsWith('..')) return [];
  if (low.get('fun') === 'recurse') return recursedPlaces(ctx, low);
  return allBelow(path);
}

function allBelow(top: string): string[] {
  const found = [top];
  for (const { path, folders, files } of walk(top))
    for (const name of [...files, ...folders]) found.push(joinPath(path, name));
  return found;
}

/** Tells which paths `exclude_pat` leaves to `clean`; the path is one below the folder. */
export function cleanable(folder: string, excludePattern: Value): (path: string) => boolean {
  const isIncluded = includeExclude(null, excludePattern);
  return (path) => isIncluded(relativePath(path, folder));
}

/**
 * Removes what is not kept; in test mode only tells.
 * @param kept files and folders; the folders that hold them stay as well
 * @returns the paths, from the top
 */
export async function cleanFolder(
  ctx: StateContext,
  folder: string,
  kept: Iterable<string>,
  excludePattern: Value,
): Promise<string[]> {
  const stays = withParents(folder, kept);
  const isCleanable = cleanable(folder, excludePattern);
  const removed: string[] = [];
  for (const { path, folders, files } of walk(folder)) {
    for (const name of [...folders, ...files]) {
      const place = joinPath(path, name);
      if (stays.has(place) || !isCleanable(place)) continue;
      removed.push(place);
      if (!ctx.state.test) await removePlace(ctx, place);
    }
  }
  return removed;
}

async function removePlace(ctx: StateContext, place: string): Promise<void> {
  try {
    rmSync(place);
  } catch (error) {
    if (!isOsError(error) && (error as NodeJS.ErrnoException).code !== 'ERR_FS_EISDIR') throw error;
    await ctx.functions.call('file.remove', [place]);
  }
}

/** Paths, and the folders from a folder down to them. */
export function withParents(folder: string, kept: Iterable<string>): ReadonlySet<string> {
  const all = new Set([folder]);
  for (const given of kept) {
    if (!isAbs(given)) continue;
    for (let path = absPath(given); !all.has(path); path = dirName(path)) all.add(path);
  }
  return all;
}
