/**
 * Lists of the files of single layers, for backends whose files do not lie in `file_roots`. Links are never followed.
 */
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { compareText } from '../../python/values/order.ts';
import type { Layer } from './layer.ts';
import type { FileLists } from './listing.ts';
import type { FileServerSettings } from './settings.ts';

const LAYERS_MAX = 256;

interface Collected {
  readonly files: string[];
  readonly dirs: string[];
  readonly empty_dirs: string[];
  readonly links: Map<string, string>;
}

/** Makes the lists and keeps them: of what never changes for good, of the rest for `fileserver_list_cache_time`. */
export class LayerLists {
  readonly #settings: FileServerSettings;
  readonly #clock: Clock;
  readonly #known = new BoundedMap<string, { lists: Promise<FileLists>; untilMs: number }>(LAYERS_MAX);

  constructor(settings: FileServerSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** What one layer adds to its environment. */
  of(layer: Layer): Promise<FileLists> {
    const key = `${layer.folder}\0${layer.mountpoint}\0${layer.version ?? ''}`;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known.get(key);
    if (known !== undefined && nowMs < known.untilMs) return known.lists;
    const lists = this.#collect(layer);
    const isKnown = layer.isFixed || layer.version !== undefined;
    const untilMs = isKnown ? Infinity : nowMs + this.#settings.listCacheSeconds * 1000;
    this.#known.set(key, { lists, untilMs });
    return lists;
  }

  forget(): void {
    this.#known.clear();
  }

  async #collect(layer: Layer): Promise<FileLists> {
    const found: Collected = { files: [], dirs: [], empty_dirs: [], links: new Map() };
    const { mountpoint } = layer;
    const count = await this.#walk(found, layer, { path: layer.folder, below: '', shown: mountpoint });
    if (count > 0 && mountpoint !== '') found.dirs.push(mountpoint);
    for (const list of [found.files, found.dirs, found.empty_dirs]) list.sort(compareText);
    return found;
  }

  async #walk(
    found: Collected,
    layer: Layer,
    { path, below, shown }: { path: string; below: string; shown: string },
  ): Promise<number> {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const here = join(path, entry.name);
      const under = below === '' ? entry.name : `${below}/${entry.name}`;
      const name = shown === '' ? entry.name : `${shown}/${entry.name}`;
      const isListed = !this.#settings.isIgnored(name) && layer.hides?.(under) !== true;
      if (entry.isDirectory()) {
        const count = await this.#walk(found, layer, { path: here, below: under, shown: name });
        if (isListed) found.dirs.push(name);
        if (isListed && count === 0) found.empty_dirs.push(name);
      } else if (!isListed) continue;
      else if (!entry.isSymbolicLink()) found.files.push(name);
      else if (layer.isFixed) {
        found.files.push(name);
        const target = await readlink(here).catch(() => undefined);
        if (target !== undefined) found.links.set(name, target);
      }
    }
    return entries.length;
  }
}

/** Lists of several layers as those of one environment; of links with the same path the first counts. */
export function joinLists(all: readonly FileLists[]): FileLists {
  const [only] = all;
  if (all.length === 1 && only !== undefined) return only;
  const joined = (form: 'files' | 'dirs' | 'empty_dirs'): string[] =>
    [...new Set(all.flatMap((lists) => lists[form]))].sort(compareText);
  return {
    files: joined('files'),
    dirs: joined('dirs'),
    empty_dirs: joined('empty_dirs'),
    links: firstLinks(all),
  };
}

function firstLinks(all: readonly FileLists[]): Map<string, string> {
  const out = new Map<string, string>();
  for (const { links } of all) for (const [path, target] of links) if (!out.has(path)) out.set(path, target);
  return out;
}
