/** The table of state modules; each entry imports its file on first use, as those of `plugins/modules/table.ts` do. */
import type { ModuleEntry } from '../../runtime/loader/module-entry.ts';

/** Every state module, in the order in which files of one virtual name are tried. */
export const STATE_TABLE: readonly ModuleEntry[] = [
  {
    name: 'alternatives',
    file: 'alternatives',
    load: async () => (await import('./alternatives.ts')).alternativesStates,
  },
  { name: 'archive', file: 'archive', load: async () => (await import('./archive.ts')).archiveStates },
  { name: 'beacon', file: 'beacon', load: async () => (await import('./beacon.ts')).beaconStates },
  { name: 'cmd', file: 'cmd', load: async () => (await import('./cmd.ts')).cmdStates },
  { name: 'cron', file: 'cron', load: async () => (await import('./cron.ts')).cronStates },
  { name: 'environ', file: 'environ', load: async () => (await import('./environ.ts')).environStates },
  { name: 'event', file: 'event', load: async () => (await import('./event.ts')).eventStates },
  { name: 'file', file: 'file', load: async () => (await import('./file.ts')).fileStates },
  { name: 'git', file: 'git', load: async () => (await import('./git.ts')).gitStates },
  { name: 'grains', file: 'grains', load: async () => (await import('./grains.ts')).grainsStates },
  { name: 'group', file: 'group', load: async () => (await import('./group.ts')).groupStates },
  { name: 'host', file: 'host', load: async () => (await import('./host.ts')).hostStates },
  { name: 'http', file: 'http', load: async () => (await import('./http.ts')).httpStates },
  { name: 'ini', file: 'ini_manage', load: async () => (await import('./ini.ts')).iniStates },
  { name: 'kmod', file: 'kmod', load: async () => (await import('./kmod.ts')).kmodStates },
  { name: 'locale', file: 'locale', load: async () => (await import('./locale.ts')).localeStates },
  { name: 'module', file: 'module', load: async () => (await import('./module.ts')).moduleStates },
  { name: 'pkg', file: 'pkg', load: async () => (await import('./pkg.ts')).pkgStates },
  { name: 'pkgrepo', file: 'pkgrepo', load: async () => (await import('./pkgrepo.ts')).pkgrepoStates },
  { name: 'mount', file: 'mount', load: async () => (await import('./mount.ts')).mountStates },
  { name: 'salt', file: 'saltmod', load: async () => (await import('./salt.ts')).saltStates },
  { name: 'saltutil', file: 'saltutil', load: async () => (await import('./saltutil.ts')).saltutilStates },
  { name: 'schedule', file: 'schedule', load: async () => (await import('./schedule.ts')).scheduleStates },
  { name: 'service', file: 'service', load: async () => (await import('./service.ts')).serviceStates },
  { name: 'ssh_auth', file: 'ssh_auth', load: async () => (await import('./ssh-auth.ts')).sshAuthStates },
  { name: 'sysctl', file: 'sysctl', load: async () => (await import('./sysctl.ts')).sysctlStates },
  { name: 'test', file: 'test', load: async () => (await import('./test.ts')).testStates },
  { name: 'timezone', file: 'timezone', load: async () => (await import('./timezone.ts')).timezoneStates },
  { name: 'user', file: 'user', load: async () => (await import('./user.ts')).userStates },
];
