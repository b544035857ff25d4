/**
 * The files that one compilation reads: SLS, top files and the templates they import. Each is fetched once, so that a
 * run sees one version of every file and a master is not asked for the same map file by each SLS. Files of this machine
 * get a copy in the cache, too, because that is the path which `tplpath` and errors name (salt/fileclient.py
 * `FSClient`, 3006.16).
 */
import { readFileSync } from 'node:fs';
import { UnsafePathError } from '../../errors/errors.ts';
import { currentUmask } from '../../host/file-replacement.ts';
import { writeFileAtomic } from '../../host/files.ts';

import { makeCacheRoom, type FileClient } from '../../storage/fileclient/client.ts';
import { cachedFilePath } from '../../storage/fileclient/cache-paths.ts';
import { openFileClient } from '../../storage/fileclient/open.ts';
import type { FoundFile } from '../../formats/jinja/index.ts';
import type { ModuleContext } from '../loader/module.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { PythonError } from '../../python/exceptions.ts';
import { isFile } from '../../python/paths.ts';

/** An SLS file, fetched. */
export interface SlsFile {
  readonly text: string;
  /** Where it lies on this machine. */
  readonly path: string;
  /** Whether it is the `init.sls` of a folder, whose relative includes start there. */
  readonly isInit: boolean;
}

/** Fetches each file of a compilation once and keeps it. */
export class SlsFiles {
  readonly client: FileClient;
  readonly #isLocal: boolean;
  readonly #fetched = new Map<string, Promise<FoundFile | undefined>>();
  readonly #states = new Map<string, Promise<readonly string[]>>();

  constructor(ctx: ModuleContext) {
    this.client = openFileClient(ctx);
    this.#isLocal = ctx.opts.get('file_client') === 'local';
  }

  /** A file by its path below an environment; undefined when there is none. */
  read(path: string, saltenv: string): Promise<FoundFile | undefined> {
    const key = `${saltenv}\0${path}`;
    let fetched = this.#fetched.get(key);
    if (fetched === undefined) this.#fetched.set(key, (fetched = this.#fetch(path, saltenv)));
    return fetched;
  }

  /** An SLS by its name: `a.b` is `a/b.sls`, or else `a/b/init.sls`. */
  async sls(name: string, saltenv: string): Promise<SlsFile | undefined> {
    const path = name.replaceAll('.', '/');
    for (const tail of ['.sls', '/init.sls']) {
      const file = await this.read(path + tail, saltenv);
      if (file !== undefined) return { ...file, isInit: `${path}${tail}`.endsWith('/init.sls') };
    }
    return undefined;
  }

  /** The names of all SLS of an environment, sorted. */
  states(saltenv: string): Promise<readonly string[]> {
    let names = this.#states.get(saltenv);
    if (names === undefined) this.#states.set(saltenv, (names = this.client.listStates(saltenv)));
    return names;
  }

  async #fetch(path: string, saltenv: string): Promise<FoundFile | undefined> {
    const place = this.#isLocal
      ? await this.client.source.place(path, saltenv)
      : await this.#cached(path, saltenv);
    if (place === undefined) return undefined;
    const bytes = readFileSync(place);
    const text = decodeUtf8(bytes);
    if (text === undefined) throw new PythonError('UnicodeDecodeError', `${place} is not UTF-8`);
    return { text, path: this.#isLocal ? this.#copied(place, bytes, { path, saltenv }) : place };
  }

  /**
   * Copies a file of this machine into the cache, unless the very same is there.
   * @returns the copy; the file itself where nothing can be written
   */
  #copied(place: string, bytes: Buffer, { path, saltenv }: { path: string; saltenv: string }): string {
    try {
      const copy = cachedFilePath(this.client.deps.cachedir, saltenv, path);
      if (isFile(copy) && readFileSync(copy).equals(bytes)) return copy;
      makeCacheRoom(copy);
      writeFileAtomic(copy, bytes, { mode: 0o666 & ~currentUmask() });
      return copy;
    } catch (error) {
      if (error instanceof UnsafePathError || isNotWritable(error)) return place;
      throw error;
    }
  }

  /** A file of the master, brought here; what cannot be a path here is no file. */
  async #cached(path: string, saltenv: string): Promise<string | undefined> {
    try {
      const place = await this.client.cacheFile(`salt://${path}`, { saltenv });
      return place === false ? undefined : place;
    } catch (error) {
      if (error instanceof UnsafePathError) return undefined;
      throw error;
    }
  }
}

/** Errors of a cache that an account may not write to, or that is on a full or write-protected disk. */
const NOT_WRITABLE: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT']);

function isNotWritable(error: unknown): boolean {
  return error instanceof Error && NOT_WRITABLE.has((error as NodeJS.ErrnoException).code);
}
