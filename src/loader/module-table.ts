/**
 * The table of execution modules. Each entry imports its file on first use, so a minion pays only for the modules it
 * is asked for; the import paths are literal, so that a bundler finds them.
 */
import type { ModuleSpec } from './module.ts';

/** One module file, before it is imported. */
export interface ModuleEntry {
  /** The virtual name, `cmd`. Several files may share one; the first that is available here has it. */
  readonly name: string;
  /** The name of Salt's file, `cmdmod`. */
  readonly file: string;
  load(): Promise<ModuleSpec>;
}

/** Every execution module, in the order in which files of one virtual name are tried. */
export const MODULE_TABLE: readonly ModuleEntry[] = [
  {
    name: 'alternatives',
    file: 'alternatives',
    load: async () => (await import('../modules/alternatives.ts')).alternativesModule,
  },
  {
    name: 'archive',
    file: 'archive',
    load: async () => (await import('../modules/archive.ts')).archiveModule,
  },
  {
    name: 'beacons',
    file: 'beacons',
    load: async () => (await import('../modules/beacons.ts')).beaconsModule,
  },
  { name: 'cmd', file: 'cmdmod', load: async () => (await import('../modules/cmd.ts')).cmdModule },
  { name: 'config', file: 'config', load: async () => (await import('../modules/config.ts')).configModule },
  { name: 'cp', file: 'cp', load: async () => (await import('../modules/cp.ts')).cpModule },
  { name: 'cron', file: 'cron', load: async () => (await import('../modules/cron.ts')).cronModule },
  { name: 'data', file: 'data', load: async () => (await import('../modules/data.ts')).dataModule },
  {
    name: 'defaults',
    file: 'defaults',
    load: async () => (await import('../modules/defaults.ts')).defaultsModule,
  },
  { name: 'disk', file: 'disk', load: async () => (await import('../modules/disk.ts')).diskModule },
  {
    name: 'environ',
    file: 'environ',
    load: async () => (await import('../modules/environ.ts')).environModule,
  },
  { name: 'event', file: 'event', load: async () => (await import('../modules/event.ts')).eventModule },
  { name: 'file', file: 'file', load: async () => (await import('../modules/file.ts')).fileModule },
  { name: 'grains', file: 'grains', load: async () => (await import('../modules/grains.ts')).grainsModule },
  { name: 'group', file: 'groupadd', load: async () => (await import('../modules/group.ts')).groupModule },
  {
    name: 'hashutil',
    file: 'hashutil',
    load: async () => (await import('../modules/hashutil.ts')).hashutilModule,
  },
  { name: 'hosts', file: 'hosts', load: async () => (await import('../modules/hosts.ts')).hostsModule },
  { name: 'http', file: 'http', load: async () => (await import('../modules/http.ts')).httpModule },
  { name: 'ini', file: 'ini_manage', load: async () => (await import('../modules/ini.ts')).iniModule },
  { name: 'key', file: 'key', load: async () => (await import('../modules/key.ts')).keyModule },
  { name: 'kmod', file: 'kmod', load: async () => (await import('../modules/kmod.ts')).kmodModule },
  {
    name: 'locale',
    file: 'localemod',
    load: async () => (await import('../modules/locale.ts')).localeModule,
  },
  { name: 'log', file: 'logmod', load: async () => (await import('../modules/log.ts')).logModule },
  {
    name: 'lowpkg',
    file: 'dpkg_lowpkg',
    load: async () => (await import('../modules/lowpkg.ts')).dpkgModule,
  },
  {
    name: 'lowpkg',
    file: 'rpm_lowpkg',
    load: async () => (await import('../modules/rpm-lowpkg.ts')).rpmModule,
  },
  { name: 'match', file: 'match', load: async () => (await import('../modules/match.ts')).matchModule },
  { name: 'mine', file: 'mine', load: async () => (await import('../modules/mine.ts')).mineModule },
  { name: 'mount', file: 'mount', load: async () => (await import('../modules/mount.ts')).mountModule },
  {
    name: 'network',
    file: 'network',
    load: async () => (await import('../modules/network.ts')).networkModule,
  },
  { name: 'pillar', file: 'pillar', load: async () => (await import('../modules/pillar.ts')).pillarModule },
  { name: 'pkg', file: 'aptpkg', load: async () => (await import('../modules/pkg.ts')).aptModule },
  { name: 'pkg', file: 'yumpkg', load: async () => (await import('../modules/yumpkg.ts')).yumModule },
  {
    name: 'publish',
    file: 'publish',
    load: async () => (await import('../modules/publish.ts')).publishModule,
  },
  {
    name: 'random',
    file: 'mod_random',
    load: async () => (await import('../modules/random.ts')).randomModule,
  },
  {
    name: 'schedule',
    file: 'schedule',
    load: async () => (await import('../modules/schedule.ts')).scheduleModule,
  },
  {
    name: 'saltutil',
    file: 'saltutil',
    load: async () => (await import('../modules/saltutil.ts')).saltutilModule,
  },
  {
    name: 'service',
    file: 'debian_service',
    load: async () => (await import('../modules/debian-service.ts')).debianServiceModule,
  },
  {
    name: 'service',
    file: 'systemd_service',
    load: async () => (await import('../modules/service.ts')).serviceModule,
  },
  {
    name: 'shadow',
    file: 'linux_shadow',
    load: async () => (await import('../modules/shadow.ts')).shadowModule,
  },
  {
    name: 'slsutil',
    file: 'slsutil',
    load: async () => (await import('../modules/slsutil.ts')).slsutilModule,
  },
  { name: 'ssh', file: 'ssh', load: async () => (await import('../modules/ssh.ts')).sshModule },
  { name: 'state', file: 'state', load: async () => (await import('../modules/state.ts')).stateModule },
  { name: 'status', file: 'status', load: async () => (await import('../modules/status.ts')).statusModule },
  { name: 'sys', file: 'sysmod', load: async () => (await import('../modules/sys.ts')).sysModule },
  {
    name: 'sysctl',
    file: 'linux_sysctl',
    load: async () => (await import('../modules/sysctl.ts')).sysctlModule,
  },
  { name: 'system', file: 'system', load: async () => (await import('../modules/system.ts')).systemModule },
  { name: 'test', file: 'test', load: async () => (await import('../modules/test.ts')).testModule },
  {
    name: 'timezone',
    file: 'timezone',
    load: async () => (await import('../modules/timezone.ts')).timezoneModule,
  },
  { name: 'user', file: 'useradd', load: async () => (await import('../modules/user.ts')).userModule },
];
