/** The drivers of `sdb://`, by the name that a profile gives. Each is imported on first use. */
import type { SdbDriver } from './sdb-driver.ts';

/** Name to the import of its file. */
export const SDB_TABLE: ReadonlyMap<string, () => Promise<SdbDriver>> = new Map([
  ['cache', async () => (await import('./cache.ts')).cacheDriver],
  ['env', async () => (await import('./env.ts')).envDriver],
  ['json', async () => (await import('./files.ts')).jsonDriver],
  ['redis', async () => (await import('./redis.ts')).redisDriver],
  ['rest', async () => (await import('./rest.ts')).restDriver],
  ['sqlite3', async () => (await import('./sqlite3.ts')).sqlite3Driver],
  ['vault', async () => (await import('./vault.ts')).vaultDriver],
  ['yaml', async () => (await import('./files.ts')).yamlDriver],
]);
