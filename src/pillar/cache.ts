/** The master's cache of rendered pillar (3006.16 salt/pillar/__init__.py `PillarCache`). */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedMap } from '../host/bounded-map.ts';
import type { Clock } from '../host/clock.ts';
import { isValidMinionId, makeDirectory, safeJoin, writeFileAtomic } from '../host/files.ts';
import { isDict, toNumber, type Dict, type Value } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';

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

/** Pillars by minion and environment. On disk one file for each minion, so that all workers share them. */
export class PillarCache {
  readonly #options: PillarCacheOptions;
  readonly #memory = new BoundedMap<string, Dict>(MEMORY_MAX);

  constructor(options: PillarCacheOptions) {
    this.#options = options;
  }

  #read(id: string): Dict {
    if (this.#options.backend === 'memory') return this.#memory.get(id) ?? new Map();
    try {
      const value = decode(readFileSync(this.#path(id)), 'local');
      return isDict(value) ? value : new Map();
    } catch {
      return new Map(); // none yet, or half-written by a program that died
    }
  }

  #path(id: string): string {
    return safeJoin(this.#options.folder, id);
  }

  /** A pillar that is young enough. */
  get(id: string, pillarenv: string | null): Dict | undefined {
    if (!isValidMinionId(id)) return undefined;
    const entry = this.#read(id).get(pillarenv);
    if (!isDict(entry)) return undefined;
    const age = this.#options.clock.nowMs() / 1000 - (toNumber(entry.get('time')) ?? 0);
    const pillar = entry.get('pillar');
    return age >= 0 && age <= this.#options.ttlSeconds && isDict(pillar) ? pillar : undefined;
  }

  set(id: string, pillarenv: string | null, pillar: Dict): void {
    if (!isValidMinionId(id)) return;
    const all = new Map(this.#read(id));
    const time = Math.floor(this.#options.clock.nowMs() / 1000);
    all.set(
      pillarenv,
      new Map<Value, Value>([
        ['time', time],
        ['pillar', pillar],
      ]),
    );
    if (this.#options.backend === 'memory') this.#memory.set(id, all);
    else {
      makeDirectory(this.#options.folder, 0o700);
      writeFileAtomic(this.#path(id), encode(all, 'local'), { mode: 0o600 });
    }
  }

  /** All that is kept for a minion, by environment; with `undefined` where it is too old left out. */
  show(id: string): Dict {
    const out: Dict = new Map();
    for (const env of this.#read(id).keys()) {
      const pillar = this.get(id, env as string | null);
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
