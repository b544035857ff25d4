/**
 * Bringing modules of one's own over from the file server: `salt://_<kind>` of each environment to `<extension_modules>/<kind>`
 * (salt/utils/extmods.py `sync`, 3006.16).
 */
import { copyFileSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { FileClient } from '../fileclient/client.ts';
import { environmentFolder } from '../fileclient/cache-paths.ts';
import { hashOfFile } from '../host/file-hash.ts';
import { readTextIfExists, safeJoin, writeFileAtomic } from '../host/files.ts';
import { makeFolders } from '../host/make-folders.ts';
import type { Logger } from '../host/log.ts';
import { pyStr } from '../values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../values/value.ts';

/** Files that are brought over: sources, and data beside them. */
const WANTED = 'E@\\.([cm]?[tj]s|json)$';
const PYTHON = 'E@\\.(pyx?|so|zip)$';
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
  try {
    for (const environment of job.environments) {
      await reportPython(job, environment);
      for (const { path, rel } of await fetched(job, environment)) {
        kept.add(rel);
        const dest = safeJoin(folder, rel);
        if (await isSameFile(path, dest)) continue;
        makeFolders(dirname(dest), 0o700);
        copyFileSync(path, dest);
        changed.push(`${kind}.${moduleName(rel)}`);
      }
    }
    isTouched = changed.length > 0;
    if (opts.get('clean_dynamic_modules') !== false) isTouched = removeOthers(folder, kept) || isTouched;
  } catch (error) {
    log.error(`Failed to sync ${kind} module: ${(error as Error).message}`, error);
  }
  return { changed, found: kept.size, isTouched };
}

/** The files of an environment that may come here. */
async function fetched(job: SyncJob, saltenv: string): Promise<{ path: string; rel: string }[]> {
  const { client, kind } = job;
  const isAllowed = filterOf(job);
  const cached = await client.cacheDir(`salt://_${kind}`, { saltenv, include: WANTED });
  const folder = join(environmentFolder(client.parts.cachedir, saltenv), `_${kind}`);
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

/** `sub/x.ts` is `sub.x`. */
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

/** Says of each Python file once that it is one: minions of both kinds may share a file server. */
async function reportPython({ client, kind, log }: SyncJob, saltenv: string): Promise<void> {
  const { includeExclude } = await import('../fileclient/pattern.ts');
  const isPython = includeExclude(PYTHON, null);
  const prefix = `_${kind}/`;
  const files = (await client.source.files(saltenv, prefix)).filter(
    (path) => path.startsWith(prefix) && isPython(path),
  );
  if (files.length === 0) return;
  const path = join(client.parts.cachedir, 'python_modules_seen');
  const seen = new Set((readTextIfExists(path) ?? '').split('\n'));
  const fresh = files.map((file) => `salt://${file}?saltenv=${saltenv}`).filter((url) => !seen.has(url));
  if (fresh.length === 0) return;
  for (const url of fresh)
    log.warning(
      `${url} is a module in Python, which does not run here; it is left out. Minions of Salt go on using it. ` +
        'A module in TypeScript or JavaScript beside it, with the same name, is used by this one.',
    );
  makeFolders(client.parts.cachedir, 0o755);
  writeFileAtomic(path, [...seen, ...fresh].filter(truthy).join('\n'), { mode: 0o644 });
}
