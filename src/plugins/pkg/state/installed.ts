/** `pkg.installed` (3006.16 salt/states/pkg.py). */
import { needsRefresh } from '../module/refresh-tag.ts';
import { renderNested } from '../../outputters/nested.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { addHeldChange, holdAsAsked, sortHeld, type Held } from './holds.ts';
import {
  failureOf,
  functionKeywords,
  installedPackages,
  shownPackage,
  type Desired,
  type Installed,
  type Verified,
} from './packages.ts';
import {
  findInstallTargets,
  verifies,
  verifyKeywords,
  type InstallOrder,
  type InstallTargets,
} from './targets.ts';
import { fulfillsVersions } from './versions.ts';

/** The arguments as the state has them. */
export interface InstalledArgs extends Omit<InstallOrder, 'refresh' | 'kwargs'> {
  readonly version: string | undefined;
  readonly refresh: Value;
}

/** Brings packages to what is wanted. */
export async function installedState(
  ctx: StateContext,
  args: InstalledArgs,
  kwargs: Dict,
): Promise<StateResult> {
  const { name, version, sources } = args;
  if (Array.isArray(args.pkgs) && args.pkgs.length === 0)
    return outcome(name, true, 'No packages to install provided');
  const single = name !== '' && args.pkgs === undefined && sources === undefined;
  const pkgs = single ? [version === undefined ? name : new Map([[name, version]])] : args.pkgs;
  if (args.pkg_verify !== false && !(await ctx.functions.has('pkg.verify')))
    return failure(name, 'pkg.verify not implemented');
  const words = functionKeywords(ctx, kwargs).set('allow_updates', args.allow_updates);
  const order: InstallOrder = {
    ...args,
    pkgs,
    refresh: needsRefresh(ctx, args.refresh),
    kwargs: words,
  };
  const found = await findInstallTargets(ctx, order);
  if ('result' in found) return withHolds(ctx, order, found.result);
  const { todo } = found;
  const result = ctx.state.test ? announce(order, todo) : await install(ctx, order, todo);
  return todo.warnings.length > 0 ? { ...result, warnings: [...todo.warnings] } : result;
}

/** The result of a state that has nothing to install, after holding what is to be held. */
async function withHolds(ctx: StateContext, order: InstallOrder, result: StateResult): Promise<StateResult> {
  const { name, pkgs, sources, kwargs } = order;
  const held = await holdAsAsked(ctx, kwargs.get('hold'), dict({ name, pkgs, sources }));
  if (held === undefined) return result;
  if ('failed' in held) return failure(name, held.failed);
  const { changed, same, failed } = sortHeld(held.entries);
  let { comment, result: isGood } = result;
  const changes: Dict = new Map(result.changes);
  for (const entry of [...changed, ...same, ...failed]) {
    comment = `${pyStr(comment)}.\n${pyStr(entry.get('comment') ?? '')}`;
    isGood = (entry.get('result') ?? null) as boolean | null;
    if (changed.includes(entry)) changes.set(entry.get('name') ?? '', entry.get('changes') ?? null);
  }
  return { ...result, comment, result: isGood, changes };
}

const wouldInstall = (): Dict => dict({ new: 'installed', old: '' });
const nested = (value: Value): string => renderNested(value, { color: false }).trimEnd();

/** What would be done. */
function announce(order: InstallOrder, todo: InstallTargets): StateResult {
  const { targets, unpurge, reinstall, altered } = todo;
  const [comment, changes]: [string[], Dict] = [[], new Map()];
  const shown = (name: string): string =>
    order.sources !== undefined ? name : shownPackage(name, reinstall);
  if (targets.size > 0) {
    for (const name of targets.keys()) changes.set(name, wouldInstall());
    comment.push(`The following packages would be installed/updated: ${[...targets.keys()].join(', ')}`);
  }
  if (unpurge.length > 0) {
    comment.push(
      `The following packages would have their selection status changed from 'purge' to 'install': ${unpurge.join(', ')}`,
    );
    for (const name of unpurge) changes.set(name, wouldInstall());
  }
  if (reinstall.size > 0 && order.reinstall) {
    const names = [...reinstall.keys()].map(shown);
    for (const name of names) changes.set(name, wouldInstall());
    comment.push(`The following packages would be reinstalled: ${names.join(', ')}`);
  } else
    for (const name of reinstall.keys()) {
      comment.push(
        `Package '${shown(name)}' would be reinstalled because the following files have been altered:`,
      );
      changes.set(name, dict());
      comment.push(nested(altered.get(name) ?? null));
    }
  return { name: order.name, changes, result: null, comment: comment.join('\n') };
}

/** The list for `pkg.install`: what is to be installed, and what once more. */
function installList(order: InstallOrder, { targets, reinstall }: InstallTargets): Dict {
  const wanted = [...targets, ...reinstall];
  if (order.sources === undefined)
    return dict({
      pkgs: wanted.map(([name, version]): Value => new Map([[name, version]])),
      sources: order.sources,
    });
  const all = (Array.isArray(order.sources) ? order.sources : []).filter(isDict);
  const named = (packages: Desired): Value[] =>
    all.filter((source) => packages.has(pyStr([...source.keys()][0] ?? '')));
  return dict({ pkgs: order.pkgs, sources: [...named(targets), ...named(reinstall)] });
}

async function install(ctx: StateContext, order: InstallOrder, todo: InstallTargets): Promise<StateResult> {
  const { name, kwargs } = order;
  const { desired, targets, unpurge, reinstall } = todo;
  const [comment, changes]: [string[], Dict] = [[], new Map()];
  let returned: Value = null;
  if (targets.size + reinstall.size > 0) {
    const { refresh, fromrepo, skip_verify, normalize, update_holds, ignore_epoch } = order;
    const options = dict({
      name: null,
      refresh: refresh && !todo.wasRefreshed,
      version: null,
      ...{ fromrepo, skip_verify, normalize, update_holds, ignore_epoch },
      reinstall: reinstall.size > 0,
      split_arch: false,
    });
    try {
      const words = new Map([...kwargs, ...options, ...installList(order, todo)]);
      returned = await ctx.functions.call('pkg.install', [], words);
    } catch (error) {
      return failureOf(name, error, 'installing package(s)');
    }
    if (isDict(returned)) for (const [key, value] of returned) changes.set(key, value);
    else if (typeof returned === 'string') comment.push(returned);
  }
  const held = await holdAsAsked(ctx, kwargs.get('hold'), dict({ name, pkgs: desiredList(desired) }));
  if (held !== undefined && 'failed' in held)
    return held.isError
      ? outcome(name, false, [...comment, held.failed].join('\n'), changes)
      : failure(name, held.failed);
  if (unpurge.length > 0) changes.set('purge_desired', await ctx.functions.call('lowpkg.unpurge', unpurge));
  const isGood = await tellInstalled(ctx, order, todo, { comment, changes, held });
  const isAllGood = (await tellReinstalled(ctx, order, todo, { comment, returned })) && isGood;
  return { name, changes, result: isAllGood, comment: comment.join('\n') };
}

const desiredList = (desired: Desired): Value[] =>
  [...desired].map(([name, version]) => new Map<Value, Value>([[name, version]]));

/** Which of the packages are there as they are wanted. */
export async function verifyInstalled(
  ctx: StateContext,
  desired: Desired,
  installed: Installed,
  ignoreEpoch: Value,
): Promise<Verified> {
  const [ok, failed]: [string[], string[]] = [[], []];
  const isDebian = ctx.grains.get('os_family') === 'Debian';
  for (const [name, version] of desired) {
    const current = installed.get(isDebian ? (name.split('=')[0] ?? '') : name) ?? [];
    const isAny = version === null || version === '' || version === 'latest';
    const isLike = version?.endsWith('*') === true && (current[0] ?? '').startsWith(version.slice(0, -1));
    const isThere =
      current.length > 0 &&
      (isAny || isLike || (await fulfillsVersions(ctx, current, version, { ignoreEpoch })));
    (isThere ? ok : failed).push(name);
  }
  return { ok, failed };
}

/** `3 targeted packages were …`: how many, in Salt's words. */
function counted(names: readonly string[], done: string): string {
  const isSeveral = names.length > 1;
  return `${names.length} targeted package${isSeveral ? 's' : ''} ${isSeveral ? 'were' : 'was'} ${done}`;
}

/** Tells what was installed, what was there, what failed, and what is held. @returns whether all went well */
async function tellInstalled(
  ctx: StateContext,
  order: InstallOrder,
  { desired, targets, reinstall }: InstallTargets,
  said: { readonly comment: string[]; readonly changes: Dict; readonly held: Held | undefined },
): Promise<boolean> {
  const { comment, changes, held } = said;
  const isFile = order.sources !== undefined;
  const shown = (names: readonly string[]): string =>
    (isFile ? names : names.map((name) => shownPackage(name, desired))).join(', ');
  const { ok, failed: missing } = isFile
    ? {
        ok: [...desired.keys()].filter((name) => !targets.has(name) || changes.has(name)),
        failed: [...targets.keys()].filter((name) => !changes.has(name)),
      }
    : await verifyInstalled(ctx, desired, await installedPackages(ctx, order.kwargs), order.ignore_epoch);
  const modified = isFile
    ? [...changes.keys()].map(pyStr).filter((name) => targets.has(name))
    : ok.filter((name) => targets.has(name));
  const same = ok.filter((name) => !targets.has(name) && !reinstall.has(name));
  const failed = missing.filter((name) => targets.has(name));
  const { entries = [] } = held !== undefined && 'entries' in held ? held : {};
  const sorted = sortHeld(entries);
  if (modified.length > 0) {
    const summary = shown(modified);
    comment.push(
      summary.length < 20
        ? `The following packages were installed/updated: ${summary}`
        : `${counted(modified, 'installed/updated.')}`,
    );
  }
  for (const entry of sorted.changed) {
    comment.push(pyStr(entry.get('comment') ?? ''));
    addHeldChange(changes, entry);
  }
  if (same.length > 0)
    comment.push(
      same.length <= 20
        ? `The following packages were already installed: ${shown(same)}`
        : counted(same, 'already installed'),
    );
  for (const entry of sorted.same) comment.push(pyStr(entry.get('comment') ?? ''));
  if (failed.length > 0) comment.unshift(`The following packages failed to install/update: ${shown(failed)}`);
  for (const entry of sorted.failed) comment.push(pyStr(entry.get('comment') ?? ''));
  return failed.length + sorted.failed.length === 0;
}

/** Tells what was installed once more. @returns whether all went well */
async function tellReinstalled(
  ctx: StateContext,
  order: InstallOrder,
  { desired, reinstall, altered }: InstallTargets,
  said: { readonly comment: string[]; readonly returned: Value },
): Promise<boolean> {
  const { comment, returned } = said;
  const [modified, failed]: [string[], string[]] = [[], []];
  for (const name of reinstall.keys()) {
    if (order.reinstall) (isDict(returned) && returned.has(name) ? modified : failed).push(name);
    else if (verifies(order)) {
      const verified = await ctx.functions.call('pkg.verify', [name], verifyKeywords(order));
      (truthy(verified) ? failed : modified).push(name);
      if (truthy(verified)) altered.set(name, verified);
    }
  }
  const tell = (name: string, message: string, files: string): void => {
    const about = altered.get(name);
    comment.push(about === undefined ? message : `${message} ${files}`);
    if (about !== undefined) comment.push(nested(about));
  };
  const shown = (name: string): string => (order.sources !== undefined ? name : shownPackage(name, desired));
  for (const name of modified)
    tell(name, `Package ${shown(name)} was reinstalled.`, 'The following files were remediated:');
  for (const name of failed)
    tell(
      name,
      `Reinstall was not successful for package ${shown(name)}.`,
      'The following files could not be remediated:',
    );
  return failed.length === 0;
}
