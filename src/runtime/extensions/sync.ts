/**
 * Bringing custom modules over from the file server: `salt://_<kind>` of each environment to
 * `<extension_modules>/<kind>` (salt/utils/extmods.py `sync`, 3006.16). Modules in Python come along, as Salt would
 * bring them: they do not run here, and a Salt that takes the folder over finds what it had.
 */
import { chmodSync, copyFileSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isPythonServed, pythonReason } from './folder.ts';
import type { FileClient } from '../../storage/fileclient/client.ts';
import { environmentFolder } from '../../storage/fileclient/cache-paths.ts';
import { hashOfFile } from '../../host/file-hash.ts';
import { safeJoin } from '../../host/files.ts';
import { makeFolders } from '../../host/make-folders.ts';
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** Files that are brought over: sources, and data beside them. */
const WANTED = 'E@\\.([cm]?[tj]s|json|pyx?|so|zip)$';
const PYTHON = /\.(pyx?|so|zip)$/;
/** In which earlier versions noted which Python files they had told of. */
const NOTED_PYTHON = 'python_modules_seen';
const SUM = 'sha256';

/** What is synced. */
export interface SyncJob {
  readonly client: FileClient;
  readonly opts: Dict;
  /** `modules`, `grains`, … */
  readonly kind: string;
  readonly environments: readonly string[];
  /** Kind to names, or names with commas; null for those of the configuration. */
  readonly whitelist: Value;
  readonly blacklist: Value;
  /** One of all kinds: what is not loaded is told of files that have not changed, too. */
  readonly isWhole?: boolean;
  readonly log: Logger;
}

/** What came of it. */
export interface Synced {
  /** `modules.name` of each file that is new or has changed. */
  readonly changed: string[];
  /** How many files there are, changed or not. */
  readonly found: number;
  /** True also when files were removed. */
  readonly isTouched: boolean;
}

/** Syncs one kind. Faults are logged, and end the work. */
export async function syncExtensions(job: SyncJob): Promise<Synced> {
  const { opts, kind, log } = job;
  const folder = join(pyStr(opts.get('extension_modules') ?? ''), kind);
  const changed: string[] = [];
  let isTouched = false;
  const kept = new Set<string>();
  const brought = new Map<string, string>();
  try {
    for (const environment of job.environments) {
      for (const { path, rel } of await fetched(job, environment)) {
        kept.add(rel);
        const dest = safeJoin(folder, rel);
        if (await isSameFile(path, dest)) continue;
        makeFolders(dirname(dest), 0o700);
        copyFileSync(path, dest);
        chmodSync(dest, 0o600);
        const name = `${kind}.${moduleName(rel)}`;
        // a module in Python beside one of the same name in another language is one module
        if ((brought.get(name) ?? rel) === rel) changed.push(name);
        brought.set(name, rel);
      }
    }
    isTouched = changed.length > 0;
    if (opts.get('clean_dynamic_modules') !== false) isTouched = removeOthers(folder, kept) || isTouched;
  } catch (error) {
    log.error(`Failed to sync ${kind} module: ${(error as Error).message}`, error);
  }
  rmSync(join(job.client.deps.cachedir, NOTED_PYTHON), { force: true });
  const notLoaded = notLoadedOf(job, kept);
  for (const [name, reason] of notLoaded)
    if (changed.includes(name)) log.warning(`${name} was synced and is not loaded: ${reason}.`);
    else if (job.isWhole === true) log.warning(`${name} is here and is not loaded: ${reason}.`);
  return { changed, found: kept.size, isTouched };
}

/** The files of an environment that may come here. */
async function fetched(job: SyncJob, saltenv: string): Promise<{ path: string; rel: string }[]> {
  const { client, kind } = job;
  const isAllowed = filterOf(job);
  const cached = await client.cacheDir(`salt://_${kind}`, { saltenv, include: WANTED });
  const folder = join(environmentFolder(client.deps.cachedir, saltenv), `_${kind}`);
  return cached
    .map((path) => ({ path, rel: relative(folder, path) }))
    .filter(({ rel }) => !rel.endsWith('.d.ts') && isAllowed(moduleName(rel)));
}

function filterOf({ opts, kind, whitelist, blacklist }: SyncJob): (name: string) => boolean {
  const allowed = namesOf(whitelist ?? opts.get('extmod_whitelist'), kind);
  const refused = namesOf(blacklist ?? opts.get('extmod_blacklist'), kind);
  return (name) => (allowed === undefined || allowed.includes(name)) && refused?.includes(name) !== true;
}

/** Undefined when the kind is not listed at all. */
function namesOf(value: Value | undefined, kind: string): string[] | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value.split(',');
  const names = isDict(value) ? value.get(kind) : undefined;
  if (typeof names === 'string') return names.split(',');
  return Array.isArray(names) ? names.map(pyStr) : undefined;
}

/** A file `x` in a folder `sub` is the module `sub.x`. */
function moduleName(rel: string): string {
  return rel.replace(/\.[^./]*$/, '').replaceAll('/', '.');
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  if (statSync(b, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const [first, second] = await Promise.all([hashOfFile(a, SUM), hashOfFile(b, SUM)]);
  return first === second;
}

/** Removes what the file server no longer has. @returns true when there was something */
function removeOthers(folder: string, kept: ReadonlySet<string>): boolean {
  let isTouched = false;
  const clean = (path: string): void => {
    for (const entry of entriesOf(path)) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) clean(inner);
      else if (!kept.has(relative(folder, inner))) {
        rmSync(inner, { force: true });
        isTouched = true;
      }
    }
    if (path !== folder && entriesOf(path).length === 0) rmdirSync(path);
  };
  clean(folder);
  return isTouched;
}

function entriesOf(path: string): { name: string; isDirectory(): boolean }[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Python files beside which there is no source of the same name. */
function notLoadedOf({ opts, kind }: SyncJob, kept: ReadonlySet<string>): ReadonlyMap<string, string> {
  if (isPythonServed(kind)) return new Map();
  const folder = join(pyStr(opts.get('extension_modules') ?? ''), kind);
  const used = new Set([...kept].filter((rel) => !PYTHON.test(rel)).map(moduleName));
  const names = [...kept].filter((rel) => PYTHON.test(rel) && !used.has(moduleName(rel))).sort();
  return new Map(names.map((rel) => [`${kind}.${moduleName(rel)}`, pythonReason(join(folder, rel))]));
}
