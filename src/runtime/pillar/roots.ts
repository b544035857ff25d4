/** The folders of pillar: environments, SLS files in them, and the templates they include. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { safeJoin } from '../../host/files.ts';
import type { FoundFile } from '../../formats/jinja/index.ts';
import { isDict, type Value } from '../../python/values/value.ts';

/** An SLS file. */
export interface SlsFile {
  readonly path: string;
  readonly text: string;
  /** Whether it is the `init.sls` of a folder, whose relative includes start there. */
  readonly isInit: boolean;
}

/** Files in one environment beyond which listing stops. */
const LISTED_MAX = 200_000;

/** Pillar as it lies on this machine's disk. */
export class PillarRoots {
  readonly #folders: ReadonlyMap<string, readonly string[]>;

  /**
   * @param roots the option `pillar_roots`: environments and their folders
   * @param saltenv the environment that `__env__` stands for
   */
  constructor(roots: Value | undefined, saltenv: string) {
    const folders = new Map<string, readonly string[]>();
    for (const [env, list] of isDict(roots) ? roots : []) {
      if (typeof env === 'string' && Array.isArray(list))
        folders.set(
          env,
          list.filter((folder) => typeof folder === 'string'),
        );
    }
    const dynamic = folders.get('__env__');
    folders.delete('__env__');
    if (dynamic && !folders.has(saltenv) && /^[\w.@-]+$/.test(saltenv))
      folders.set(
        saltenv,
        dynamic.map((folder) => folder.replaceAll('__env__', saltenv)),
      );
    this.#folders = folders;
  }

  /** The environments, `base` first. */
  get environments(): readonly string[] {
    return [...new Set(['base', ...this.#folders.keys()])];
  }

  /** True when folders are configured for an environment. */
  has(saltenv: string): boolean {
    return this.#folders.has(saltenv);
  }

  folders(saltenv: string): readonly string[] {
    return this.#folders.get(saltenv) ?? [];
  }

  /** A file by its path below the folders of an environment. */
  read(path: string, saltenv: string): FoundFile | undefined {
    for (const folder of this.folders(saltenv)) {
      const full = pathBelow(folder, path);
      const text = full === undefined ? undefined : readRegular(full);
      if (full !== undefined && text !== undefined) return { text, path: full };
    }
    return undefined;
  }

  /** An SLS by its name: `a.b` is `a/b.sls`, or else `a/b/init.sls`. */
  findSls(name: string, saltenv: string): SlsFile | undefined {
    const path = name.replaceAll('.', '/');
    const plain = this.read(`${path}.sls`, saltenv);
    if (plain) return { ...plain, isInit: /(^|\/)init$/.test(path) };
    const init = this.read(`${path}/init.sls`, saltenv);
    return init && { ...init, isInit: true };
  }

  /** The names of all SLS of an environment, sorted. */
  listSls(saltenv: string): string[] {
    const names = new Set<string>();
    for (const folder of this.folders(saltenv)) collect(folder, '', names);
    return [...names].sort();
  }

  /** True when there is a file of that path. */
  exists(path: string, saltenv: string): boolean {
    return this.folders(saltenv).some((folder) => {
      const full = pathBelow(folder, path);
      return full !== undefined && statSync(full, { throwIfNoEntry: false })?.isFile() === true;
    });
  }
}

function pathBelow(folder: string, path: string): string | undefined {
  if (path === '' || path.startsWith('/') || path.split('/').includes('..') || path.includes('\0'))
    return undefined;
  return safeJoin(folder, path);
}

function readRegular(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

function collect(folder: string, below: string, names: Set<string>): void {
  let entries;
  try {
    entries = readdirSync(join(folder, below), { withFileTypes: true });
  } catch {
    return; // a folder that is configured but not there
  }
  for (const entry of entries) {
    if (names.size >= LISTED_MAX) return;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    const isFolder =
      entry.isDirectory() ||
      (entry.isSymbolicLink() &&
        statSync(join(folder, path), { throwIfNoEntry: false })?.isDirectory() === true);
    if (isFolder && path.split('/').length < 40) collect(folder, path, names);
    else if (entry.name.endsWith('.sls')) {
      const name = path.slice(0, -4).replaceAll('/', '.');
      names.add(name.endsWith('.init') ? name.slice(0, -5) : name);
    }
  }
}
