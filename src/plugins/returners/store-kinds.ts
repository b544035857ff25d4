/** The databases that returners write to; each is imported on first use. */
import type { StoreKind } from './return-store.ts';

/** A kind of database before its file is imported. */
export interface StoreKindEntry {
  /** The name that `--return` takes. */
  readonly name: string;
  /** The name of Salt's file. */
  readonly file: string;
  load(): Promise<StoreKind>;
}

/** Every kind of database, by the name that `--return`, `master_job_cache` and the like take. */
export const STORE_KINDS: readonly StoreKindEntry[] = [
  {
    name: 'elasticsearch',
    file: 'elasticsearch_return',
    load: async () => (await import('./elasticsearch.ts')).elasticsearchKind,
  },
  { name: 'mariadb', file: 'mysql', load: async () => (await import('./mysql.ts')).mariadbKind },
  { name: 'mysql', file: 'mysql', load: async () => (await import('./mysql.ts')).mysqlKind },
  { name: 'mongo', file: 'mongo_future_return', load: async () => (await import('./mongo.ts')).mongoKind },
  { name: 'nats', file: 'nats_return', load: async () => (await import('./nats.ts')).natsKind },
  { name: 'pgjsonb', file: 'pgjsonb', load: async () => (await import('./postgres.ts')).pgjsonbKind },
  { name: 'postgres', file: 'postgres', load: async () => (await import('./postgres.ts')).postgresKind },
  {
    name: 'postgres_local_cache',
    file: 'postgres_local_cache',
    load: async () => (await import('./postgres-local-cache.ts')).postgresLocalCacheKind,
  },
  { name: 'redis', file: 'redis_return', load: async () => (await import('./redis.ts')).redisKind },
  { name: 'sqlite3', file: 'sqlite3_return', load: async () => (await import('./sqlite3.ts')).sqlite3Kind },
];
