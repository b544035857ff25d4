/**
 * Bringing the file server up to date: forgets sums of files that are gone, and finds what has changed since the last
 * time (`<cachedir>/roots/mtime_map`; salt/fileserver/roots.py `update`, 3006.16).
 */
import { mkdirSync } from 'node:fs';
import { readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { floatRepr } from '../../python/values/repr.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { findFile } from './find.ts';
import { ROOTS } from './layer.ts';
import { hashCacheFolder, type FileServerSettings } from './settings.ts';

/** The event that tells of changes (`fileserver_events`). */
export const UPDATE_TAG = `salt/fileserver/${ROOTS}/update`;

/** What has changed. */
export interface FileChanges {
  readonly isChanged: boolean;
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Brings everything up to date. @returns what has changed since the last time */
export async function updateFileServer(settings: FileServerSettings): Promise<FileChanges> {
  await forgetSums(settings);
  const path = join(settings.cachedir, ROOTS, 'mtime_map');
  const before = readTimes(path);
  const now = await collectTimes(settings);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lines = [...now].map(([file, time]) => `${file}:${time}\n`);
  writeFileAtomic(path, lines.join(''), { mode: 0o600 });
  const changed = [...before].filter(([file, time]) => (now.get(file) ?? time) !== time);
  const removed = [...before.keys()].filter((file) => !now.has(file));
  const added = [...now.keys()].filter((file) => !before.has(file));
  return {
    isChanged: changed.length + removed.length + added.length > 0,
    changed: changed.map(([file]) => file),
    removed,
    added,
  };
}

/** The data of the event, in Salt's shape. */
export function updateEvent({ isChanged, changed, removed, added }: FileChanges): Dict {
  return dict({
    changed: isChanged,
    files: { changed: [...changed], removed: [...removed], added: [...added] },
    backend: ROOTS,
  });
}

async function forgetSums(settings: FileServerSettings): Promise<void> {
  const top = hashCacheFolder(settings);
  for (const saltenv of await namesIn(top)) {
    for (const path of await filesBelow(join(top, saltenv))) {
      const rel = relative(join(top, saltenv), path).replace(/\.hash\.[^.]*$/, '');
      if (findFile(settings, `|${rel}`, decodeURIComponent(saltenv)) !== undefined) continue;
      await unlink(path).catch(() => undefined);
      await rmdir(dirname(path)).catch(() => undefined); // only when it is empty now
    }
  }
}

function readTimes(path: string): Map<string, string> {
  const out = new Map<string, string>();
  for (const line of (readTextIfExists(path) ?? '').split('\n')) {
    const at = line.lastIndexOf(':');
    if (at > 0) out.set(line.slice(0, at), line.slice(at + 1));
  }
  return out;
}

async function collectTimes(settings: FileServerSettings): Promise<Map<string, string>> {
  const out = new Map<string, string>();
  for (const folder of [...settings.roots.values()].flat()) {
    for (const path of await filesBelow(folder)) {
      if (settings.isIgnored(path) || path.includes('\n')) continue;
      const found = await stat(path, { bigint: true }).catch(() => undefined);
      if (found === undefined) continue; // a link to nowhere
      const whole = Number(found.mtimeNs / 1_000_000_000n);
      out.set(path, floatRepr(whole + 1e-9 * Number(found.mtimeNs % 1_000_000_000n)));
    }
  }
  return out;
}

/** All files below a folder; links to folders are not followed. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else found.push(path);
  }
  return found;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
