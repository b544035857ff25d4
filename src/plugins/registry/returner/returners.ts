/** All returners: those that are files of their own, and one for each kind of database. */
import type { ModuleEntry } from '../../../runtime/loader/module-entry.ts';
import { STORE_KINDS } from './store-kinds.generated.ts';
import { RETURNER_TABLE } from './table.generated.ts';
import type { OpenStores } from '../../shared/returner/open-stores.ts';

/** Every returner, databases included. @param stores where open databases are kept */
export function returnerTable(stores: OpenStores): readonly ModuleEntry[] {
  const databases = STORE_KINDS.map(({ name, file, load }): ModuleEntry => ({
    name,
    file,
    load: async () => {
      const { databaseReturner } = await import('../../shared/returner/database-returner.ts');
      return databaseReturner(await load(), file, stores);
    },
  }));
  return [...RETURNER_TABLE, ...databases];
}
