/**
 * The table of execution modules. Each entry imports its file on first use, so a minion pays only for the modules it
 * is asked for; the import paths are literal, so that a bundler finds them.
 */
import type { ModuleEntry } from '../../runtime/loader/module-entry.ts';

/** Every execution module, in the order in which files of one virtual name are tried. */
export const MODULE_TABLE: readonly ModuleEntry[] = [
  { name: 'aliases', file: 'aliases', load: async () => (await import('./aliases.ts')).aliasesModule },
  {
    name: 'alternatives',
    file: 'alternatives',
    load: async () => (await import('./alternatives.ts')).alternativesModule,
  },
  { name: 'apache', file: 'deb_apache', load: async () => (await import('./apache.ts')).debianApacheModule },
  { name: 'apache', file: 'apache', load: async () => (await import('./apache.ts')).apacheModule },
  {
    name: 'archive',
    file: 'archive',
    load: async () => (await import('./archive.ts')).archiveModule,
  },
  {
    name: 'beacons',
    file: 'beacons',
    load: async () => (await import('./beacons.ts')).beaconsModule,
  },
  { name: 'cmd', file: 'cmdmod', load: async () => (await import('./cmd.ts')).cmdModule },
  { name: 'config', file: 'config', load: async () => (await import('./config.ts')).configModule },
  { name: 'cp', file: 'cp', load: async () => (await import('./cp.ts')).cpModule },
  { name: 'cron', file: 'cron', load: async () => (await import('./cron.ts')).cronModule },
  { name: 'data', file: 'data', load: async () => (await import('./data.ts')).dataModule },
  {
    name: 'defaults',
    file: 'defaults',
    load: async () => (await import('./defaults.ts')).defaultsModule,
  },
  { name: 'dig', file: 'dig', load: async () => (await import('./dig.ts')).digModule },
  { name: 'disk', file: 'disk', load: async () => (await import('./disk.ts')).diskModule },
  { name: 'dnsutil', file: 'dnsutil', load: async () => (await import('./dnsutil.ts')).dnsutilModule },
  {
    name: 'environ',
    file: 'environ',
    load: async () => (await import('./environ.ts')).environModule,
  },
  { name: 'event', file: 'event', load: async () => (await import('./event.ts')).eventModule },
  { name: 'file', file: 'file', load: async () => (await import('./file.ts')).fileModule },
  { name: 'git', file: 'git', load: async () => (await import('./git.ts')).gitModule },
  { name: 'grains', file: 'grains', load: async () => (await import('./grains.ts')).grainsModule },
  { name: 'group', file: 'groupadd', load: async () => (await import('./group.ts')).groupModule },
  {
    name: 'hashutil',
    file: 'hashutil',
    load: async () => (await import('./hashutil.ts')).hashutilModule,
  },
  { name: 'hosts', file: 'hosts', load: async () => (await import('./hosts.ts')).hostsModule },
  { name: 'http', file: 'http', load: async () => (await import('./http.ts')).httpModule },
  { name: 'ini', file: 'ini_manage', load: async () => (await import('./ini.ts')).iniModule },
  { name: 'key', file: 'key', load: async () => (await import('./key.ts')).keyModule },
  { name: 'kmod', file: 'kmod', load: async () => (await import('./kmod.ts')).kmodModule },
  {
    name: 'locale',
    file: 'localemod',
    load: async () => (await import('./locale.ts')).localeModule,
  },
  { name: 'log', file: 'logmod', load: async () => (await import('./log.ts')).logModule },
  {
    name: 'lowpkg',
    file: 'dpkg_lowpkg',
    load: async () => (await import('./lowpkg.ts')).dpkgModule,
  },
  {
    name: 'lowpkg',
    file: 'rpm_lowpkg',
    load: async () => (await import('./rpm-lowpkg.ts')).rpmModule,
  },
  { name: 'match', file: 'match', load: async () => (await import('./match.ts')).matchModule },
  { name: 'mine', file: 'mine', load: async () => (await import('./mine.ts')).mineModule },
  { name: 'mount', file: 'mount', load: async () => (await import('./mount.ts')).mountModule },
  {
    name: 'network',
    file: 'network',
    load: async () => (await import('./network.ts')).networkModule,
  },
  { name: 'pillar', file: 'pillar', load: async () => (await import('./pillar.ts')).pillarModule },
  { name: 'pkg', file: 'aptpkg', load: async () => (await import('./pkg.ts')).aptModule },
  { name: 'pkg', file: 'yumpkg', load: async () => (await import('./yumpkg.ts')).yumModule },
  {
    name: 'pkg_resource',
    file: 'pkg_resource',
    load: async () => (await import('./pkg-resource.ts')).pkgResourceModule,
  },
  {
    name: 'postgres',
    file: 'deb_postgres',
    load: async () => (await import('./postgres.ts')).debianPostgresModule,
  },
  { name: 'postgres', file: 'postgres', load: async () => (await import('./postgres.ts')).postgresModule },
  {
    name: 'publish',
    file: 'publish',
    load: async () => (await import('./publish.ts')).publishModule,
  },
  { name: 'rabbitmq', file: 'rabbitmq', load: async () => (await import('./rabbitmq.ts')).rabbitmqModule },
  {
    name: 'random',
    file: 'mod_random',
    load: async () => (await import('./random.ts')).randomModule,
  },
  {
    name: 'schedule',
    file: 'schedule',
    load: async () => (await import('./schedule.ts')).scheduleModule,
  },
  {
    name: 'saltutil',
    file: 'saltutil',
    load: async () => (await import('./saltutil.ts')).saltutilModule,
  },
  { name: 'sdb', file: 'sdb', load: async () => (await import('./sdb.ts')).sdbModule },
  {
    name: 'service',
    file: 'debian_service',
    load: async () => (await import('./debian-service.ts')).debianServiceModule,
  },
  {
    name: 'service',
    file: 'systemd_service',
    load: async () => (await import('./service.ts')).serviceModule,
  },
  {
    name: 'shadow',
    file: 'linux_shadow',
    load: async () => (await import('./shadow.ts')).shadowModule,
  },
  {
    name: 'slsutil',
    file: 'slsutil',
    load: async () => (await import('./slsutil.ts')).slsutilModule,
  },
  { name: 'smbios', file: 'smbios', load: async () => (await import('./smbios.ts')).smbiosModule },
  { name: 'ssh', file: 'ssh', load: async () => (await import('./ssh.ts')).sshModule },
  { name: 'state', file: 'state', load: async () => (await import('./state.ts')).stateModule },
  { name: 'status', file: 'status', load: async () => (await import('./status.ts')).statusModule },
  { name: 'sys', file: 'sysmod', load: async () => (await import('./sys.ts')).sysModule },
  {
    name: 'sysctl',
    file: 'linux_sysctl',
    load: async () => (await import('./sysctl.ts')).sysctlModule,
  },
  { name: 'system', file: 'system', load: async () => (await import('./system.ts')).systemModule },
  { name: 'test', file: 'test', load: async () => (await import('./test.ts')).testModule },
  {
    name: 'timezone',
    file: 'timezone',
    load: async () => (await import('./timezone.ts')).timezoneModule,
  },
  { name: 'user', file: 'useradd', load: async () => (await import('./user.ts')).userModule },
  { name: 'webutil', file: 'webutil', load: async () => (await import('./webutil.ts')).webutilModule },
];
