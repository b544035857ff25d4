/** The table of state modules; each entry imports its file on first use, as those of `loader/module-table.ts` do. */
import type { ModuleEntry } from '../loader/module-table.ts';

/** Every state module, in the order in which files of one virtual name are tried. */
export const STATE_TABLE: readonly ModuleEntry[] = [
  { name: 'host', file: 'host', load: async () => (await import('./host.ts')).hostStates },
  { name: 'grains', file: 'grains', load: async () => (await import('./grains.ts')).grainsStates },
  { name: 'event', file: 'event', load: async () => (await import('./event.ts')).eventStates },
  { name: 'environ', file: 'environ', load: async () => (await import('./environ.ts')).environStates },
  {
    name: 'alternatives',
    file: 'alternatives',
    load: async () => (await import('./alternatives.ts')).alternativesStates,
  },
  { name: 'cmd', file: 'cmd', load: async () => (await import('./cmd.ts')).cmdStates },
  { name: 'file', file: 'file', load: async () => (await import('./file.ts')).fileStates },
  { name: 'group', file: 'group', load: async () => (await import('./group.ts')).groupStates },
  { name: 'ini', file: 'ini_manage', load: async () => (await import('./ini.ts')).iniStates },
  { name: 'module', file: 'module', load: async () => (await import('./module.ts')).moduleStates },
  { name: 'service', file: 'service', load: async () => (await import('./service.ts')).serviceStates },
  { name: 'test', file: 'test', load: async () => (await import('./test.ts')).testStates },
  { name: 'user', file: 'user', load: async () => (await import('./user.ts')).userStates },
];
