/**
 * The grains cache of the options `grains_cache`, `grains_cache_expiration` and `refresh_grains_cache`
 * (3006.16 salt/loader/__init__.py, grains and _load_cached_grains): `<cachedir>/grains.cache.p`, msgpack.
 */
import { readFileSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import { writeFileAtomic } from '../../../host/files.ts';
import type { Logger } from '../../../host/log.ts';
import { isDict, toNumber, truthy, type Dict } from '../../../python/values/value.ts';
import { decode, encode } from '../../../formats/wire/msgpack.ts';

const FILE_NAME = 'grains.cache.p';
const DEFAULT_EXPIRATION_S = 300;

/** What the cache needs. */
export interface GrainsCacheInput {
  /** The minion's options: cachedir, grains_cache, grains_cache_expiration, refresh_grains_cache, skip_grains. */
  readonly opts: Dict;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The cache file's path, or undefined without a `cachedir`. */
export function grainsCachePath(opts: Dict): string | undefined {
  const folder = opts.get('cachedir');
  return typeof folder === 'string' && folder !== '' ? join(folder, FILE_NAME) : undefined;
}

/**
 * The cached grains.
 * @returns undefined when there are none, when they are older than `grains_cache_expiration` seconds, when
 *   `refresh_grains_cache` is set, or when the file cannot be read
 */
export function loadCachedGrains({ opts, clock, log }: GrainsCacheInput): Dict | undefined {
  const path = grainsCachePath(opts);
  if (path === undefined || truthy(opts.get('refresh_grains_cache'))) return undefined;
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    if (!facts?.isFile()) return undefined;
    const ageS = Math.trunc((clock.nowMs() - facts.mtimeMs) / 1000);
    const limitS = toNumber(opts.get('grains_cache_expiration')) ?? DEFAULT_EXPIRATION_S;
    if (ageS > limitS) {
      log.debug(`The grains cache ${path} is ${ageS} s old and valid for ${limitS} s; collecting anew.`);
      return undefined;
    }
    const grains = decode(readFileSync(path), 'local');
    return isDict(grains) && grains.size > 0 ? grains : undefined;
  } catch (error) {
    log.debug(`The grains cache ${path} cannot be read (${messageOf(error)}); collecting anew.`);
    return undefined;
  }
}

/** Writes the grains, readable by us alone. A failure is logged and leaves no file behind. */
function storeCachedGrains({ opts, log }: GrainsCacheInput, grains: Dict): void {
  const path = grainsCachePath(opts);
  if (path === undefined) return;
  try {
    writeFileAtomic(path, encode(grains, 'local'), { mode: 0o600 });
  } catch (error) {
    log.error(`The grains cache ${path} cannot be written: ${messageOf(error)}`, error);
    try {
      unlinkSync(path);
    } catch {
      // there was none
    }
  }
}

/**
 * The grains by the options: from the cache when it is on and good, else collected, and then cached.
 * @param collect collects the grains; not called when the cache serves or `skip_grains` is set
 * @param options `force`: collect although the cache is good (a refresh)
 */
export async function cachedGrains(
  input: GrainsCacheInput,
  collect: () => Promise<Dict>,
  options: { readonly force?: boolean } = {},
): Promise<Dict> {
  const { opts } = input;
  const useCache = truthy(opts.get('grains_cache'));
  const cached = useCache && !options.force ? loadCachedGrains(input) : undefined;
  if (cached) return cached;
  if (truthy(opts.get('skip_grains'))) return new Map();
  const grains = await collect();
  if (useCache) storeCachedGrains(input, grains);
  return grains;
}
