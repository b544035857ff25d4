/** The table of returners; each is imported on first use. */
import type { ModuleEntry } from '../loader/module-table.ts';

/** Every returner, by the name that `--return` takes. */
export const RETURNER_TABLE: readonly ModuleEntry[] = [
  { name: 'local', file: 'local', load: async () => (await import('./local.ts')).localReturner },
  {
    name: 'local_cache',
    file: 'local_cache',
    load: async () => (await import('./local-cache.ts')).localCacheReturner,
  },
  {
    name: 'rawfile_json',
    file: 'rawfile_json',
    load: async () => (await import('./rawfile-json.ts')).rawfileJsonReturner,
  },
  { name: 'syslog', file: 'syslog_return', load: async () => (await import('./syslog.ts')).syslogReturner },
];
