/** Written by scripts/generate-plugins.mjs, of the definitions in `src/plugins`. */
import type { SdbDriver } from '../../shared/sdb/sdb-driver.ts';

/** The drivers of `sdb://`, by the name that a profile gives. */
export const SDB_TABLE: ReadonlyMap<string, () => Promise<SdbDriver>> = new Map([
  ['cache', async () => (await import('../../cache/sdb.ts')).cacheDriver],
  ['env', async () => (await import('../../environ/sdb.ts')).envDriver],
  ['json', async () => (await import('../../sdb/files.sdb.ts')).jsonDriver],
  ['redis', async () => (await import('../../redis/sdb.ts')).redisDriver],
  ['rest', async () => (await import('../../rest/sdb.ts')).restDriver],
  ['sqlite3', async () => (await import('../../sqlite3/sdb.ts')).sqlite3Driver],
  ['vault', async () => (await import('../../vault/sdb.ts')).vaultDriver],
  ['yaml', async () => (await import('../../sdb/files.sdb.ts')).yamlDriver],
]);
