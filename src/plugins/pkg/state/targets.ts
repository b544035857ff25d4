/** What `pkg.installed` has to do (3006.16 salt/states/pkg.py `_find_install_targets`). */
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { pathExists } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { installedPackages, packSources, repackPackages, type Desired, type Installed } from './packages.ts';
import { fulfillsVersions, versionConditions } from './versions.ts';
import { cachedFile } from '../../shared/served-files.ts';

/** The arguments of `pkg.installed`, once `name` and `version` have become `pkgs`. */
export interface InstallOrder {
  readonly name: string;
  readonly pkgs: Value | undefined;
  readonly sources: Value | undefined;
  readonly refresh: boolean;
  readonly fromrepo: Value;
  readonly skip_verify: boolean;
  readonly allow_updates: boolean;
  /** Whether files are looked at, or how. */
  readonly pkg_verify: boolean | readonly Value[];
  readonly normalize: boolean;
  readonly ignore_epoch: Value;
  readonly reinstall: boolean;
  readonly update_holds: boolean;
  /** The state's keywords for execution functions. */
  readonly kwargs: Dict;
}

/** What has to be done. */
export interface InstallTargets {
  readonly desired: Desired;
  readonly targets: Desired;
  readonly unpurge: readonly string[];
  readonly reinstall: Desired;
  /** What has changed in files of packages that are to be installed again, by package. */
  readonly altered: Map<string, Value>;
  readonly warnings: readonly string[];
  readonly wasRefreshed: boolean;
}

/** Whether the files of packages are looked at. */
export function verifies({ pkg_verify }: InstallOrder): boolean {
  return typeof pkg_verify === 'boolean' ? pkg_verify : pkg_verify.length > 0;
}

/** The keywords for `pkg.verify` out of a list `pkg_verify`. */
export function verifyKeywords(order: InstallOrder): Dict {
  const list = Array.isArray(order.pkg_verify) ? order.pkg_verify : [];
  const find = (key: string): Value =>
    list.map((item) => (isDict(item) ? (item.get(key) ?? null) : null)).find((value) => value !== null) ?? [];
  return new Map<Value, Value>([
    ...order.kwargs,
    ['ignore_types', find('ignore_types')],
    ['verify_options', find('verify_options')],
  ]);
}

/** A step in which targets are sorted. */
interface Sorting {
  readonly ctx: StateContext;
  readonly order: InstallOrder;
  readonly found: {
    readonly targets: Desired;
    readonly reinstall: Desired;
    readonly altered: Map<string, Value>;
    readonly warnings: string[];
    readonly problems: string[];
    failedVerify: string | undefined;
    hasVersions: boolean;
  };
}

/** What has to be done, or the state's result when there is nothing, or it cannot be told. */
export async function findInstallTargets(
  ctx: StateContext,
  order: InstallOrder,
): Promise<{ readonly todo: InstallTargets } | { readonly result: StateResult }> {
  const { name, pkgs, sources } = order;
  const ended = (result: StateResult) => ({ result });
  if (pkgs !== undefined && sources !== undefined)
    return ended(failure(name, 'Only one of "pkgs" and "sources" is permitted.'));
  let installed: Installed;
  try {
    installed = await installedPackages(ctx, order.kwargs);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return ended(failure(name, error.message));
  }
  const desired =
    pkgs === undefined
      ? await packSources(ctx, sources ?? null, order.normalize)
      : await repackPackages(ctx, pkgs, order.normalize);
  if (desired.size === 0)
    return ended(
      failure(
        name,
        `Invalidly formatted '${pkgs === undefined ? 'sources' : 'pkgs'}' parameter. See minion log.`,
      ),
    );
  const toPurge = await installedPackages(ctx, order.kwargs, dict({ purge_desired: true }));
  const unpurge = [...desired.keys()].filter((each) => toPurge.has(each));
  const wasRefreshed = sources !== undefined ? false : await resolveLatest(ctx, order, desired, installed);
  const found: Sorting['found'] = {
    targets: new Map(),
    reinstall: new Map(),
    altered: new Map(),
    warnings: [],
    problems: [],
    failedVerify: undefined,
    hasVersions: false,
  };
  for (const [each, version] of desired)
    await sortPackage({ ctx, order, found }, each, version, installed.get(each) ?? []);
  const { targets, reinstall, altered, warnings, problems, failedVerify, hasVersions } = found;
  if (failedVerify !== undefined) problems.push(failedVerify);
  if (problems.length > 0) return ended(failure(name, problems.join(' ')));
  if (targets.size + unpurge.length + reinstall.size > 0)
    return { todo: { desired, targets, unpurge, reinstall, altered, warnings, wasRefreshed } };
  const suffix = hasVersions && sources === undefined ? ' and are at the desired version' : '';
  const same = outcome(name, true, `All specified packages are already installed${suffix}`);
  return ended(warnings.length > 0 ? { ...same, warnings } : same);
}

/** Puts versions in the place of `latest`. @returns whether the lists of packages were fetched for that */
async function resolveLatest(
  ctx: StateContext,
  order: InstallOrder,
  desired: Desired,
  installed: Installed,
): Promise<boolean> {
  const wanted = [...desired].filter(([, version]) => version === 'latest').map(([name]) => name);
  if (wanted.length === 0) return false;
  const words = new Map<Value, Value>([...order.kwargs, ['refresh', order.refresh]]);
  const answer = await ctx.functions.call('pkg.latest_version', wanted, words);
  for (const name of wanted) {
    const version = isDict(answer) ? (answer.get(name) ?? '') : answer;
    desired.set(name, truthy(version) ? pyStr(version) : (installed.get(name)?.at(-1) ?? null));
  }
  return order.refresh;
}

/** Decides what is to be done with one package. */
async function sortPackage(
  sorting: Sorting,
  name: string,
  version: string | null,
  current: readonly string[],
): Promise<void> {
  const { ctx, order, found } = sorting;
  if (current.length === 0) {
    found.targets.set(name, version);
    return;
  }
  const isFile = order.sources !== undefined;
  if (order.reinstall) {
    found.reinstall.set(name, version);
    return;
  }
  const wanted = isFile ? await fileVersion(sorting, pyStr(version)) : version;
  if (wanted === undefined) return;
  if (wanted === null || wanted === '') {
    await verifyPackage(sorting, name, version);
    return;
  }
  const given = { ignoreEpoch: order.ignore_epoch, allowUpdates: !isFile && order.allow_updates };
  let isMet: boolean;
  try {
    isMet = await fulfillsVersions(ctx, current, wanted, given);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    found.problems.push(error.message);
    return;
  }
  found.hasVersions = true;
  if (isMet) return;
  const isExact = versionConditions(pyStr(version)).some(([operator]) => operator === '==');
  if (verifies(order) && isExact) await verifyPackage(sorting, name, version);
  else found.targets.set(name, version);
}

/** Has a package installed again when its files have changed, where that is to be looked at. */
async function verifyPackage(
  { ctx, order, found }: Sorting,
  name: string,
  version: string | null,
): Promise<void> {
  if (!verifies(order)) return;
  try {
    const verified = await ctx.functions.call('pkg.verify', [name], verifyKeywords(order));
    if (!truthy(verified)) return;
    found.reinstall.set(name, version);
    found.altered.set(name, verified);
  } catch (error) {
    if (!(error instanceof CommandExecutionError || error instanceof SaltInvocationError)) throw error;
    found.failedVerify = error.message;
  }
}

/** The version of a package file; undefined when it cannot be told. */
async function fileVersion({ ctx, order, found }: Sorting, source: string): Promise<string | undefined> {
  if (!(await ctx.functions.has('lowpkg.bin_pkg_info'))) return undefined;
  let cached: string | undefined;
  try {
    cached = await cachedFile(ctx, [source], {
      saltenv: order.kwargs.get('saltenv') ?? 'base',
      verify_ssl: order.kwargs.get('verify_ssl') ?? true,
    });
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    found.problems.push(`Unable to cache ${source}: ${messageOf(error)}`);
    return undefined;
  }
  if (cached === undefined) {
    found.problems.push(`Unable to cache ${source}: file not found`);
    return undefined;
  }
  if (!pathExists(cached)) {
    found.problems.push(`${source} does not exist on minion`);
    return undefined;
  }
  const info = await ctx.functions.call('lowpkg.bin_pkg_info', [cached]);
  if (isDict(info)) return pyStr(info.get('version') ?? '');
  found.warnings.push(`Failed to parse metadata for ${source}`);
  return undefined;
}
