/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { StoreKindEntry } from '../../shared/returner/return-store.ts';

/** Every kind of database, by the name that `--return`, `master_job_cache` and the like take. */
export const STORE_KINDS: readonly StoreKindEntry[] = [
  {
    name: 'elasticsearch',
    file: 'elasticsearch_return',
    load: async () => (await import('../../elasticsearch/returner.ts')).elasticsearchKind,
  },
  { name: 'mariadb', file: 'mysql', load: async () => (await import('../../mysql/returner.ts')).mariadbKind },
  {
    name: 'mongo',
    file: 'mongo_future_return',
    load: async () => (await import('../../mongodb/returner.ts')).mongoKind,
  },
  { name: 'mysql', file: 'mysql', load: async () => (await import('../../mysql/returner.ts')).mysqlKind },
  { name: 'nats', file: 'nats_return', load: async () => (await import('../../nats/returner.ts')).natsKind },
  {
    name: 'pgjsonb',
    file: 'pgjsonb',
    load: async () => (await import('../../postgres/returner.ts')).pgjsonbKind,
  },
  {
    name: 'postgres',
    file: 'postgres',
    load: async () => (await import('../../postgres/returner.ts')).postgresKind,
  },
  {
    name: 'postgres_local_cache',
    file: 'postgres_local_cache',
    load: async () => (await import('../../postgres/local-cache.returner.ts')).postgresLocalCacheKind,
  },
  {
    name: 'redis',
    file: 'redis_return',
    load: async () => (await import('../../redis/returner.ts')).redisKind,
  },
  {
    name: 'sqlite3',
    file: 'sqlite3_return',
    load: async () => (await import('../../sqlite3/returner.ts')).sqlite3Kind,
  },
];
