/** The table of state modules for programs that rarely run states: it is imported with the first run. */
import type { ModuleEntry } from '../../../runtime/loader/module-entry.ts';

/** Every state module, see {@link STATE_TABLE}. */
export async function stateModules(): Promise<readonly ModuleEntry[]> {
  return (await import('./table.generated.ts')).STATE_TABLE;
}
