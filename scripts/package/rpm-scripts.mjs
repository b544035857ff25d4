// What RPM packages do when they are installed and removed. The first argument of a script is how many versions there
// are after it: an upgrade installs the new one (2) before it removes the old one (1), and 0 is the last that goes.
import { dirname } from 'node:path';
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

const IS_FIRST = '[ "$1" -eq 1 ]';
const IS_LAST = '[ "$1" -eq 0 ]';
const IS_UPGRADE = '[ "$1" -ge 1 ]';
const RUNS_SYSTEMD = '[ -d /run/systemd/system ]';

/** The scripts of a package, by their names, without those that have nothing to do. */
export function scriptlets(each) {
  const parts = [
    ['pre', account(each)],
    [
      'post',
      [
        ...setAside(each),
        ...makeCurrent(each),
        ...foldersOfAccount(each),
        ...when(IS_FIRST, [...otherAccount(each), ...endTakeover(each)]),
        ...keysOfSyndic(each),
        ...makeCaches(each),
        ...enable(each),
      ],
    ],
    ['preun', [...when(IS_LAST, [...refuseInTakeover(each), ...dropCaches(each)]), ...disable(each)]],
    [
      'postun',
      [...back(each), ...when(IS_LAST, [...dropAll(each), ...forgetAccount(each)]), ...restart(each)],
    ],
    ['posttrans', putBack(each)],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([name, lines]) => [name, [...lines, 'exit 0'].join('\n')]);
}

function when(condition, lines) {
  return lines.length === 0 ? [] : [`if ${condition}; then`, ...lines.map((line) => `  ${line}`), 'fi'];
}

function account({ account: name }) {
  if (name === undefined) return [];
  return [
    `getent group ${name} >/dev/null || groupadd --system ${name}`,
    `getent passwd ${name} >/dev/null || useradd --system --gid ${name} --home-dir /var/lib/salt --no-create-home --shell /sbin/nologin --comment 'Salt master' ${name}`,
  ];
}

/** The files of other versions are there until after this, and daemons may run them. */
function setAside({ caches: isCommon, library }) {
  if (isCommon !== true) return [];
  const folder = dirname(library);
  return [
    `for old in ${folder}/[0-9]*; do`,
    `  [ "$old" != ${library} ] && [ -d "$old" ] || continue`,
    `  aside="${folder}/.kept-\${old##*/}"`,
    '  [ -e "$aside" ] || cp -al "$old" "$aside"',
    'done',
  ];
}

/** At once, by the version that goes; what is left over goes with the transaction. */
function back({ caches: isCommon, library }) {
  if (isCommon !== true) return [];
  const aside = asideOf(library);
  return when(`${IS_UPGRADE} && [ -d ${aside} ]`, [`rm -rf ${library}`, `mv ${aside} ${library}`]);
}

/** Presets of the system say whether a unit is enabled; nothing is started by being installed. */
function enable({ unit }) {
  if (unit === undefined) return [];
  return [
    ...when(`${IS_FIRST} && command -v systemctl >/dev/null`, [
      `systemctl --no-reload preset ${unit} >/dev/null 2>&1 || true`,
    ]),
    ...reload(),
  ];
}

function reload() {
  return when(RUNS_SYSTEMD, ['systemctl daemon-reload >/dev/null 2>&1 || true']);
}

function disable({ unit }) {
  if (unit === undefined) return [];
  return when(`${IS_LAST} && command -v systemctl >/dev/null`, [
    `systemctl --no-reload disable ${unit} >/dev/null 2>&1 || true`,
    ...when(RUNS_SYSTEMD, [`systemctl stop ${unit} >/dev/null 2>&1 || true`]),
  ]);
}

function restart({ unit }) {
  if (unit === undefined) return [];
  return [
    ...reload(),
    ...when(`${IS_UPGRADE} && ${RUNS_SYSTEMD}`, [`systemctl try-restart ${unit} >/dev/null 2>&1 || true`]),
  ];
}
