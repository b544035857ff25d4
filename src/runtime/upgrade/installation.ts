/**
 * Versions side by side: `<base>/VERSION` with `node/`, `bin/` and `dist/`, and the link `<base>/current` to the one
 * that programs are started from (docs/internals/upgrade.md).
 */
import { lstatSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../host/disk-sync.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';

const CURRENT = 'current';
/** In a folder that an upgrade has brought, and that a later one may remove; packages remove theirs themselves. */
const BROUGHT = '.brought-by-upgrade';
/** Made before a folder has its name: whoever finds one finds what was not ready. */
const UNREADY = /^\.(?:unpacked|gone)-/;
/** What a version is called; it becomes a part of paths. */
const VERSION = /^[0-9][0-9A-Za-z.+~-]{0,63}$/;

/** Whether a text names a version. */
export function isVersion(text: string): boolean {
  return VERSION.test(text) && !text.includes('..');
}

/** Where the versions of this machine lie, and which of them this process runs. */
export class Installation {
  readonly base: string;
  readonly version: string;

  private constructor(base: string, version: string) {
    this.base = base;
    this.version = version;
  }

  /**
   * @param home the folder with `bin` and `dist` of the running program
   * @returns undefined for a checkout, an installation by npm, and all else that no link `current` leads to
   */
  static around(home: string): Installation | undefined {
    const [base, version] = [dirname(home), basename(home)];
    if (!isVersion(version)) return undefined;
    const here = new Installation(base, version);
    return here.current === undefined ? undefined : here;
  }

  /** The version that programs are started from. */
  get current(): string | undefined {
    try {
      const to = readlinkSync(join(this.base, CURRENT));
      return isVersion(to) ? to : undefined;
    } catch {
      return undefined;
    }
  }

  folder(version: string): string {
    if (!isVersion(version)) throw new Error(`${JSON.stringify(version)} is no version`);
    return join(this.base, version);
  }

  has(version: string): boolean {
    return statSync(join(this.folder(version), 'bin/salt-minion'), { throwIfNoEntry: false }) !== undefined;
  }

  /** The versions that are whole. */
  versions(): string[] {
    const isFolder = (name: string): boolean => lstatSync(join(this.base, name)).isDirectory();
    return readdirSync(this.base)
      .filter((name) => isVersion(name) && isFolder(name) && this.has(name))
      .sort(compareVersions);
  }

  /** Programs are started from this version from now on; at no moment from none. */
  setCurrent(version: string): void {
    const fresh = join(this.base, `.${CURRENT}-${process.pid}`);
    rmSync(fresh, { force: true });
    symlinkSync(version, fresh);
    renameSync(fresh, join(this.base, CURRENT));
    syncFolder(this.base);
  }

  /** Where a version is unpacked before it has its name. */
  unready(version: string): string {
    return join(this.base, `.unpacked-${version}`);
  }

  /** Gives an unpacked version its name, and notes that it may be removed. */
  adopt(version: string): void {
    const from = this.unready(version);
    writeFileAtomic(join(from, BROUGHT), '', { mode: 0o644, durable: true });
    renameSync(from, this.folder(version));
    syncFolder(this.base);
  }

  isBrought(version: string): boolean {
    return readTextIfExists(join(this.folder(version), BROUGHT)) !== undefined;
  }

  /** Removes a version, which has no name any more before its first file goes. */
  remove(version: string): void {
    const gone = join(this.base, `.gone-${version}`);
    rmSync(gone, { recursive: true, force: true });
    renameSync(this.folder(version), gone);
    rmSync(gone, { recursive: true, force: true });
  }

  /** Removes what was brought and is not among these, and what a failure of power has left half done. */
  tidy(kept: readonly (string | undefined)[]): void {
    for (const name of readdirSync(this.base))
      if (UNREADY.test(name)) rmSync(join(this.base, name), { recursive: true, force: true });
    for (const version of this.versions())
      if (!kept.includes(version) && version !== this.current && this.isBrought(version))
        this.remove(version);
  }
}

/**
 * How versions follow one another: numbers as numbers, `1.0~rc1` before `1.0`, as Debian orders them.
 * @returns below 0 when `a` is the older one
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = comparePart(left[at] ?? '', right[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function partsOf(version: string): string[] {
  return version.match(/\d+|[^\d]/g) ?? [];
}

function comparePart(a: string, b: string): number {
  if (/^\d*$/.test(a) && /^\d*$/.test(b) && a !== '' && b !== '') return Math.sign(Number(a) - Number(b));
  return Math.sign(weight(a) - weight(b));
}

/** A tilde comes before the end, and the end before all else. */
function weight(part: string): number {
  if (part === '~') return -1;
  if (part === '') return 0;
  return /^\d/.test(part) ? 1 : 1 + part.charCodeAt(0);
}
