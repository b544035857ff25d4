/** `pkg.downloaded`, `pkg.patch_installed` and `pkg.patch_downloaded` (3006.16 salt/states/pkg.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { verifyInstalled } from './installed.ts';
import {
  failureOf,
  functionKeywords,
  repackPackages,
  shownPackage,
  type Desired,
  type Installed,
} from './packages.ts';
import { fulfillsVersions } from './versions.ts';

/** The arguments of `pkg.downloaded`. */
export interface DownloadArgs {
  readonly name: string;
  readonly version: string | undefined;
  readonly pkgs: Value | undefined;
  readonly fromrepo: Value;
  readonly ignore_epoch: Value;
}

/** `pkg.list_downloaded`: versions by package. */
async function downloaded(ctx: StateContext, words: Dict): Promise<Installed> {
  const answer = await ctx.functions.call('pkg.list_downloaded', [], words);
  return new Map(
    [...(isDict(answer) ? answer : [])].map(([name, versions]) => [
      pyStr(name),
      [...(isDict(versions) ? versions.keys() : [])].map(pyStr),
    ]),
  );
}

/** The packages that are still to be fetched, or the result when there are none. */
async function downloadTargets(
  ctx: StateContext,
  { name, ignore_epoch }: DownloadArgs,
  pkgs: Value,
  words: Dict,
): Promise<Desired | StateResult> {
  const current = await downloaded(ctx, words);
  const wanted = await repackPackages(ctx, pkgs, true);
  if (wanted.size === 0) return failure(name, 'Invalidly formatted pkgs parameter. See minion log.');
  const [targets, problems]: [Desired, string[]] = [new Map(), []];
  let hasVersions = false;
  for (const [each, version] of wanted) {
    const versions = current.get(each) ?? [];
    if (versions.length === 0) targets.set(each, version);
    if (versions.length === 0 || version === null || version === '') continue;
    hasVersions = true;
    try {
      if (!(await fulfillsVersions(ctx, versions, version, { ignoreEpoch: ignore_epoch })))
        targets.set(each, version);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) return failure(name, problems.join(' '));
  if (targets.size > 0) return targets;
  const suffix = hasVersions ? ' (matching specified versions)' : '';
  return outcome(name, true, `All specified packages${suffix} are already downloaded`);
}

/** Fetches packages into the cache. */
export async function downloadedState(
  ctx: StateContext,
  args: DownloadArgs,
  kwargs: Dict,
): Promise<StateResult> {
  const { name, version, fromrepo, ignore_epoch } = args;
  if (!(await ctx.functions.has('pkg.list_downloaded')))
    return failure(name, 'The pkg.downloaded state is not available on this platform');
  if (Array.isArray(args.pkgs) && args.pkgs.length === 0)
    return outcome(name, true, 'No packages to download provided');
  const pkgs = args.pkgs ?? [version === undefined ? name : new Map([[name, version]])];
  const words = functionKeywords(ctx, kwargs, false);
  words.delete('downloadonly');
  const targets = await downloadTargets(ctx, args, pkgs, words);
  if (!(targets instanceof Map)) return targets;
  const list = [...targets.keys()].join(', ');
  if (ctx.state.test) return outcome(name, null, `The following packages would be downloaded: ${list}`);
  let changes: Dict;
  try {
    const options = dict({ name, pkgs, version: null, downloadonly: true, fromrepo, ignore_epoch });
    const answer = await ctx.functions.call('pkg.install', [], new Map([...words, ...options]));
    changes = isDict(answer) ? answer : dict();
  } catch (error) {
    return failureOf(name, error, 'downloading package(s)');
  }
  const { failed } = await verifyInstalled(ctx, targets, await downloaded(ctx, words), ignore_epoch);
  if (failed.length > 0) {
    const shown = failed.map((each) => shownPackage(each, targets)).join(', ');
    return outcome(name, false, `The following packages failed to download: ${shown}`, changes);
  }
  return outcome(name, true, changes.size > 0 ? '' : `Packages downloaded: ${list}`, changes);
}

/** Installs what advisories ask for, or only fetches it. */
export async function patchState(
  ctx: StateContext,
  args: { readonly name: string; readonly advisory_ids: Value | undefined; readonly downloadonly: boolean },
  kwargs: Dict,
  isDownload: boolean,
): Promise<StateResult> {
  const { name, advisory_ids: ids, downloadonly } = args;
  if (!(await ctx.functions.has('pkg.list_patches'))) {
    const state = isDownload ? 'patch_downloaded' : 'patch_installed';
    return failure(name, `The pkg.${state} state is not available on this platform`);
  }
  if (Array.isArray(ids) && ids.length === 0) return outcome(name, true, 'No advisory ids provided');
  const words = functionKeywords(ctx, kwargs, false);
  const answer = await ctx.functions.call('pkg.list_installed_patches', [], words);
  const installed = (id: Value): boolean => isDict(answer) && truthy(answer.get(id));
  if (ids === undefined && installed(name))
    return outcome(name, true, `Advisory patch ${name} is already installed`);
  const targets = (Array.isArray(ids) ? ids : [name]).filter((id) => !installed(id));
  if (targets.length === 0)
    return outcome(name, true, 'All specified advisory patches are already installed');
  if (ctx.state.test) {
    const list = targets.map(pyStr).join(', ');
    return outcome(name, null, `The following advisory patches would be downloaded: ${list}`);
  }
  try {
    const options = dict({ name, advisory_ids: ids, downloadonly });
    const changed = await ctx.functions.call('pkg.install', [], new Map([...words, ...options]));
    const changes = isDict(changed) ? changed : dict();
    const status = downloadonly ? 'downloaded' : 'installed';
    const comment = `Advisory patch is not needed or related packages are already ${status}`;
    return outcome(name, true, changes.size > 0 ? '' : comment, changes);
  } catch (error) {
    return failureOf(name, error, 'downloading package(s)');
  }
}
