/** Giving unpacked files to their owner (3006.16 salt/states/archive.py). */
import { lchownSync, lstatSync } from 'node:fs';
import { isDir, joinPath } from '../../../python/paths.ts';
import { dict, isDict, truthy, type Dict } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import type { Contents } from './contents.ts';
import type { ArchiveArgs } from './order.ts';

/** What could not be given to its owner. */
export interface Disowned {
  readonly missing: string[];
  readonly failed: string[];
}

/** Gives what was unpacked to its owner, where one is asked for. @param changes is told of it */
export async function enforceOwnership(
  ctx: StateContext,
  given: {
    readonly args: ArchiveArgs;
    readonly folder: string;
    readonly contents: Contents;
    readonly ids: { readonly uid: number; readonly gid: number };
  },
  changes: Dict,
): Promise<Disowned> {
  const { args, folder, contents, ids } = given;
  const out: Disowned = { missing: [], failed: [] };
  if (args.user === undefined && args.group === undefined) return out;
  const only = args.enforce_ownership_on === '' ? undefined : args.enforce_ownership_on;
  const isFolder = only !== undefined && isDir(only);
  const dirs = only === undefined ? topFolders(contents) : isFolder ? [only] : [];
  const files =
    only === undefined ? [...contents.top_level_files, ...contents.top_level_links] : isFolder ? [] : [only];
  for (const name of dirs) await ownFolder(ctx, args, joinPath(folder, name), { changes, out });
  for (const name of files) ownFile(ctx, name, { path: joinPath(folder, name), ids, changes, out });
  return out;
}

/** The folders at the top of an archive. Salt compat: 3006.16 leaves out one that has no entry of its own (68227). */
function topFolders({ dirs, files, links, top_level_dirs }: Contents): string[] {
  const inner = [...dirs, ...files, ...links]
    .filter((path) => path.includes('/'))
    .map((path) => `${path.split('/').find((name) => name !== '' && name !== '.') ?? ''}/`);
  return [...new Set([...top_level_dirs, ...inner])].filter((path) => path !== '/' && path !== '../');
}

async function ownFolder(
  ctx: StateContext,
  { user, group }: ArchiveArgs,
  path: string,
  { changes, out }: { readonly changes: Dict; readonly out: Disowned },
): Promise<void> {
  if (!isDir(path)) {
    if (!ctx.state.test) out.missing.push(path);
    return;
  }
  const recurse = [...(user === undefined ? [] : ['user']), ...(group === undefined ? [] : ['group'])];
  const result = await ctx.state.call('file.directory', dict({ name: path, user, group, recurse }));
  if (!isDict(result)) return;
  if (truthy(result.get('changes'))) changes.set('updated ownership', true);
  if (!truthy(result.get('result'))) out.failed.push(path);
}

function ownFile(
  ctx: StateContext,
  name: string,
  given: {
    readonly path: string;
    readonly ids: { readonly uid: number; readonly gid: number };
    readonly changes: Dict;
    readonly out: Disowned;
  },
): void {
  const { path, ids, changes, out } = given;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    if (ctx.state.test) return;
    out.missing.push(path);
    out.failed.push(path);
    return;
  }
  const [uid, gid] = [ids.uid < 0 ? stat.uid : ids.uid, ids.gid < 0 ? stat.gid : ids.gid];
  if (uid === stat.uid && gid === stat.gid) return;
  try {
    if (!ctx.state.test) lchownSync(path, uid, gid);
    changes.set('updated ownership', true);
  } catch {
    out.failed.push(name);
  }
}
