// The systemd units of the daemons. A daemon says itself that it is up (src/programs/daemon/notify.ts), and one that
// ends with 78 has a fault in its configuration that no new start mends.
const LIMITS = { master: { files: 100_000, tasks: 'infinity' }, minion: { files: 8192, tasks: 'infinity' } };

/** What every unit but the minion's gives up: the master's processes need their folders, the network, and accounts. */
const SANDBOX = [
  'NoNewPrivileges=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectSystem=full',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'LockPersonality=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
  'ReadWritePaths=/etc/salt',
  'UMask=0027',
];
/** A minion does to its machine whatever it is told to. */
const SANDBOX_OF_MINION = [
  'ProtectClock=no',
  'RestrictRealtime=yes',
  'LockPersonality=yes',
  'SystemCallArchitectures=native',
];

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
    '',
    '[Service]',
    'Type=notify',
    'NotifyAccess=all',
    `ExecStart=/usr/bin/salt-${role}`,
    'Restart=on-failure',
    'RestartSec=5',
    'RestartPreventExitStatus=64 78',
    // jobs that run are ended by the daemon itself
    `KillMode=${isMinion ? 'process' : 'mixed'}`,
    'TimeoutStopSec=60',
    `LimitNOFILE=${files}`,
    `TasksMax=${tasks}`,
    ...(isMinion ? SANDBOX_OF_MINION : SANDBOX),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}
