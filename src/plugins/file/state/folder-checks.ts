/** What `file.directory` would change. Follows 3006.16 salt/states/file.py `_check_directory`. */
import { walk } from '../../../host/file-operations.ts';
import { isDir, joinPath } from '../../../python/paths.ts';
import { normalizeMode } from '../module/stats.ts';
import { pyStr } from '../../../python/values/repr.ts';
import {
  dict,
  isDict,
  isInt,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import { CommandExecutionError } from '../../../errors/errors.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { cleanable, keptByRequired, withParents } from './keep.ts';
import { fileStats } from '../../shared/file-answers.ts';

/** What a folder, and what is in it, is to be like. */
export interface FolderWish {
  readonly name: string;
  readonly user: Value;
  readonly group: Value;
  /** What is looked at below the folder, or why that cannot be told. */
  readonly recurse: ReadonlySet<string> | string;
  readonly dirMode: string | null;
  readonly fileMode: string | null;
  readonly clean: boolean;
  readonly require: Value;
  readonly excludePattern: Value;
  readonly maxDepth: number | undefined;
  readonly followLinks: boolean;
  readonly childrenOnly: boolean;
}

/** Parts of what is in a folder. */
export interface Inside {
  readonly path: string;
  readonly isFolder: boolean;
}

const RECURSE_TYPES = ['user', 'group', 'mode', 'ignore_files', 'ignore_dirs', 'silent'];

/**
 * Reads the `recurse` argument.
 * @returns the set, or Salt's sentence about what is wrong with it
 */
export function recurseSet(recurse: Value): ReadonlySet<string> | string {
  if (!truthy(recurse)) return new Set();
  if (!Array.isArray(recurse)) return '"recurse" must be formed as a list of strings';
  const set = new Set(recurse.map((item) => (typeof item === 'string' ? item : '')));
  if ([...set].some((item) => !RECURSE_TYPES.includes(item)))
    return `Types for "recurse" limited to ${RECURSE_TYPES.map((type) => `"${type}"`).join(', ')}.`;
  if (set.has('ignore_files') && set.has('ignore_dirs'))
    return 'Must not specify "recurse" options "ignore_files" and "ignore_dirs" at the same time.';
  return set;
}

/** Whether more than the folder itself is asked for. */
export function recurses({ recurse }: FolderWish): boolean {
  return typeof recurse === 'string' || recurse.size > 0;
}

/** All that is below a folder, links to folders not entered; with a depth, only so many levels. */
export function insideOf(top: string, maxDepth: number | undefined): Inside[] {
  const level = (path: string): number => path.replace(/\/+$/, '').split('/').length;
  const start = level(top);
  const found: Inside[] = [];
  for (const { path, folders, files } of walk(top)) {
    if (maxDepth !== undefined && level(path) - start >= maxDepth) {
      folders.length = 0;
      continue;
    }
    for (const name of files) found.push({ path: joinPath(path, name), isFolder: false });
    for (const name of folders) found.push({ path: joinPath(path, name), isFolder: true });
  }
  return found;
}

/** Tells what would change, as Salt's test mode says it. */
export async function folderChanges(
  ctx: StateContext,
  wish: FolderWish,
): Promise<{ readonly result: boolean | null; readonly comment: string; readonly changes: Dict }> {
  const { name } = wish;
  const changes: Dict = new Map();
  const inside = recurses(wish) || wish.clean ? insideOf(name, wish.maxDepth) : [];
  let wanted = wish;
  if (recurses(wish)) {
    const set = wish.recurse;
    if (typeof set === 'string') return { result: false, comment: set, changes };
    wanted = narrowed(wish, set);
    await addChangesInside(ctx, wanted, set, inside, changes);
  }
  if (!wish.childrenOnly) await addChange(ctx, wanted, { path: name, isFolder: true }, changes);
  if (wish.clean) await addRemovals(ctx, wish, inside, changes);
  if (!isDir(name)) changes.set(name, dict({ directory: 'new' }));
  if (changes.size === 0)
    return { result: true, comment: `The directory ${name} is in the correct state`, changes };
  const lines = [...changes].flatMap(([path, change]) =>
    [...(isDict(change) ? change : [])].map(
      ([key, value]) => `${pyStr(path)}: ${pyStr(key)} - ${pyStr(value)}\n`,
    ),
  );
  return { result: null, comment: `The following files will be changed:\n${lines.join('')}`, changes };
}

/** Only what `recurse` names is looked at. */
function narrowed(wish: FolderWish, set: ReadonlySet<string>): FolderWish {
  return {
    ...wish,
    user: set.has('user') ? wish.user : null,
    group: set.has('group') ? wish.group : null,
    dirMode: set.has('mode') ? wish.dirMode : null,
    fileMode: set.has('mode') ? wish.fileMode : null,
  };
}

async function addChangesInside(
  ctx: StateContext,
  wish: FolderWish,
  set: ReadonlySet<string>,
  inside: readonly Inside[],
  changes: Dict,
): Promise<void> {
  for (const item of inside)
    if (!set.has(item.isFolder ? 'ignore_dirs' : 'ignore_files')) await addChange(ctx, wish, item, changes);
}

async function addChange(ctx: StateContext, wish: FolderWish, item: Inside, changes: Dict): Promise<void> {
  const { path, isFolder } = item;
  const facts = await factsOf(ctx, path, isFolder, wish.followLinks);
  const change: Dict = new Map();
  if (facts === undefined) {
    change.set('directory', 'new');
  } else {
    if (!isOwned(wish.user, facts, ['user', 'uid'])) change.set('user', wish.user);
    if (!isOwned(wish.group, facts, ['group', 'gid'])) change.set('group', wish.group);
    const mode = isFolder ? wish.dirMode : wish.fileMode;
    const hasMode = facts.get('type') !== 'link'; // Linux has no modes for links, also for one that is followed and leads nowhere
    if (mode !== null && hasMode && mode !== normalizeMode(facts.get('mode') ?? null))
      change.set('mode', mode);
  }
  if (change.size > 0) changes.set(path, change);
}

/** @returns undefined for a folder that is missing */
async function factsOf(
  ctx: StateContext,
  path: string,
  isFolder: boolean,
  followLinks: boolean,
): Promise<Dict | undefined> {
  try {
    return await fileStats(ctx, [path, null, followLinks]);
  } catch (error) {
    if (isFolder && error instanceof CommandExecutionError) return undefined;
    throw error;
  }
}

function isOwned(wanted: Value, facts: Dict, keys: readonly [name: string, id: string]): boolean {
  return wanted === null || keys.some((key) => valuesEqual(wanted, facts.get(key) ?? null));
}

async function addRemovals(
  ctx: StateContext,
  wish: FolderWish,
  inside: readonly Inside[],
  changes: Dict,
): Promise<void> {
  // Salt compat: 3006.16 announces the folders of what stays, which it then keeps (68052)
  const kept = withParents(wish.name, await keptByRequired(ctx, wish.name, wish.require));
  const isCleanable = cleanable(wish.name, wish.excludePattern);
  for (const { path } of inside)
    if (!kept.has(path) && isCleanable(path)) changes.set(path, dict({ removed: 'Removed due to clean' }));
}

/** True for a user or group that is named at all. */
export function isNamed(owner: Value): boolean {
  return truthy(owner) || isInt(owner) || typeof owner === 'boolean';
}
