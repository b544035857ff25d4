/** Finding one file of an environment: the only place where a path from the network becomes a path of this machine. */
import { realpathSync, statSync, type BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import { UnsafePathError } from '../../errors/errors.ts';
import type { BoundedMap } from '../../host/bounded-map.ts';
import { safeJoin } from '../../host/files.ts';
import { pathInLayer, ROOTS, type Layer } from './layer.ts';
import { rootsLayers } from './roots.ts';
import type { FileServerSettings } from './settings.ts';

/** A file that is served. */
export interface FoundFile {
  /** Absolute path on this machine. */
  readonly path: string;
  /** Its path below the environment. */
  readonly rel: string;
  readonly saltenv: string;
  readonly stat: BigIntStats;
  /** The backend that has it. */
  readonly backend: string;
}

/** What a path asks for, after its query was read. */
export interface Wanted {
  readonly path: string;
  readonly saltenv: string;
  /** Position of the only folder to look into. */
  readonly index: number | undefined;
}

/** Files of folders that never change, by folder and path below it. */
export type FixedFiles = Pick<BoundedMap<string, { path: string; stat: BigIntStats }>, 'get' | 'set'>;

/**
 * Finds a file (salt/fileserver/__init__.py `find_file`, salt/fileserver/roots.py `find_file`, 3006.16).
 * @param fixed what is known of folders that never change; what is found in them is added
 * @returns undefined when there is none in these folders
 */
export function findInLayers(
  settings: FileServerSettings,
  { path, saltenv, index }: Wanted,
  layers: readonly Layer[],
  fixed?: FixedFiles,
): FoundFile | undefined {
  const chosen =
    index === undefined ? layers : layers.filter(({ backend }) => backend === ROOTS).slice(index, index + 1);
  for (const layer of chosen) {
    const below = pathInLayer(layer, path);
    if (below === undefined) continue;
    const at = fileIn(layer, below, fixed);
    if (at !== undefined && !settings.isIgnored(at.path))
      return { ...at, rel: path, saltenv, backend: layer.backend };
  }
  return undefined;
}

function fileIn(
  layer: Layer,
  below: string,
  fixed: FixedFiles | undefined,
): { path: string; stat: BigIntStats } | undefined {
  const key = layer.isFixed ? `${layer.folder}\0${below}` : '';
  const known = key === '' ? undefined : fixed?.get(key);
  if (known !== undefined) return known;
  const path = pathBelow(layer, below);
  if (path === undefined || layer.hides?.(below) === true) return undefined;
  const stat = fileAt(path);
  if (stat === undefined) return undefined;
  if (key !== '') fixed?.set(key, { path, stat });
  return { path, stat };
}

/** Finds a file in the folders of `file_roots`. */
export function findFile(settings: FileServerSettings, path: string, saltenv: string): FoundFile | undefined {
  const wanted = readWanted(path, saltenv);
  return wanted && findInLayers(settings, wanted, rootsLayers(settings, wanted.saltenv));
}

/**
 * Reads a path as it came: `web/index.html`, with `?saltenv=…` or, with special characters, behind a `|`; undefined
 * when none is to be served.
 */
export function readWanted(given: string, saltenv: string): Wanted | undefined {
  if (given.startsWith('|')) return usable({ path: given.replace(/^\|+/, ''), saltenv, index: undefined });
  // any other question mark is part of a name. Salt compat: Salt ends the path there
  const at = /\?(?:saltenv|env|index)=/.exec(given)?.index ?? given.length;
  const [path, query] = [given.slice(0, at), given.slice(at + 1)];
  let wanted: Wanted = { path, saltenv, index: undefined };
  for (const word of query.split('&')) {
    const at = word.indexOf('=');
    if (at < 0) continue;
    const value = word.slice(at + 1);
    if (word.slice(0, at) === 'saltenv') wanted = { ...wanted, saltenv: value };
    if (word.slice(0, at) === 'index') {
      if (!/^\d{1,9}$/.test(value)) return undefined;
      wanted = { ...wanted, index: Number(value) };
    }
  }
  return usable(wanted);
}

function usable(wanted: Wanted): Wanted | undefined {
  if (wanted.path === '' || wanted.path.startsWith('/') || wanted.path.split('/').includes('..'))
    return undefined;
  const path = posix.normalize(wanted.path).replace(/\/$/, '');
  return path === '.' || path === '' ? undefined : { ...wanted, path };
}

/** In what is confined, links must not lead out of the folder, wherever on the way they are. */
function pathBelow({ folder, realFolder, isConfined }: Layer, rel: string): string | undefined {
  try {
    const full = safeJoin(folder, rel);
    if (!isConfined) return full;
    const within = realFolder ?? realpathSync.native(folder);
    if (!realpathSync.native(full).startsWith(`${within}/`)) return undefined;
    return full;
  } catch (error) {
    if (error instanceof UnsafePathError || 'code' in (error as Error)) return undefined;
    throw error;
  }
}

function fileAt(path: string): BigIntStats | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat?.isFile() ? stat : undefined;
  } catch {
    return undefined; // a name that is too long, a folder that we may not enter
  }
}
