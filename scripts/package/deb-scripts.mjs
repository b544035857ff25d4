// What Debian's packages do when they are installed and removed, in the order of Debian's policy.

import { basename, dirname, join } from 'node:path';

/** The scripts of a package, by their names. */
export function maintainerScripts(each) {
  const parts = [
    [
      'postinst',
      [
        ...account(each),
        ...otherAccount(each),
        ...keys(each),
        ...keepOld(each),
        ...caches(each),
        ...start(each),
      ],
    ],
    ['prerm', [...stop(each), ...setAside(each), ...dropCaches(each)]],
    ['postrm', forget(each)],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([name, lines]) => [name, ['#!/bin/sh', 'set -e', ...lines, 'exit 0', ''].join('\n')]);
}

function account({ account: name }) {
  if (name === undefined) return [];
  return [
    `if [ "$1" = configure ] && ! getent passwd ${name} >/dev/null; then`,
    `  adduser --system --group --home /var/lib/salt --no-create-home --quiet --gecos 'Salt master' ${name}`,
    'fi',
    'if [ "$1" = configure ]; then',
    `  chgrp ${name} /etc/salt/master`,
    '  for folder in /etc/salt/pki /etc/salt/pki/master /var/cache/salt /var/cache/salt/master /var/log/salt; do',
    '    [ -d "$folder" ] || install -d -m 0750 "$folder"',
    '  done',
    // of a master that ran as root; once they are the account's, nothing in there is trusted
    `  for folder in /etc/salt/pki/master /var/cache/salt/master; do`,
    `    [ "$(stat -c %U "$folder")" = ${name} ] || chown -R ${name}:${name} "$folder"`,
    '  done',
    `  chgrp ${name} /etc/salt/pki /var/cache/salt /var/log/salt && chmod g+w /var/log/salt`,
    `  for file in /var/log/salt/master /var/log/salt/key; do`,
    `    [ ! -f "$file" ] || chown -h ${name}:${name} "$file"`,
    '  done',
    'fi',
  ];
}

/** The unit starts the daemon as an account that the site's configuration may not name. */
function otherAccount({ runsAs, unit }) {
  if (runsAs === undefined) return [];
  const folder = `/etc/systemd/system/${unit}.d`;
  return [
    'if [ "$1" = configure ] && [ -z "$2" ]; then',
    // nothing said is root, as with Salt
    `  user=$(cat /etc/salt/master /etc/salt/master.d/*.conf 2>/dev/null | awk '/^user:/ { gsub(/[^a-zA-Z0-9_.-]/, "", $2); user = $2 } END { print user ? user : "root" }')`,
    `  if [ "$user" != ${runsAs} ] && [ ! -e ${folder}/user.conf ]; then`,
    `    mkdir -p ${folder}`,
    `    printf '%s\\n' "# Written by the package, since the configuration says user: $user." '[Service]' User=root AmbientCapabilities= 'CapabilityBoundingSet=~' >${folder}/user.conf`,
    `    echo "${unit} starts as root, since /etc/salt/master says user: $user (${folder}/user.conf)."`,
    '  fi',
    'fi',
  ];
}

/** A syndic has the keys of a minion, and reads its configuration where there is one. */
function keys({ role, runsAs }) {
  if (role !== 'syndic') return [];
  return [
    'if [ "$1" = configure ]; then',
    `  [ -d /etc/salt/pki/minion ] || install -d -m 0700 -o ${runsAs} -g ${runsAs} /etc/salt/pki/minion`,
    `  [ ! -f /etc/salt/minion ] || chgrp ${runsAs} /etc/salt/minion`,
    'fi',
  ];
}

/**
 * What runs loads parts of its own version for as long as it lives: dpkg removes those of the old one, so they are set
 * aside as further names of the same files, and put back beside the new version.
 */
function setAside({ caches: isCommon, library, version }) {
  if (isCommon !== true) return [];
  return [
    `if [ "$1" = upgrade ] && [ "$2" != ${version} ]; then`,
    `  rm -rf ${asideOf(library)}`,
    `  cp -al ${library} ${asideOf(library)}`,
    'fi',
  ];
}

/** Folders of versions of which nothing runs any more go. */
function keepOld({ caches: isCommon, library }) {
  if (isCommon !== true) return [];
  const folder = dirname(library);
  return [
    'if [ "$1" = configure ]; then',
    `  for aside in ${folder}/.kept-*; do`,
    '    [ -d "$aside" ] || continue',
    `    old="${folder}/\${aside##*/.kept-}"`,
    `    if [ "$old" = ${library} ]; then rm -rf "$aside"; continue; fi`,
    '    rm -rf "$old"',
    '    mv "$aside" "$old"',
    '  done',
    `  for old in ${folder}/*; do`,
    `    [ "$old" = ${library} ] && continue`,
    '    readlink /proc/[0-9]*/exe 2>/dev/null | grep -q "^$old/" || rm -rf "$old"',
    '  done',
    'fi',
  ];
}

function asideOf(library) {
  return join(dirname(library), `.kept-${basename(library)}`);
}

/** V8's caches are made where they are used: what is not there makes programs start later, and nothing else. */
function caches({ caches: has, library }) {
  if (has !== true) return [];
  return [
    'if [ "$1" = configure ]; then',
    `  ${library}/node/bin/node ${library}/bin/code-caches.mjs >/dev/null 2>&1 || true`,
    'fi',
  ];
}

function dropCaches({ caches: has, library }) {
  return has === true ? [`rm -f ${library}/dist/*.cache`] : [];
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

function forget({ unit, role }) {
  if (unit === undefined) return [];
  const made = [`/etc/salt/pki/${role}`, `/var/cache/salt/${role}`, `/var/log/salt/${role}*`];
  if (role === 'master') made.push('/var/log/salt/key*');
  const own = `/etc/systemd/system/${unit}.d`;
  return [
    `if [ "$1" = purge ]; then rm -rf ${made.join(' ')} ${own}/user.conf; rmdir --ignore-fail-on-non-empty ${own} 2>/dev/null || true; rmdir -p --ignore-fail-on-non-empty /etc/salt/pki /var/cache/salt /var/log/salt 2>/dev/null || true; fi`,
    'if [ -d /run/systemd/system ]; then systemctl --system daemon-reload >/dev/null || true; fi',
    'if command -v deb-systemd-helper >/dev/null; then',
    `  if [ "$1" = remove ]; then deb-systemd-helper mask ${unit} >/dev/null || true; fi`,
    `  if [ "$1" = purge ]; then deb-systemd-helper purge ${unit} >/dev/null || true; deb-systemd-helper unmask ${unit} >/dev/null || true; fi`,
    'fi',
  ];
}
