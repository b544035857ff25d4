// Steps of installing, upgrading and removing that packages of both kinds take, as lines of a shell. Each is empty for a
// package that has no need of it.
import { basename, dirname, join } from 'node:path';

/** Folders of the account that the master runs as. */
export function foldersOfAccount({ account: name }) {
  if (name === undefined) return [];
  return [
    `chgrp ${name} /etc/salt/master`,
    'for folder in /etc/salt/pki /etc/salt/pki/master /var/cache/salt /var/cache/salt/master /var/log/salt; do',
    '  [ -d "$folder" ] || install -d -m 0750 "$folder"',
    'done',
    // of a master that ran as root; once they are the account's, nothing in there is trusted
    `for folder in /etc/salt/pki/master /var/cache/salt/master; do`,
    `  [ "$(stat -c %U "$folder")" = ${name} ] || chown -R ${name}:${name} "$folder"`,
    'done',
    `chgrp ${name} /etc/salt/pki /var/cache/salt /var/log/salt && chmod g+w /var/log/salt`,
    `for file in /var/log/salt/master /var/log/salt/key; do`,
    `  [ ! -f "$file" ] || chown -h ${name}:${name} "$file"`,
    'done',
  ];
}

/** The unit starts the daemon as an account that the site's configuration may not name. */
export function otherAccount({ runsAs, unit }) {
  if (runsAs === undefined) return [];
  const folder = dropIns(unit);
  return [
    // nothing said is root, as with Salt
    `user=$(cat /etc/salt/master /etc/salt/master.d/*.conf 2>/dev/null | awk '/^user:/ { gsub(/[^a-zA-Z0-9_.-]/, "", $2); user = $2 } END { print user ? user : "root" }')`,
    `if [ "$user" != ${runsAs} ] && [ ! -e ${folder}/user.conf ]; then`,
    `  mkdir -p ${folder}`,
    `  printf '%s\\n' "# Written by the package, since the configuration says user: $user." '[Service]' User=root AmbientCapabilities= 'CapabilityBoundingSet=~' >${folder}/user.conf`,
    `  echo "${unit} starts as root, since /etc/salt/master says user: $user (${folder}/user.conf)."`,
    'fi',
  ];
}

/** Takes away what {@link otherAccount} has written. */
export function forgetAccount({ unit }) {
  if (unit === undefined) return [];
  const folder = dropIns(unit);
  return [`rm -f ${folder}/user.conf`, `rmdir --ignore-fail-on-non-empty ${folder} 2>/dev/null || true`];
}

function dropIns(unit) {
  return `/etc/systemd/system/${unit}.d`;
}

/** A syndic has the keys of a minion, and reads its configuration where there is one. */
export function keysOfSyndic({ role, runsAs }) {
  if (role !== 'syndic') return [];
  return [
    `[ -d /etc/salt/pki/minion ] || install -d -m 0700 -o ${runsAs} -g ${runsAs} /etc/salt/pki/minion`,
    `[ ! -f /etc/salt/minion ] || chgrp ${runsAs} /etc/salt/minion`,
  ];
}

/**
 * Where the files of a running version are kept while the package manager removes them, as further names of the same
 * files: what runs loads parts of its own version for as long as it lives.
 */
export function asideOf(library) {
  return join(dirname(library), `.kept-${basename(library)}`);
}

/**
 * Programs are started from this version from now on. One that the minion has brought itself (`brine.upgrade`) and that
 * is newer stays, unless the package manager goes back: `$2` is the version before, where Debian's says so.
 */
export function makeCurrent({ caches: isCommon, library, version }) {
  if (isCommon !== true) return [];
  const folder = dirname(library);
  return [
    `current=$(readlink ${folder}/current 2>/dev/null || true)`,
    `newest() { printf '%s\\n' "$1" "$2" | sort -V | tail -n 1; }`,
    `if [ ! -e "${folder}/$current/.brought-by-upgrade" ] || [ "$(newest "$current" ${version})" = ${version} ] ||`,
    `  { [ -n "$2" ] && [ "$2" != ${version} ] && [ "$(newest "$2" ${version})" = "$2" ]; }; then`,
    `  ln -sfn ${version} ${folder}/.current-new`,
    `  mv -T ${folder}/.current-new ${folder}/current`,
    `  rm -f ${folder}/trial.json`,
    'else',
    `  echo "brine.upgrade has brought $current, which is newer than ${version} and stays (${folder}/current)."`,
    'fi',
  ];
}

/** Puts back what was set aside; folders of versions of which nothing runs any more go. */
export function putBack({ caches: isCommon, library }) {
  if (isCommon !== true) return [];
  const folder = dirname(library);
  return [
    `for aside in ${folder}/.kept-*; do`,
    '  [ -d "$aside" ] || continue',
    `  old="${folder}/\${aside##*/.kept-}"`,
    `  if [ "$old" = ${library} ]; then rm -rf "$aside"; continue; fi`,
    '  rm -rf "$old"',
    '  mv "$aside" "$old"',
    'done',
    ...dropUnused(
      { caches: isCommon, library },
      `[ "$old" = ${library} ] && continue`,
      `[ "$old" -ef ${folder}/current ] && continue`,
    ),
  ];
}

/** After the package: versions that were kept for what ran go, unless it still does. */
export function dropAll(each) {
  const lines = dropUnused(each);
  if (lines.length === 0) return [];
  const folder = dirname(each.library);
  // what upgrades leave beside their versions
  const own = ['current', 'trial.json', 'outcome.json', 'trust.json'].map((name) => `${folder}/${name}`);
  return [
    ...lines,
    `rm -f ${own.join(' ')}`,
    `rmdir --ignore-fail-on-non-empty ${folder} 2>/dev/null || true`,
  ];
}

function dropUnused({ caches: isCommon, library }, ...unless) {
  if (isCommon !== true) return [];
  return [
    `for old in ${dirname(library)}/[0-9]*; do`,
    ...unless.map((line) => `  ${line}`),
    // rpm runs scripts in mounts of their own: from there, paths of a system in a chroot begin further up
    '  readlink /proc/[0-9]*/exe 2>/dev/null | grep -q "$old/" || rm -rf "$old"',
    'done',
  ];
}

/** V8's caches are made where they are used: what is not there makes programs start later, and nothing else. */
export function makeCaches({ caches: has, library }) {
  if (has !== true) return [];
  return [`${library}/node/bin/node ${library}/bin/code-caches.mjs >/dev/null 2>&1 || true`];
}

export function dropCaches({ caches: has, library }) {
  return has === true ? [`rm -f ${library}/dist/*.cache`] : [];
}

/** Salt is gone, and with it the way back of `brine takeover`: the unit of the package starts Brine by itself. */
export function endTakeover({ unit }) {
  if (unit === undefined) return [];
  const folder = `/etc/systemd/system/${unit}.d`;
  return [
    `rm -rf ${folder}/brine.conf /etc/salt/brine-takeover`,
    `rmdir --ignore-fail-on-non-empty ${folder} 2>/dev/null || true`,
  ];
}

/** Units of Salt start what the package brings, as long as there is a way back. */
export function refuseInTakeover({ caches: isCommon }) {
  if (isCommon !== true) return [];
  return [
    'if [ -e /etc/salt/brine-takeover/record.json ]; then',
    '  echo "brine-common stays: Brine runs in the place of Salt. Say brine takeover --back first, or install brine-master or brine-minion." >&2',
    '  exit 1',
    'fi',
  ];
}
