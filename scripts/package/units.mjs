// The systemd units of the daemons. A daemon says itself that it is up, and that it is alive
// (src/programs/daemon/notify.ts); one that ends with 78 has a fault in its configuration that no new start mends.
const LIMITS = { master: { files: 100_000, tasks: 16_384 }, minion: { files: 8192, tasks: 'infinity' } };
/** A pause that a daemon needs for nothing, however large its site is. */
const WATCHDOG_S = 120;

/** Given up by all but the minion. A line that begins with `#` stands in the unit as well. */
const SANDBOX = [
  'NoNewPrivileges=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'PrivateMounts=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'LockPersonality=yes',
  'RemoveIPC=yes',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
  'UMask=0027',
  '# Not strict: runners and returners of a site write to /srv, /opt and others.',
  'ProtectSystem=full',
  'ReadWritePaths=/etc/salt',
  '# Not yes: file_roots and keys of ssh lie in homes, and are read.',
  'ProtectHome=read-only',
  '# AF_NETLINK tells the addresses of this machine.',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  '# MemoryDenyWriteExecute: Node compiles while it runs. PrivateUsers: owners of files count.',
  '# ProcSubset=pid: the memory of the machine is read from /proc. IPAddressDeny, PrivateNetwork:',
  '# whoever has the port may ask.',
];
/** What jobs of a minion seldom need; nothing else is given up, since a job may do whatever root may. */
const SANDBOX_OF_MINION = [
  '# A minion does to its machine whatever it is told to: mounts, modules, clocks, host names, accounts,',
  '# programs of 32 bits, containers. See /usr/share/doc/brine-minion/examples/hardened.conf for one that',
  '# is told less.',
  'RestrictRealtime=yes',
  'LockPersonality=yes',
];
/** For minions that manage files, packages, accounts and services. */
const HARDENED_MINION = [
  '# For /etc/systemd/system/salt-minion.service.d/: a minion that manages files, packages, accounts and',
  '# services. It takes away, from jobs and whatever they start themselves: modules of the kernel, the clock,',
  '# the host name, dmesg, cgroups (containers without a daemon), programs of 32 bits, strace, raw sockets',
  '# (tcpdump, arping), swap, and reboots that pass systemd by.',
  '[Service]',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
  'SystemCallFilter=~@clock @cpu-emulation @debug @module @obsolete @raw-io @reboot @swap',
  'SystemCallErrorNumber=EPERM',
  '',
];
/** What only one of them needs. */
const OF_ITS_OWN = {
  master: [
    'RuntimeDirectory=salt/master',
    '# The account that `user` names in /etc/salt/master, which needs no capability. For another one:',
    '# systemctl edit salt-master, with [Service], User=root and CapabilityBoundingSet=~',
    'User=salt',
    'CapabilityBoundingSet=',
  ],
  syndic: ['User=salt', 'CapabilityBoundingSet='],
  api: [
    'User=salt',
    '# Ports below 1024, as 443.',
    'AmbientCapabilities=CAP_NET_BIND_SERVICE',
    'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
  ],
  minion: [],
};

/** @param role `master`, `minion`, `syndic`, `api` */
export function unitOf(role) {
  const { files, tasks } = LIMITS[role] ?? LIMITS.master;
  const isMinion = role === 'minion';
  return [
    '[Unit]',
    `Description=Salt ${role} (Brine)`,
    `Documentation=man:salt-${role}(1)`,
    `After=network-online.target${role === 'syndic' || role === 'api' ? ' salt-master.service' : ''}`,
    'Wants=network-online.target',
    // as long as no configuration names a port of the API there is nothing to start; the others never give up
    ...(role === 'api' ? ['StartLimitIntervalSec=120', 'StartLimitBurst=10'] : []),
    '',
    '[Service]',
    'Type=notify',
    '# systemd-notify speaks for the daemon, since Node has no sockets of this kind.',
    'NotifyAccess=all',
    `ExecStart=/usr/bin/salt-${role}`,
    'Restart=on-failure',
    'RestartSec=5',
    'RestartPreventExitStatus=64 78',
    `WatchdogSec=${WATCHDOG_S}`,
    // jobs that run are ended by the daemon itself
    `KillMode=${isMinion ? 'process' : 'mixed'}`,
    'TimeoutStopSec=60',
    `LimitNOFILE=${files}`,
    `TasksMax=${tasks}`,
    ...OF_ITS_OWN[role],
    ...(isMinion ? SANDBOX_OF_MINION : SANDBOX),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}

/** What an operator may put beside the minion's unit. */
export function hardenedMinion() {
  return HARDENED_MINION.join('\n');
}
