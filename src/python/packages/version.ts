/**
 * Versions of Python packages and what is asked of them (PEP 440), as `packaging.version` and `packaging.specifiers`
 * compare them.
 */
import { compareText } from '../values/order.ts';

/** A part of a version that is there or not, in one order with its absence. */
type Rank = readonly (number | string)[];

/** A version, taken apart. */
export interface PackageVersion {
  readonly epoch: number;
  readonly release: readonly number[];
  /** What follows the release, in the order in which it is compared. */
  readonly pre: Rank;
  readonly post: Rank;
  readonly dev: Rank;
  readonly local: readonly string[];
}

const VERSION =
  /^\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*$/i;

const PRE_NAMES: ReadonlyMap<string, string> = new Map([
  ['alpha', 'a'],
  ['beta', 'b'],
  ['c', 'rc'],
  ['pre', 'rc'],
  ['preview', 'rc'],
]);

const BEFORE_ALL = '!';
const AFTER_ALL = '~';

/** Takes a version apart; undefined for what is none. */
export function parsePackageVersion(text: string): PackageVersion | undefined {
  const found = VERSION.exec(text);
  if (found === null) return undefined;
  const [, epoch, release = '', letter, number, postDash, post, postNumber, dev, devNumber, local] = found;
  const isPre = letter !== undefined;
  const isPost = postDash !== undefined || post !== undefined;
  const isDev = dev !== undefined;
  const name = letter?.toLowerCase() ?? '';
  return {
    epoch: Number(epoch ?? 0),
    release: release.split('.').map(Number),
    pre: isPre ? [PRE_NAMES.get(name) ?? name, Number(number)] : [!isPost && isDev ? BEFORE_ALL : AFTER_ALL],
    post: isPost ? [Number(postDash ?? postNumber)] : [-1],
    dev: isDev ? [Number(devNumber)] : [Infinity],
    local: local === undefined ? [] : local.toLowerCase().split(/[-_.]/),
  };
}

function compareRanks(a: Rank, b: Rank): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]];
    if (x === undefined || y === undefined) return a.length - b.length;
    const order =
      typeof x === 'number' && typeof y === 'number'
        ? x === y
          ? 0
          : x < y
            ? -1
            : 1
        : compareText(String(x), String(y));
    if (order !== 0) return order;
  }
  return 0;
}

const part = (release: readonly number[], i: number): number => release[i] ?? 0;

function compareReleases(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++)
    if (part(a, i) !== part(b, i)) return part(a, i) - part(b, i);
  return 0;
}

/** Segments of a local version: letters are before numbers, and none is before any. */
function compareLocals(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]];
    if (x === undefined || y === undefined) return a.length - b.length;
    const [isNumber, isOther] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isNumber !== isOther) return isNumber ? 1 : -1;
    const order = isNumber ? Number(x) - Number(y) : compareText(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePublic(a: PackageVersion, b: PackageVersion): number {
  return (
    a.epoch - b.epoch ||
    compareReleases(a.release, b.release) ||
    compareRanks(a.pre, b.pre) ||
    compareRanks(a.post, b.post) ||
    compareRanks(a.dev, b.dev)
  );
}

/** Below, at or above zero. */
export function comparePackageVersions(a: PackageVersion, b: PackageVersion): number {
  return comparePublic(a, b) || compareLocals(a.local, b.local);
}

/** What is asked of a version: `['>=', '1.2']`. */
export type VersionSpec = readonly [operator: string, version: string];

/** True when the release begins with that of a version such as `1.4.*`. */
function isWithin(version: PackageVersion, prefix: PackageVersion): boolean {
  return (
    version.epoch === prefix.epoch && prefix.release.every((number, i) => part(version.release, i) === number)
  );
}

function isEqual(version: PackageVersion, wanted: string): boolean {
  const isPrefix = wanted.endsWith('.*');
  const asked = parsePackageVersion(isPrefix ? wanted.slice(0, -2) : wanted);
  if (asked === undefined) return false;
  if (isPrefix) return isWithin(version, asked);
  const order = comparePublic(version, asked);
  return order === 0 && (asked.local.length === 0 || compareLocals(version.local, asked.local) === 0);
}

/** `~= 2.2`: at least this, and all but the last number the same. */
function isCompatible(version: PackageVersion, wanted: string): boolean {
  const asked = parsePackageVersion(wanted);
  if (asked === undefined || asked.release.length < 2) return false;
  const series = { ...asked, release: asked.release.slice(0, -1) };
  return comparePublic(version, asked) >= 0 && isWithin(version, series);
}

/** True when a version is what is asked for. Versions before a release count as all others do. */
export function fulfills(text: string, [operator, wanted]: VersionSpec): boolean {
  if (operator === '===') return text.toLowerCase() === wanted.toLowerCase();
  const version = parsePackageVersion(text);
  if (version === undefined) return false;
  if (operator === '==') return isEqual(version, wanted);
  if (operator === '!=') return !isEqual(version, wanted);
  if (operator === '~=') return isCompatible(version, wanted);
  const asked = parsePackageVersion(wanted);
  if (asked === undefined) return false;
  const order = comparePackageVersions(version, asked);
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : operator === '>=' && order >= 0;
}
