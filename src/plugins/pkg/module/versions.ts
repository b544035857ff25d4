/** Comparing versions of packages as dpkg (deb-version(7)) and rpm (rpmvercmp) do, without starting them. */

/** -1, 0 or 1. */
export type Order = -1 | 0 | 1;

/**
 * Compares two versions; null for what is no version, where no comparison holds (Salt's `versions.compare`, 3006.16).
 */
export type CompareVersions = (a: string, b: string) => Order | null;

const sign = (difference: number): Order => (difference < 0 ? -1 : difference > 0 ? 1 : 0);

/** The epoch of a version, 0 without one, and the rest. */
function withEpoch(version: string): [epoch: number, rest: string] {
  const at = version.indexOf(':');
  return at < 0 ? [0, version] : [Number(version.slice(0, at)) || 0, version.slice(at + 1)];
}

/** A version without its epoch. */
export function withoutEpoch(version: string): string {
  return version.slice(version.indexOf(':') + 1);
}

function compareDigits(a: string, b: string): Order {
  const [x, y] = [a, b].map((digits) => digits.replace(/^0+/, '')) as [string, string];
  if (x.length !== y.length) return sign(x.length - y.length);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The weight of a character for dpkg: `~` before the end, the end before letters, letters before the rest. */
function weight(char: string | undefined): number {
  if (char === '~') return -1;
  if (char === undefined || /\d/.test(char)) return 0;
  return /[A-Za-z]/.test(char) ? char.charCodeAt(0) : char.charCodeAt(0) + 256;
}

function compareDebPart(a: string, b: string): Order {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    while ((i < a.length && !/\d/.test(a.charAt(i))) || (j < b.length && !/\d/.test(b.charAt(j)))) {
      const difference = weight(a[i]) - weight(b[j]);
      if (difference !== 0) return sign(difference);
      i++;
      j++;
    }
    const digits = (text: string, at: number): string => /^\d*/.exec(text.slice(at))?.[0] ?? '';
    const [x, y] = [digits(a, i), digits(b, j)];
    const order = compareDigits(x, y);
    if (order !== 0) return order;
    i += x.length;
    j += y.length;
  }
  return 0;
}

/** The largest epoch that dpkg takes. */
const EPOCH_MAX = 2 ** 31 - 1;

/**
 * What dpkg reads in a version; undefined where it ends with an error: an epoch, a revision or the rest that is empty,
 * or spaces.
 */
function debParts(version: string): [epoch: number, upstream: string, revision: string] | undefined {
  const text = version.trim();
  if (text === '') return version === '' ? [0, '', ''] : undefined;
  // what begins with a dash is an option for dpkg
  if (/\s|^-/.test(text)) return undefined;
  const parts = /^(?:(?<epoch>[^:]*):)?(?<upstream>.*?)(?:-(?<revision>[^-]*))?$/.exec(text)?.groups ?? {};
  const { epoch = '0', upstream = '', revision } = parts;
  const isEpoch = /^\d+$/.test(epoch) && Number(epoch) <= EPOCH_MAX;
  return isEpoch && upstream !== '' && revision !== ''
    ? [Number(epoch), upstream, revision ?? '']
    : undefined;
}

/**
 * dpkg's order; null where it takes one of them for no version. Salt asks dpkg where Python has no `apt_pkg`, as in its
 * own packages; with Debian's python3-apt it gives an order to anything (salt/modules/aptpkg.py `version_cmp`,
 * 3006.16).
 */
export function compareDeb(a: string, b: string): Order | null {
  const [x, y] = [debParts(a), debParts(b)];
  if (x === undefined || y === undefined) return null;
  return sign(x[0] - y[0]) || compareDebPart(x[1], y[1]) || compareDebPart(x[2], y[2]);
}

function compareRpmPart(a: string, b: string): Order {
  let [x, y] = [a, b];
  while (x !== '' || y !== '') {
    x = x.replace(/^[^A-Za-z0-9~^]+/, '');
    y = y.replace(/^[^A-Za-z0-9~^]+/, '');
    if (x.startsWith('~') || y.startsWith('~')) {
      if (!x.startsWith('~')) return 1;
      if (!y.startsWith('~')) return -1;
      [x, y] = [x.slice(1), y.slice(1)];
      continue;
    }
    if (x.startsWith('^') || y.startsWith('^')) {
      if (x === '') return -1;
      if (y === '') return 1;
      if (!x.startsWith('^')) return 1;
      if (!y.startsWith('^')) return -1;
      [x, y] = [x.slice(1), y.slice(1)];
      continue;
    }
    if (x === '' || y === '') break;
    const isNumber = /^\d/.test(x);
    const pattern = isNumber ? /^\d+/ : /^[A-Za-z]+/;
    const [p, q] = [pattern.exec(x)?.[0] ?? '', pattern.exec(y)?.[0] ?? ''];
    if (q === '') return isNumber ? 1 : -1;
    const order = isNumber ? compareDigits(p, q) : p < q ? -1 : p > q ? 1 : 0;
    if (order !== 0) return order;
    [x, y] = [x.slice(p.length), y.slice(q.length)];
  }
  return x === y ? 0 : x === '' ? -1 : 1;
}

/** rpm's order; a release counts only when both have one. */
export function compareRpm(a: string, b: string): Order {
  const [[epochA, restA], [epochB, restB]] = [withEpoch(a), withEpoch(b)];
  if (epochA !== epochB) return sign(epochA - epochB);
  const [versionA = '', releaseA] = restA.split('-');
  const [versionB = '', releaseB] = restB.split('-');
  const order = compareRpmPart(versionA, versionB);
  if (order !== 0 || releaseA === undefined || releaseB === undefined) return order;
  return compareRpmPart(releaseA, releaseB);
}

/**
 * The order of Salt's `LooseVersion`: numbers and words one by one; as texts with zeros in front as soon as there is a
 * word.
 */
export function compareLoose(a: string, b: string): Order {
  const parts = (text: string): (string | number)[] =>
    text
      .split(/(\d+|[a-z]+|\.)/)
      .filter((part) => part !== '' && part !== '.')
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const [x, y] = [parts(a), parts(b)];
  const isNumeric = [...x, ...y].every((part) => typeof part === 'number');
  const comparable = (part: string | number | undefined): string | number =>
    isNumeric ? (part ?? -1) : typeof part === 'number' ? String(part).padStart(8, '0') : (part ?? '');
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const [p, q] = [comparable(x[i]), comparable(y[i])];
    if (p !== q) return p < q ? -1 : 1;
  }
  return 0;
}

/** The first of the available versions for which a comparison such as `>=1.2` holds; without an operator, `==`. */
export function matchVersion(
  wanted: string,
  available: readonly string[],
  compare: CompareVersions,
  ignoreEpoch: boolean,
): string | undefined {
  const [, operator = '==', version = ''] = /^([<>=!]+)?\s*(.*)$/.exec(wanted) ?? [];
  const shown = (text: string): string => (ignoreEpoch ? withoutEpoch(text) : text);
  return available.find((candidate) => {
    const order = compare(shown(candidate), shown(version));
    if (order === null) return false;
    switch (operator) {
      case '<':
        return order < 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '>=':
        return order >= 0;
      case '!=':
        return order !== 0;
      default:
        return order === 0;
    }
  });
}
