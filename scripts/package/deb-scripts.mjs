// What Debian's packages do when they are installed and removed, in the order of Debian's policy.

import { basename, dirname, join } from 'node:path';

/** The scripts of a package, by their names. */
export function maintainerScripts(each) {
  const parts = [
    ['postinst', [...account(each), ...keepOld(each), ...caches(each), ...start(each)]],
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
    `  for folder in /etc/salt/pki/master /var/cache/salt/master; do chown -R ${name}:${name} "$folder"; done`,
    `  chgrp ${name} /etc/salt/pki /var/cache/salt /var/log/salt && chmod g+w /var/log/salt`,
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
  return [
    `if [ "$1" = purge ]; then rm -rf ${made.join(' ')}; rmdir -p --ignore-fail-on-non-empty /etc/salt/pki /var/cache/salt /var/log/salt 2>/dev/null || true; fi`,
    'if [ -d /run/systemd/system ]; then systemctl --system daemon-reload >/dev/null || true; fi',
    'if command -v deb-systemd-helper >/dev/null; then',
    `  if [ "$1" = remove ]; then deb-systemd-helper mask ${unit} >/dev/null || true; fi`,
    `  if [ "$1" = purge ]; then deb-systemd-helper purge ${unit} >/dev/null || true; deb-systemd-helper unmask ${unit} >/dev/null || true; fi`,
    'fi',
  ];
}
