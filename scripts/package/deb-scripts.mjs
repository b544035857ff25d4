// What Debian's packages do when they are installed and removed, in the order of Debian's policy.

import {
  asideOf,
  dropAll,
  dropCaches,
  endTakeover,
  foldersOfAccount,
  forgetAccount,
  keysOfSyndic,
  makeCaches,
  makeCurrent,
  otherAccount,
  putBack,
  refuseInTakeover,
} from './steps.mjs';

const CONFIGURES = '[ "$1" = configure ]';

/** The scripts of a package, by their names. */
export function maintainerScripts(each) {
  const parts = [
    [
      'postinst',
      [
        ...account(each),
        ...when(CONFIGURES, foldersOfAccount(each)),
        ...when(`${CONFIGURES} && [ -z "$2" ]`, [...otherAccount(each), ...endTakeover(each)]),
        ...when(CONFIGURES, [
          ...keysOfSyndic(each),
          ...makeCurrent(each),
          ...putBack(each),
          ...makeCaches(each),
        ]),
        ...start(each),
      ],
    ],
    [
      'prerm',
      [
        ...when('[ "$1" = remove ]', refuseInTakeover(each)),
        ...stop(each),
        ...setAside(each),
        ...dropCaches(each),
      ],
    ],
    ['postrm', [...when('[ "$1" = remove ]', dropAll(each)), ...forget(each)]],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([name, lines]) => [name, ['#!/bin/sh', 'set -e', ...lines, 'exit 0', ''].join('\n')]);
}

/** Lines that are for one of the actions of a script. */
function when(condition, lines) {
  return lines.length === 0 ? [] : [`if ${condition}; then`, ...lines.map((line) => `  ${line}`), 'fi'];
}

function account({ account: name }) {
  if (name === undefined) return [];
  return [
    `if [ "$1" = configure ] && ! getent passwd ${name} >/dev/null; then`,
    `  adduser --system --group --home /var/lib/salt --no-create-home --quiet --gecos 'Salt master' ${name}`,
    'fi',
  ];
}

function setAside({ caches: isCommon, library, version }) {
  if (isCommon !== true) return [];
  return when(`[ "$1" = upgrade ] && [ "$2" != ${version} ]`, [
    `rm -rf ${asideOf(library)}`,
    `cp -al ${library} ${asideOf(library)}`,
  ]);
}

/** As debhelper writes it: an administrator's own choice (disabled, masked) stays. */
function start({ unit }) {
  if (unit === undefined) return [];
  return [
    'if [ "$1" = configure ] && command -v deb-systemd-helper >/dev/null; then',
    `  deb-systemd-helper unmask ${unit} >/dev/null || true`,
    `  if deb-systemd-helper --quiet was-enabled ${unit}; then`,
    `    deb-systemd-helper enable ${unit} >/dev/null || true`,
    '  else',
    `    deb-systemd-helper update-state ${unit} >/dev/null || true`,
    '  fi',
    '  if [ -d /run/systemd/system ]; then',
    '    systemctl --system daemon-reload >/dev/null || true',
    `    if [ -n "$2" ]; then deb-systemd-invoke try-restart ${unit} >/dev/null || true`,
    `    else deb-systemd-invoke start ${unit} >/dev/null || true; fi`,
    '  fi',
    'fi',
  ];
}

function stop({ unit }) {
  if (unit === undefined) return [];
  return [
    'if [ "$1" = remove ] && [ -d /run/systemd/system ]; then',
    `  deb-systemd-invoke stop ${unit} >/dev/null || true`,
    'fi',
  ];
}

function forget(each) {
  const { unit, role } = each;
  if (unit === undefined) return [];
  const made = [`/etc/salt/pki/${role}`, `/var/cache/salt/${role}`, `/var/log/salt/${role}*`];
  if (role === 'master') made.push('/var/log/salt/key*');
  return [
    ...when('[ "$1" = purge ]', [
      `rm -rf ${made.join(' ')}`,
      ...forgetAccount(each),
      'rmdir -p --ignore-fail-on-non-empty /etc/salt/pki /var/cache/salt /var/log/salt 2>/dev/null || true',
    ]),
    'if [ -d /run/systemd/system ]; then systemctl --system daemon-reload >/dev/null || true; fi',
    'if command -v deb-systemd-helper >/dev/null; then',
    `  if [ "$1" = remove ]; then deb-systemd-helper mask ${unit} >/dev/null || true; fi`,
    `  if [ "$1" = purge ]; then deb-systemd-helper purge ${unit} >/dev/null || true; deb-systemd-helper unmask ${unit} >/dev/null || true; fi`,
    'fi',
  ];
}
