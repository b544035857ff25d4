/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { CacheDriver } from '../../shared/cache/driver.ts';
import { consulDriver } from '../../consul/cache.ts';
import { etcdDriver } from '../../etcd/cache.ts';
import { mysqlDriver } from '../../mysql/cache.ts';
import { redisDriver } from '../../redis/cache.ts';

/** The drivers of the option `cache`, by the name that it takes. */
export const CACHE_DRIVERS: ReadonlyMap<string, CacheDriver> = new Map(
  [consulDriver, etcdDriver, mysqlDriver, redisDriver].map((spec) => [spec.name, spec]),
);
