/** `pkg.removed` and `pkg.purged` (3006.16 salt/states/pkg.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { compareText } from '../../../python/values/order.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import {
  failureOf,
  functionKeywords,
  installedPackages,
  onePackage,
  repackPackages,
  type Desired,
} from './packages.ts';
import { fulfillsVersions } from './versions.ts';

/** The arguments of the states. */
export interface RemovalArgs {
  readonly name: string;
  readonly version: string | undefined;
  readonly pkgs: Value | undefined;
  readonly normalize: boolean;
  readonly ignore_epoch: Value;
}

/** Takes packages away; `purge` takes their configuration, too. */
export async function removedState(
  ctx: StateContext,
  action: 'remove' | 'purge',
  args: RemovalArgs,
  kwargs: Dict,
): Promise<StateResult> {
  try {
    return await uninstall(ctx, action, args, functionKeywords(ctx, kwargs));
  } catch (error) {
    return failureOf(args.name, error, `${action === 'remove' ? 'removing' : 'purging'} package(s)`);
  }
}

/** The packages that are there in the version that is to go, or the result when there are none. */
async function removeTargets(
  ctx: StateContext,
  args: RemovalArgs,
  wanted: Desired,
  words: Dict,
): Promise<string[] | StateResult> {
  const installed = await installedPackages(ctx, words);
  const [targets, problems]: [string[], string[]] = [[], []];
  let hasVersions = false;
  for (const [name, version] of wanted) {
    const current = installed.get(name) ?? [];
    if (current.length === 0) continue;
    if (version === null || version === '') {
      targets.push(name);
      continue;
    }
    hasVersions = true;
    try {
      if (await fulfillsVersions(ctx, current, version, { ignoreEpoch: args.ignore_epoch }))
        targets.push(name);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) return failure(args.name, problems.join(' '));
  if (targets.length > 0) return targets;
  const suffix = hasVersions ? ' (matching specified versions)' : '';
  return outcome(args.name, true, `All specified packages${suffix} are already absent`);
}

/** `pkg.list_pkgs` of what is removed but for its configuration. */
async function halfRemoved(ctx: StateContext, wanted: Desired, words: Dict): Promise<string[]> {
  const removed = await installedPackages(ctx, words, dict({ removed: true }));
  return [...wanted.keys()].filter((name) => removed.has(name));
}

async function uninstall(
  ctx: StateContext,
  action: 'remove' | 'purge',
  args: RemovalArgs,
  words: Dict,
): Promise<StateResult> {
  const { name, version, pkgs, normalize } = args;
  const wanted =
    pkgs === undefined
      ? await onePackage(ctx, name, version, normalize)
      : await repackPackages(ctx, pkgs, normalize);
  if (wanted.size === 0) return failure(name, 'Invalidly formatted pkgs parameter. See minion log.');
  const found = await removeTargets(ctx, args, wanted, words);
  if (!Array.isArray(found) && action === 'remove') return found;
  const targets = Array.isArray(found) ? found : [];
  if (action === 'purge') targets.push(...(await halfRemoved(ctx, wanted, words)));
  targets.sort(compareText);
  if (targets.length === 0)
    return outcome(name, true, 'None of the targeted packages are installed or partially installed');
  if (ctx.state.test) {
    const changes: Dict = new Map(targets.map((each) => [each, dict({ new: `${action}d`, old: '' })]));
    return outcome(name, null, `The following packages will be ${action}d: ${targets.join(', ')}.`, changes);
  }
  const options = new Map<Value, Value>([
    ...words,
    ['pkgs', pkgs ?? null],
    ['version', version ?? null],
    ['split_arch', false],
  ]);
  const answer = await ctx.functions.call(`pkg.${action}`, [name], options);
  const changes = isDict(answer) ? answer : dict();
  const failed = await stillThere(ctx, wanted, words);
  if (action === 'purge') failed.push(...(await halfRemoved(ctx, wanted, words)));
  if (failed.length > 0) {
    const list = failed.sort(compareText).join(', ');
    return outcome(name, false, `The following packages failed to ${action}: ${list}.`, changes);
  }
  return outcome(name, true, removalComment(action, wanted, targets), changes);
}

async function stillThere(ctx: StateContext, wanted: Desired, words: Dict): Promise<string[]> {
  const installed = await installedPackages(ctx, words);
  const byVersion = ['Suse', 'RedHat', 'Windows'].includes(String(ctx.grains.get('os_family')));
  return [...wanted].flatMap(([name, version]) => {
    const current = installed.get(name);
    if (current === undefined) return [];
    if (!byVersion || version === null || version === '') return [name];
    return current.includes(version) ? [`${name}-${version}`] : [];
  });
}

function removalComment(action: string, wanted: Desired, targets: readonly string[]): string {
  const missing = [...wanted.keys()].filter((name) => !targets.includes(name)).sort(compareText);
  if (missing.length === 0) return `All targeted packages were ${action}d.`;
  return (
    `The following packages were not installed: ${missing.join(', ')} ` +
    `The following packages were ${action}d: ${targets.join(', ')}.`
  );
}
