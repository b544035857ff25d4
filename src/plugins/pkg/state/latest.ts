/** `pkg.latest` (3006.16 salt/states/pkg.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { needsRefresh } from '../module/refresh-tag.ts';
import { compareText } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { functionKeywords, repackPackages } from './packages.ts';

/** The arguments of the state. */
export interface LatestArgs {
  readonly name: string;
  readonly refresh: Value;
  readonly fromrepo: Value;
  readonly skip_verify: boolean;
  readonly pkgs: Value | undefined;
}

/** How many names a comment lists. */
const LISTED = 10;

const sortedList = (names: Iterable<string>): string => [...names].sort(compareText).join(', ');

/** Texts by package, of a function that gives a bare text for a single one. */
function byPackage(answer: Value, names: readonly string[]): Map<string, string> {
  if (!isDict(answer)) return new Map([[names[0] ?? '', pyStr(answer)]]);
  return new Map([...answer].map(([name, version]) => [pyStr(name), pyStr(version)]));
}

/** Brings packages to their latest version. */
export async function latestState(ctx: StateContext, args: LatestArgs, kwargs: Dict): Promise<StateResult> {
  const { name, pkgs, fromrepo } = args;
  const refresh = needsRefresh(ctx, args.refresh);
  if (truthy(kwargs.get('sources'))) return failure(name, 'The "sources" parameter is not supported.');
  if (Array.isArray(pkgs) && pkgs.length === 0) return outcome(name, true, 'No packages to install provided');
  const desired = pkgs === undefined ? [name] : [...(await repackPackages(ctx, pkgs, true)).keys()];
  if (desired.length === 0) return failure(name, 'Invalidly formatted "pkgs" parameter. See minion log.');
  const words = functionKeywords(ctx, kwargs);
  let available: Map<string, string>;
  try {
    const options = new Map<Value, Value>([...words, ['fromrepo', fromrepo], ['refresh', refresh]]);
    available = byPackage(await ctx.functions.call('pkg.latest_version', desired, options), desired);
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    const what = 'checking the newest available version of package(s)';
    return failure(name, `An error was encountered while ${what}: ${messageOf(error)}`);
  }
  const current = byPackage(await ctx.functions.call('pkg.version', desired, words), desired);
  const problems = desired
    .filter((each) => !truthy(available.get(each)) && !truthy(current.get(each)))
    .map((each) => `No information found for '${each}'.`);
  for (const problem of problems) ctx.log.error(problem);
  if (problems.length > 0) return failure(name, problems.join(' '));
  const targets = new Map(
    [...available].filter(([each, version]) => desired.includes(each) && version !== ''),
  );
  if (targets.size === 0) return outcome(name, true, upToDateComment(desired));
  const given = Array.isArray(pkgs) ? pkgs.filter((each) => typeof each === 'string') : [];
  const same = given.filter((each) => !targets.has(each));
  return ctx.state.test
    ? outcome(name, null, announcement(targets, same, current))
    : upgrade(ctx, args, targets, { words, same });
}

function upToDateComment(desired: readonly string[]): string {
  if (desired.length > LISTED) return `All ${desired.length} packages are up-to-date.`;
  if (desired.length > 1) return `All packages are up-to-date (${sortedList(desired)}).`;
  return `Package ${desired[0] ?? ''} is already up-to-date`;
}

function announcement(
  targets: ReadonlyMap<string, string>,
  same: readonly string[],
  current: ReadonlyMap<string, string>,
): string {
  const would = `The following packages would be installed/upgraded: ${sortedList(targets.keys())}`;
  if (same.length === 0) return would;
  if (same.length > LISTED) return `${would}\n${same.length} packages are already up-to-date`;
  const shown = [...same].sort(compareText).map((each) => `${each} (${current.get(each) ?? ''})`);
  return `${would}\nThe following packages are already up-to-date: ${shown.join(', ')}`;
}

async function upgrade(
  ctx: StateContext,
  args: LatestArgs,
  targets: ReadonlyMap<string, string>,
  given: { readonly words: Dict; readonly same: readonly string[] },
): Promise<StateResult> {
  const { name, fromrepo, skip_verify } = args;
  let changes: Dict;
  try {
    const options: [Value, Value][] = [
      ['name', null],
      ['refresh', false],
      ['fromrepo', fromrepo],
      ['skip_verify', skip_verify],
      ['pkgs', [...targets.keys()]],
    ];
    const answer = await ctx.functions.call('pkg.install', [], new Map([...given.words, ...options]));
    changes = isDict(answer) ? answer : new Map();
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failure(name, `An error was encountered while installing package(s): ${messageOf(error)}`);
  }
  if (changes.size === 0) return failure(name, failedComment([...targets.keys()], given.same));
  const failed = [...targets].filter(([each, version]) => !isUpgraded(changes.get(each), version));
  const missing = failed.map(([each]) => each);
  const successful = [...targets.keys()].filter((each) => !missing.includes(each));
  const comments: string[] = [];
  if (missing.length > 0) comments.push(`The following packages failed to update: ${sortedList(missing)}`);
  if (successful.length > 0)
    comments.push(`The following packages were successfully installed/upgraded: ${sortedList(successful)}`);
  if (given.same.length > LISTED) comments.push(`${given.same.length} packages were already up-to-date `);
  else if (given.same.length > 0)
    comments.push(`The following packages were already up-to-date: ${sortedList(given.same)}`);
  return outcome(name, missing.length === 0, comments.join(' '), changes);
}

function isUpgraded(change: Value | undefined, version: string): boolean {
  if (!isDict(change) || change.size === 0) return false;
  const now = change.get('new') ?? null;
  return now === null || version === 'latest' || pyStr(now).split(',').includes(version);
}

function failedComment(targets: readonly string[], same: readonly string[]): string {
  const see = 'failed to update. See debug log for details';
  const failed =
    targets.length > LISTED
      ? `${targets.length} targeted packages ${see}.`
      : targets.length > 1
        ? `The following targeted packages ${see}: (${sortedList(targets)}).`
        : `Package ${targets[0] ?? ''} failed to update.`;
  if (same.length === 0) return failed;
  return same.length > LISTED
    ? `${failed}${same.length} packages were already up-to-date`
    : `${failed} The following packages were already up-to-date: ${sortedList(same)}`;
}
