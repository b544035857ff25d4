/**
 * Sums of files, each computed once: kept in memory as long as the file is the same, and for larger files on disk,
 * where Salt keeps them and in its form (`<cachedir>/roots/hash/<saltenv>/<path>.hash.<type>`: `sum:mtime`;
 * salt/fileserver/roots.py `file_hash`, 3006.16).
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { hashOfFile } from '../../host/file-hash.ts';
import { readTextIfExists, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { floatRepr } from '../../python/values/repr.ts';
import type { FoundFile } from './find.ts';
import { ROOTS } from './layer.ts';
import { environmentFileName, hashCacheFolder, type FileServerSettings } from './settings.ts';

const SUMS_MAX = 50_000;
/** Smaller files are read again as fast as their cached sum. */
const ON_DISK_FROM_BYTES = 256n * 1024n;
/** A file that was changed this short a time ago may change again within the same tick of its clock. */
const SETTLED_MS = 2_000;

/** Computes and remembers the sums of files. */
export class FileHashes {
  readonly #settings: FileServerSettings;
  readonly #clock: Clock;
  readonly #known = new BoundedMap<string, { identity: string; sum: string }>(SUMS_MAX);
  /** Everybody who asks for the same file at the same time shares one reading of it. */
  readonly #running = new Map<string, Promise<string>>();

  constructor(settings: FileServerSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The sum of a file, in hexadecimal digits. @throws the system's error when it cannot be read */
  of(file: FoundFile): Promise<string> {
    const identity = identityOf(file);
    const known = this.#known.get(file.path);
    if (known?.identity === identity) return Promise.resolve(known.sum);
    const key = `${file.path}\0${identity}`;
    let running = this.#running.get(key);
    if (running === undefined) {
      running = this.#compute(file, identity).finally(() => this.#running.delete(key));
      this.#running.set(key, running);
    }
    return running;
  }

  async #compute(file: FoundFile, identity: string): Promise<string> {
    const isLarge = file.stat.size >= ON_DISK_FROM_BYTES;
    const isSettled = this.#clock.nowMs() - Number(file.stat.mtimeMs) > SETTLED_MS;
    const path = isLarge && isSettled && file.backend === ROOTS ? this.#diskPath(file) : undefined;
    const stored = path === undefined ? undefined : readSum(path, file);
    const sum = stored ?? (await hashOfFile(file.path, this.#settings.hashType));
    if (isSettled) this.#known.set(file.path, { identity, sum });
    if (path !== undefined && stored === undefined) store(path, `${sum}:${mtimeText(file)}`);
    return sum;
  }

  #diskPath({ rel, saltenv }: FoundFile): string | undefined {
    const { hashType } = this.#settings;
    try {
      return safeJoin(
        hashCacheFolder(this.#settings),
        environmentFileName(saltenv),
        `${rel}.hash.${hashType}`,
      );
    } catch {
      return undefined;
    }
  }
}

function identityOf({ stat }: FoundFile): string {
  return `${stat.dev}.${stat.ino}.${stat.size}.${stat.mtimeNs}.${stat.ctimeNs}`;
}

/** Python's `str(os.path.getmtime(path))`. */
function mtimeText({ stat }: FoundFile): string {
  const seconds = stat.mtimeNs / 1_000_000_000n;
  return floatRepr(Number(seconds) + 1e-9 * Number(stat.mtimeNs % 1_000_000_000n));
}

function readSum(path: string, file: FoundFile): string | undefined {
  try {
    const [sum, mtime] = (readTextIfExists(path) ?? '').split(':');
    return sum !== undefined && /^[0-9a-f]+$/.test(sum) && mtime === mtimeText(file) ? sum : undefined;
  } catch {
    return undefined;
  }
}

/** The sum is only kept to be faster: a full disk does not keep files from being served. */
function store(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileAtomic(path, content, { mode: 0o600 });
  } catch {
    rmSync(path, { force: true, recursive: false });
  }
}
