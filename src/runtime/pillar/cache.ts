/** The master's cache of rendered pillar (3006.16 salt/pillar/__init__.py `PillarCache`). */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { isValidMinionId, makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { packCachedPillars, readCachedPillars, type CachedPillar, type CachedPillars } from './cache-file.ts';
import { toNumber, type Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';

/** Environments kept for one minion: they are the minion's to name, so that the oldest goes when there are more. */
const ENVIRONMENTS_MAX = 20;
/** Minions kept in memory. */
const MEMORY_MAX = 5000;

/** Where the cache lies and how long it holds. */
export interface PillarCacheOptions {
  /** The folder `pillar_cache` below `cachedir`. */
  readonly folder: string;
  readonly ttlSeconds: number;
  readonly backend: 'disk' | 'memory';
  readonly clock: Clock;
}

/** The environments that a pillar was made for. */
export interface PillarEnvironments {
  readonly saltenv: string | null;
  readonly pillarenv: string | null;
}

/** Pillars by minion and environment. On disk one file for each minion, so that all workers share them. */
export class PillarCache {
  readonly #options: PillarCacheOptions;
  readonly #memory = new BoundedMap<string, CachedPillars>(MEMORY_MAX);

  constructor(options: PillarCacheOptions) {
    this.#options = options;
  }

  #read(id: string): CachedPillars {
    if (this.#options.backend === 'memory') return this.#memory.get(id) ?? new Map();
    try {
      return readCachedPillars(decode(readFileSync(this.#path(id)), 'local'), id);
    } catch {
      return new Map(); // none yet, or half-written by a program that died
    }
  }

  #path(id: string): string {
    return safeJoin(this.#options.folder, id);
  }

  /** A pillar that is young enough. */
  get(id: string, environments: PillarEnvironments): Dict | undefined {
    return isValidMinionId(id) ? this.#young(this.#read(id).get(entryName(environments))) : undefined;
  }

  #young(entry: CachedPillar | undefined): Dict | undefined {
    if (entry === undefined) return undefined;
    const age = this.#options.clock.nowMs() / 1000 - entry.time;
    return age >= 0 && age <= this.#options.ttlSeconds ? entry.pillar : undefined;
  }

  set(id: string, environments: PillarEnvironments, pillar: Dict): void {
    if (!isValidMinionId(id)) return;
    const all = new Map(this.#read(id));
    const time = Math.floor(this.#options.clock.nowMs() / 1000);
    const name = entryName(environments);
    all.delete(name);
    for (const oldest of [...all.keys()].slice(0, Math.max(0, all.size + 1 - ENVIRONMENTS_MAX)))
      all.delete(oldest);
    all.set(name, { time, pillar });
    if (this.#options.backend === 'memory') this.#memory.set(id, all);
    else {
      makeDirectory(this.#options.folder, 0o700);
      writeFileAtomic(this.#path(id), encode(packCachedPillars(all, id), 'local'), { mode: 0o600 });
    }
  }

  /** All that is kept for a minion, by environment; with `undefined` where it is too old left out. */
  show(id: string): Dict {
    const out: Dict = new Map();
    for (const [env, entry] of this.#read(id)) {
      const pillar = this.#young(entry);
      if (pillar) out.set(env, pillar);
    }
    return out;
  }

  /** Forgets a minion. */
  clear(id: string): void {
    this.#memory.delete(id);
    if (isValidMinionId(id)) rmSync(this.#path(id), { force: true });
  }
}

/**
 * Under which name an entry is kept: the `pillarenv`, and a `saltenv` that is not the usual one, which templates see,
 * too.
 */
function entryName({ saltenv, pillarenv }: PillarEnvironments): string | null {
  if (saltenv === null || saltenv === 'base') return pillarenv;
  return `${pillarenv ?? ''}, saltenv ${saltenv}`;
}

/** The cache that the options describe, or undefined without `pillar_cache`. */
export function pillarCache(opts: Dict, clock: Clock, always = false): PillarCache | undefined {
  if (opts.get('pillar_cache') !== true && !always) return undefined;
  return new PillarCache({
    folder: join(String(opts.get('cachedir')), 'pillar_cache'),
    ttlSeconds: toNumber(opts.get('pillar_cache_ttl')) ?? 3600,
    backend: opts.get('pillar_cache_backend') === 'memory' ? 'memory' : 'disk',
    clock,
  });
}
