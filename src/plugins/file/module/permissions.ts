/**
 * Making sure of owner, group, mode and attributes, and creating folders. Follows 3006.16 salt/modules/file.py
 * `check_perms`.
 */
import { mkdirSync } from 'node:fs';
import { SaltInvocationError } from '../../../errors/errors.ts';
import { dirName, isDir, isLink, normPath, pathExists, splitPath } from '../../../python/paths.ts';
import { hasErrorCode, isOsError } from '../../../python/os-errors.ts';
import { pyInt } from '../../../python/conversions.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
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
import { attributeDifference, attributeLetters, changeAttributes, listAttributes } from './attributes.ts';
import { changeLinkOwner, changeOwner } from './owner.ts';
import { opt, P, SELINUX_PARAMS } from '../../shared/file-params.ts';
import { checkSelinux, selinuxWanted, type SelinuxContext } from './selinux.ts';
import { normalizeMode, setMode, statsOf } from './stats.ts';
import type { Findings } from './findings.ts';

/** What a file is to be like; None leaves a thing alone. */
export interface WantedPermissions {
  readonly user: Value;
  readonly group: Value;
  readonly mode: Value;
  readonly attrs?: Value;
  readonly followLinks?: boolean;
  readonly selinux?: SelinuxContext;
}

/**
 * Compares and, unless the minion is in test mode, changes.
 * @param given the return of a state, which is completed; null for a new one
 * @returns that return, and what was found: `{luser, lgroup, lmode}` and `cuser`, `cgroup`, `cmode` for what was
 *   changed
 */
export async function checkPermissions(
  ctx: ModuleContext,
  name: string,
  given: Value,
  wanted: WantedPermissions,
): Promise<[ret: Dict, perms: Dict]> {
  const mode = normalizeMode(wanted.mode);
  const { followLinks = false } = wanted;
  const found = startFindings(name, given);
  const isTest = truthy(ctx.opts.get('test'));
  const before = await statsOf(name, { followLinks });
  const perms = dict({
    luser: before.get(isInt(wanted.user) ? 'uid' : 'user') ?? null,
    lgroup: before.get(isInt(wanted.group) ? 'gid' : 'group') ?? null,
    lmode: before.get('mode') ?? null,
  });
  if (truthy(wanted.user) && !owns(wanted.user, before, 'user', 'uid')) perms.set('cuser', wanted.user);
  if (truthy(wanted.group) && !owns(wanted.group, before, 'group', 'gid')) perms.set('cgroup', wanted.group);
  if ((perms.has('cuser') || perms.has('cgroup')) && !isTest)
    await applyOwner(name, wanted, before, found, followLinks);
  const hasMode = mode !== null && !(isLink(name) && !followLinks);
  if (hasMode && !isTest && mode !== before.get('mode')) {
    perms.set('cmode', mode);
    setMode(name, mode);
  }
  const isTouched = !isTest && ['cuser', 'cgroup', 'cmode'].some((key) => perms.has(key));
  const after = isTouched ? await statsOf(name, { followLinks }) : before;
  reportOwner(found, perms, after, ['user', wanted.user, 'uid'], isTest);
  reportOwner(found, perms, after, ['group', wanted.group, 'gid'], isTest);
  if (hasMode) {
    if (mode !== after.get('mode')) report(found, 'mode', mode, isTest);
    else if (perms.has('cmode')) found.changes.set('mode', mode);
  }
  const { attrs = null } = wanted;
  if (attrs !== null && !isDir(name) && !(isLink(name) && !followLinks))
    await applyAttributes(ctx, name, attributeLetters(attrs), found, isTest);
  if (wanted.selinux !== undefined && selinuxWanted(wanted.selinux))
    await checkSelinux(ctx, name, wanted.selinux, found, isTest);
  return [finish(found, given, isTest), perms];
}

function startFindings(name: string, given: Value): Findings {
  const ret: Dict =
    isDict(given) && given.size > 0
      ? given
      : new Map<Value, Value>([
          ['name', name],
          ['changes', new Map()],
          ['comment', ''],
          ['result', true],
        ]);
  const changes = ret.get('changes');
  const known: Dict = isDict(changes) ? changes : new Map();
  ret.set('changes', known);
  return { ret, changes: known, comments: [] };
}

/** A comment that was text before is text again; sentences are joined by `; `. */
function finish(found: Findings, given: Value, isTest: boolean): Dict {
  const { ret, comments, changes } = found;
  const before = isDict(given) && given.size > 0 ? given.get('comment') : '';
  if (typeof before === 'string') {
    const texts = [...(before === '' ? [] : [before]), ...comments.map(pyStr)];
    ret.set('comment', texts.join('; '));
  } else {
    ret.set('comment', comments);
  }
  if (isTest && changes.size > 0) ret.set('result', null);
  return ret;
}

function owns(wanted: Value, facts: Dict, name: string, id: string): boolean {
  return valuesEqual(wanted, facts.get(name) ?? null) || valuesEqual(wanted, facts.get(id) ?? null);
}

async function applyOwner(
  name: string,
  wanted: WantedPermissions,
  before: Dict,
  found: Findings,
  followLinks: boolean,
): Promise<void> {
  const change = isLink(name) && !followLinks ? changeLinkOwner : changeOwner;
  try {
    const error = await change(
      name,
      wanted.user ?? before.get('user') ?? null,
      wanted.group ?? before.get('group') ?? null,
    );
    if (error !== null) {
      found.ret.set('result', false);
      found.comments.push(error);
    } else if (!isLink(name)) {
      setMode(name, before.get('mode') ?? null); // a change of owner takes the set-user-id bit away
    }
  } catch (error) {
    if (!isOsError(error)) throw error;
    found.ret.set('result', false);
  }
}

function reportOwner(
  found: Findings,
  perms: Dict,
  after: Dict,
  [what, wanted, id]: readonly ['user' | 'group', Value, string],
  isTest: boolean,
): void {
  if (!truthy(wanted)) return;
  if (!owns(wanted, after, what, id)) report(found, what, wanted, isTest);
  else if (perms.has(`c${what}`)) found.changes.set(what, wanted);
}

function report(found: Findings, what: string, wanted: Value, isTest: boolean): void {
  if (isTest) {
    found.changes.set(what, wanted);
  } else {
    found.ret.set('result', false);
    found.comments.push(`Failed to change ${what} to ${pyStr(wanted)}`);
  }
}

async function applyAttributes(
  ctx: ModuleContext,
  name: string,
  attrs: string,
  found: Findings,
  isTest: boolean,
): Promise<void> {
  const difference = await attributeDifference(ctx, name, attrs);
  if (difference === undefined || (difference.added === '' && difference.removed === '')) return;
  const current = async (): Promise<string> => ((await listAttributes(ctx, name))?.get(name) ?? []).join('');
  const old = await current();
  let now: string = attrs;
  if (!isTest) {
    if (difference.added !== '') await changeAttributes(ctx, [name], `+${difference.added}`);
    if (difference.removed !== '') await changeAttributes(ctx, [name], `-${difference.removed}`);
    const left = await attributeDifference(ctx, name, attrs);
    if (left !== undefined && (left.added !== '' || left.removed !== '')) {
      found.ret.set('result', false);
      found.comments.push(`Failed to change attributes to ${attrs}`);
      now = await current();
    }
  }
  if (old !== now) found.changes.set('attrs', dict({ old, new: now }));
}

/** Creates a folder and its parents with owner and mode. Existing parents are left alone. @throws the system's error */
async function makeFolders(
  ctx: ModuleContext,
  name: string,
  owner: { readonly user: Value; readonly group: Value; readonly mode: Value },
): Promise<void> {
  let [head, tail] = splitPath(name);
  if (tail === '') [head, tail] = splitPath(head);
  if (head !== '' && tail !== '' && !pathExists(head)) {
    try {
      await makeFolders(ctx, head, owner);
    } catch (error) {
      if (!hasErrorCode(error, 'EEXIST')) throw error;
    }
    if (tail === '.') return;
  }
  mkdirSync(name);
  const mode = truthy(owner.mode) ? pyInt(pyStr(owner.mode)) : null;
  await checkPermissions(ctx, name, null, { ...owner, mode });
}

/** `file.mkdir` */
async function makeFolder(
  ctx: ModuleContext,
  path: string,
  owner: { readonly user: Value; readonly group: Value; readonly mode: Value },
): Promise<void> {
  const folder = normPath(path);
  if (!isDir(folder)) await makeFolders(ctx, folder, owner);
}

/**
 * Creates the parents of a path (of a path that ends with `/`, the folder itself).
 * @returns Salt's sentence when there is nothing to do
 */
export async function makeParents(
  ctx: ModuleContext,
  path: string,
  owner: { readonly user: Value; readonly group: Value; readonly mode: Value },
): Promise<string | null> {
  let folder = normPath(dirName(path));
  const sentence = isDir(folder)
    ? `Directory '${folder}' already exists`
    : pathExists(folder)
      ? `The path '${folder}' already exists and is not a directory`
      : undefined;
  if (sentence !== undefined) {
    ctx.log.debug(sentence);
    return sentence;
  }
  const missing: string[] = [];
  while (!isDir(folder)) {
    missing.unshift(folder);
    const parent = dirName(folder);
    if (parent === folder) {
      throw new SaltInvocationError(
        `Recursive creation for path '${parent}' would result in an infinite loop. Please use an absolute path.`,
      );
    }
    folder = parent;
  }
  const mode = truthy(owner.mode) ? normalizeMode(owner.mode) : owner.mode;
  for (const place of missing) await makeFolder(ctx, place, { ...owner, mode });
  return null;
}

const OWNER = { user: opt(P.user, null), group: opt(P.group, null), mode: opt(P.mode, null) } as const;

/** Functions about permissions and folders. */
export const permissionFunctions = {
  check_perms: defineFunction({
    doc: 'Makes sure of owner, group, mode, attributes and SELinux context of a file; in test mode only reports.',
    params: {
      name: P.name,
      ret: P.ret,
      user: P.user,
      group: P.group,
      mode: P.mode,
      attrs: opt(P.attrs, null),
      follow_symlinks: opt(P.follow_symlinks, false),
      ...SELINUX_PARAMS,
    },
    returns: 'list of the return of a state, and of a mapping of what was found and changed',
    examples: [`salt '*' file.check_perms /etc/sudoers '{}' root root 400`],
    run: async (ctx, args) => {
      const { name, ret, user, group, mode, attrs, follow_symlinks, seuser, serole, setype, serange } = args;
      const followLinks = follow_symlinks;
      const selinux = { user: seuser, role: serole, type: setype, range: serange };
      const wanted = { user, group, mode, attrs, followLinks, selinux };
      return checkPermissions(ctx, name, ret, wanted);
    },
  }),
  mkdir: defineFunction({
    doc: 'Makes sure that there is a folder; missing parents are created with the same owner and mode.',
    params: { dir_path: P.path, ...OWNER },
    returns: 'true',
    examples: ["salt '*' file.mkdir /opt/jetty/context"],
    run: async (ctx, { dir_path, user, group, mode }) => {
      await makeFolder(ctx, dir_path, { user, group, mode });
      return true;
    },
  }),
  makedirs: defineFunction({
    doc: 'Makes sure that the folder which holds a path exists. A slash at the end makes the path itself a folder.',
    params: { path: P.path, ...OWNER },
    returns: 'nothing when folders were created, else a sentence',
    pythonName: 'makedirs_',
    examples: ["salt '*' file.makedirs /opt/code/"],
    run: (ctx, { path, user, group, mode }) => makeParents(ctx, path, { user, group, mode }),
  }),
  makedirs_perms: defineFunction({
    doc: 'Creates a folder with owner and mode, and its missing parents likewise.',
    params: {
      name: P.name,
      user: opt(P.user, null),
      group: opt(P.group, null),
      mode: opt(P.mode, '0755'),
    },
    returns: 'nothing',
    examples: ["salt '*' file.makedirs_perms /opt/code"],
    run: async (ctx, { name, user, group, mode }) => {
      await makeFolders(ctx, name, { user, group, mode });
      return null;
    },
  }),
};
