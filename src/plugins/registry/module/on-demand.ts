/** The table of execution modules for programs that rarely call one: it is imported with the first call. */
import type { ModuleEntry } from '../../../runtime/loader/module-entry.ts';

/** Every execution module, see {@link MODULE_TABLE}. */
export async function executionModules(): Promise<readonly ModuleEntry[]> {
  return (await import('./table.generated.ts')).MODULE_TABLE;
}
