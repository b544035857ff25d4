/**
 * Which files, folders and links `file.recurse` manages. Follows 3006.16 salt/states/file.py
 * `_gen_recurse_managed_files`.
 */
import { includeExclude } from '../../../storage/fileclient/pattern.ts';
import { createSaltUrl, parseSaltUrl } from '../../../storage/fileclient/salt-url.ts';
import { dirName, joinPath, normPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { depthOf } from '../../shared/file-params.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { environment } from './outcome.ts';

/** What is taken out of a folder of the file server. */
export interface Selection {
  readonly name: string;
  readonly source: string;
  readonly keepLinks: boolean;
  readonly include: Value;
  readonly exclude: Value;
  readonly maxDepth: number | undefined;
  readonly includeEmpty: boolean;
}

/** What there is to manage; paths on this machine. */
export interface Recursed {
  readonly files: readonly { readonly place: string; readonly source: string }[];
  readonly folders: readonly string[];
  /** `path`: below the folder that is managed. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** What `clean` leaves. */
  readonly kept: ReadonlySet<string>;
}

/** The files and folders that a `recurse` chunk of the run manages. */
export async function recursedPlaces(ctx: StateContext, low: Dict): Promise<Iterable<string>> {
  const value = (key: string): Value => low.get(key) ?? null;
  const { kept } = await recursedFiles(ctx, {
    name: pyStr(value('name')),
    source: pyStr(value('source')),
    keepLinks: truthy(value('keep_symlinks')),
    include: value('include_pat'),
    exclude: value('exclude_pat'),
    maxDepth: depthOf(value('maxdepth')),
    includeEmpty: truthy(value('include_empty')),
  });
  return kept;
}

/** Lists what is to be managed. Files that links of the source lead to come last, so that the links can be made. */
export async function recursedFiles(ctx: StateContext, selection: Selection): Promise<Recursed> {
  const { name, includeEmpty } = selection;
  const { path, saltenv = environment(ctx) } = parseSaltUrl(selection.source);
  const root = path.endsWith('/') ? path : `${path}/`;
  const isSelected = selector(selection);
  const place = (relative: string): string => joinPath(name, normPath(relative));
  const kept = new Set<string>();
  const links = selection.keepLinks ? await servedLinks(ctx, root, saltenv) : [];
  const isBehindLink = (served: string): boolean =>
    links.some(({ from }) => isSelected(relativeTo(root, from)) && served.startsWith(`${from}/`));
  // a link in a folder that is a link itself comes with it. Salt compat: Salt makes the folder, and fails at the link
  const chosenLinks = links
    .filter(({ from }) => !isBehindLink(from))
    .map(({ from, target }) => ({ path: relativeTo(root, from), target }))
    .filter((link) => isSelected(link.path));
  for (const link of chosenLinks) kept.add(place(link.path));
  const known = new Set(kept);
  const files: { place: string; source: string }[] = [];
  const folders = new Set<string>();
  for (const served of await list(ctx, 'cp.list_master', root, saltenv)) {
    const relative = relativeTo(root, served);
    if (served.trim() === '' || isBehindLink(served) || !isSelected(relative)) continue;
    const dest = place(relative);
    kept.add(dest);
    const folder = dirName(dest);
    if (!known.has(folder)) folders.add(folder);
    known.add(folder);
    files.push({ place: dest, source: createSaltUrl(served, saltenv) });
  }
  if (includeEmpty) {
    for (const served of await list(ctx, 'cp.list_master_dirs', root, saltenv)) {
      const relative = relativeTo(root, served);
      if (!isSelected(relative) || links.some(({ from }) => served.startsWith(`${from}/`))) continue;
      folders.add(place(relative));
      kept.add(place(relative));
    }
  }
  const linkPlaces = new Set(chosenLinks.map((link) => place(link.path)));
  return {
    // what is a link is not a file, too. Salt compat: Salt writes through it, and fails when it leads nowhere
    files: files.filter((file) => !linkPlaces.has(file.place)),
    folders: [...folders],
    links: chosenLinks,
    kept,
  };
}

function relativeTo(root: string, path: string): string {
  if (`${path}/` === root) return '.';
  return normPath(path.startsWith(root) ? path.slice(root.length) : path);
}

/** Tells whether a path below the source is wanted. */
function selector({ include, exclude, maxDepth }: Selection): (relative: string) => boolean {
  const fits = includeExclude(include, exclude);
  return (relative) => {
    const parts = relative.split('/');
    return (
      !parts.includes('..') && (maxDepth === undefined || parts.length - 1 <= maxDepth) && fits(relative)
    );
  };
}

async function list(ctx: StateContext, fun: string, root: string, saltenv: string): Promise<string[]> {
  const names = await ctx.functions.call(fun, [saltenv, root]);
  return Array.isArray(names) ? names.map(pyStr) : [];
}

async function servedLinks(
  ctx: StateContext,
  root: string,
  saltenv: string,
): Promise<{ readonly from: string; readonly target: string }[]> {
  const links = await ctx.functions.call('cp.list_master_symlinks', [saltenv, root]);
  return isDict(links)
    ? [...links].map(([from, target]) => ({ from: pyStr(from), target: pyStr(target) }))
    : [];
}
