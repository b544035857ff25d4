/**
 * The file in which a minion's rendered pillar is cached, as Salt reads and writes it (salt/utils/cache.py `CacheDisk`,
 * 3006.16 and 3007), so that a master of either kind goes on with what the other has left: `CacheDisk_data` holds the
 * pillars of the minion by environment, `CacheDisk_cachetime` when the newest of them was made. When each was made
 * stands beside it, where Salt does not look.
 */
import { isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';

const DATA = 'CacheDisk_data';
const TIME = 'CacheDisk_cachetime';
const TIMES = 'Brine_cachetimes';

/** One pillar of a minion. */
export interface CachedPillar {
  /** When it was made, seconds since 1970. */
  readonly time: number;
  readonly pillar: Dict;
}

/** By environment; null is that of a minion that names none. */
export type CachedPillars = ReadonlyMap<string | null, CachedPillar>;

/** Reads a file. What is not understood counts as nothing. @param id whose file it is */
export function readCachedPillars(value: Value, id: string): CachedPillars {
  const out = new Map<string | null, CachedPillar>();
  if (!isDict(value)) return out;
  const data = value.get(DATA);
  const pillars = isDict(data) ? data.get(id) : undefined;
  if (pillars === undefined || !isDict(pillars)) return out;
  const [all, each] = [value.get(TIME), value.get(TIMES)];
  const newest = isDict(all) ? toNumber(all.get(id)) : undefined;
  for (const [env, pillar] of pillars) {
    const time = (isDict(each) ? toNumber(each.get(env)) : undefined) ?? newest;
    if (isDict(pillar) && time !== undefined && (env === null || typeof env === 'string'))
      out.set(env, { time, pillar });
  }
  return out;
}

/** Packs the pillars of a minion for {@link readCachedPillars} and for Salt. */
export function packCachedPillars(pillars: CachedPillars, id: string): Dict {
  const times = [...pillars].map(([env, { time }]): [Value, Value] => [env, time]);
  const newest = Math.max(0, ...[...pillars.values()].map(({ time }) => time));
  const data = new Map<Value, Value>([...pillars].map(([env, { pillar }]) => [env, pillar]));
  return new Map<Value, Value>([
    [DATA, new Map<Value, Value>([[id, data]])],
    [TIME, new Map<Value, Value>([[id, newest]])],
    [TIMES, new Map(times)],
  ]);
}
