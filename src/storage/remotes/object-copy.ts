/**
 * A store of objects as this machine keeps it: its objects as files, of which only those are fetched again that have
 * changed.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UnsafePathError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { safeJoin } from '../../host/files.ts';
import { StoreError, type ObjectStore, type StoredObject } from '../../network/http/object-store.ts';
import { RemoteCopy, type CopyState } from './copy.ts';

/** Downloads at a time. */
const AT_ONCE = 8;
/** All objects of one store together. */
const BYTES_MAX = 16 * 1024 ** 3;

/** What a copy is made of. */
export interface ObjectCopyDeps {
  /** A folder for this store alone. */
  readonly folder: string;
  readonly store: ObjectStore;
  /** Only objects whose key begins with this. */
  readonly prefix?: string;
  readonly clock: Clock;
}

/** One store. Its state has the tags of objects by their keys. */
export class ObjectCopy extends RemoteCopy {
  readonly #deps: ObjectCopyDeps;

  constructor(deps: ObjectCopyDeps) {
    super(deps.folder, deps.clock);
    this.#deps = deps;
  }

  /** The files of the last fetch. */
  get files(): string {
    return join(this.folder, 'files');
  }

  /** What the files are now, in a few characters. */
  get version(): string {
    const hash = createHash('sha256');
    for (const [key, etag] of this.state().refs) hash.update(`${key}\0${etag}\0`);
    return hash.digest('hex').slice(0, 32);
  }

  protected async pull(before: CopyState): Promise<ReadonlyMap<string, string>> {
    const { store, prefix = '' } = this.#deps;
    const objects = (await store.list(prefix)).filter(({ key }) => !key.endsWith('/'));
    const bytes = objects.reduce((sum, { sizeBytes }) => sum + (sizeBytes > 0 ? sizeBytes : 0), 0);
    if (bytes > BYTES_MAX)
      throw new StoreError(
        `${store.name} holds ${bytes} bytes, which is more than the ${BYTES_MAX} that are kept`,
      );
    const wanted = new Map(objects.map((object) => [this.#pathOf(object), object]));
    this.#removeOthers(this.files, new Set(wanted.keys()));
    mkdirSync(join(this.folder, 'drafts'), { recursive: true, mode: 0o700 });
    const missing = [...wanted].filter(
      ([path, { key, etag }]) =>
        etag === '' ||
        before.refs.get(key) !== etag ||
        statSync(path, { throwIfNoEntry: false }) === undefined,
    );
    const work = async (nth: number): Promise<void> => {
      for (let next = missing.pop(); next !== undefined; next = missing.pop())
        await this.#fetchOne(next, nth);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => work(nth)));
    return new Map([...wanted.values()].map(({ key, etag }) => [key, etag]));
  }

  async #fetchOne([path, object]: [string, StoredObject], nth: number): Promise<void> {
    const draft = join(this.folder, 'drafts', String(nth));
    try {
      await this.#deps.store.download(object, draft);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** @throws StoreError for a key that leads out of the folder */
  #pathOf({ key }: StoredObject): string {
    try {
      if (key === '' || key.split('/').some((word) => word === '' || word === '.' || word === '..'))
        throw new UnsafePathError(key);
      return safeJoin(this.files, key);
    } catch (error) {
      if (!(error instanceof UnsafePathError)) throw error;
      throw new StoreError(
        `${this.#deps.store.name} has the object ${JSON.stringify(key)}, which is no path`,
      );
    }
  }

  #removeOthers(folder: string, wanted: ReadonlySet<string>): void {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        this.#removeOthers(path, wanted);
        if (entriesOf(path).length === 0) rmdirSync(path);
      } else if (!wanted.has(path)) rmSync(path, { force: true });
    }
  }
}

function entriesOf(folder: string): { name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
