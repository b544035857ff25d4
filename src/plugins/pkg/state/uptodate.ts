/** `pkg.uptodate` and `pkg.group_installed` (3006.16 salt/states/pkg.py). */
import { BrineError, CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { failureOf, functionKeywords } from './packages.ts';
import { installedVersions } from '../../shared/installed-versions.ts';

/** Upgrades all packages, or those named. */
export async function uptodateState(
  ctx: StateContext,
  args: { readonly name: string; readonly refresh: Value; readonly pkgs: Value | undefined },
  kwargs: Dict,
): Promise<StateResult> {
  const { name, refresh, pkgs } = args;
  if (!(await ctx.functions.has('pkg.list_upgrades')))
    return failure(name, 'State pkg.uptodate is not available');
  if (typeof refresh !== 'boolean') return failure(name, 'refresh must be either True or False');
  const words = functionKeywords(ctx, kwargs, false);
  const named = Array.isArray(pkgs) ? pkgs.map(pyStr) : undefined;
  const expected: Dict = new Map();
  try {
    const upgrades = await ctx.functions.call(
      'pkg.list_upgrades',
      [],
      new Map([...words, ['refresh', refresh]]),
    );
    for (const [each, version] of isDict(upgrades) ? upgrades : []) {
      const old = await ctx.functions.call('pkg.version', [each], words);
      if (named?.includes(pyStr(each)) ?? true) expected.set(each, dict({ new: version, old }));
    }
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return failure(name, messageOf(error));
  }
  if (expected.size === 0) return outcome(name, true, 'System is already up-to-date');
  if (ctx.state.test) return outcome(name, null, 'System update will be performed', expected);
  try {
    const options = new Map<Value, Value>([...words, ['refresh', refresh], ['pkgs', pkgs ?? null]]);
    const answer = await ctx.functions.call('pkg.upgrade', [], options);
    const changes = isDict(answer) ? answer : dict();
    const missing = named === undefined ? [] : [...expected.keys()].filter((each) => !changes.has(each));
    return missing.length > 0
      ? outcome(name, false, `The following package(s) failed to update: ${missing.join(', ')}`, changes)
      : outcome(name, true, 'Upgrade ran successfully', changes);
  } catch (error) {
    const { changes, comment } = failureOf(name, error, 'updating packages');
    return outcome(name, false, comment, changes);
  }
}

const listIn = (group: Dict, kind: string, which: string): string[] => {
  const parts = group.get(kind);
  const list = isDict(parts) ? parts.get(which) : undefined;
  return Array.isArray(list) ? list.map(pyStr) : [];
};

/** The texts of a list, none for None; undefined for what is no list. */
export function textList(value: Value): string[] | undefined {
  if (value === null) return [];
  return Array.isArray(value) ? value.map(pyStr) : undefined;
}

/** Installs a group of packages. */
export async function groupInstalledState(
  ctx: StateContext,
  args: {
    readonly name: string;
    readonly skip: readonly string[] | undefined;
    readonly include: readonly string[] | undefined;
  },
  kwargs: Dict,
): Promise<StateResult> {
  const { name, skip, include } = args;
  if (!(await ctx.functions.has('pkg.group_diff')))
    return failure(name, 'pkg.group_install not available for this platform');
  if (skip === undefined) return failure(name, 'skip must be formatted as a list');
  if (include === undefined) return failure(name, 'include must be formatted as a list');
  const words = functionKeywords(ctx, kwargs, false);
  const doing = `installing/updating group '${name}'`;
  let group: Dict;
  try {
    const answer = await ctx.functions.call('pkg.group_diff', [name], words);
    group = isDict(answer) ? answer : dict();
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return failure(name, `An error was encountered while ${doing}: ${messageOf(error)}.`);
  }
  const missing = listIn(group, 'mandatory', 'not installed');
  const mandatory = [...listIn(group, 'mandatory', 'installed'), ...missing];
  const invalid = mandatory.filter((each) => skip?.includes(each));
  if (invalid.length > 0)
    return failure(name, `The following mandatory packages cannot be skipped: ${invalid.join(', ')}`);
  const wanted = listIn(group, 'default', 'not installed').filter((each) => skip?.includes(each) !== true);
  const targets = [...missing, ...wanted, ...(include ?? [])];
  if (targets.length === 0) return outcome(name, true, `Group '${name}' is already installed`);
  const isPartial = ['mandatory', 'default', 'optional'].some(
    (kind) => listIn(group, kind, 'installed').length > 0,
  );
  if (ctx.state.test) {
    const how = isPartial ? 'is partially installed and will be updated' : 'will be installed';
    return outcome(name, null, `Group '${name}' ${how}`);
  }
  let changes: Dict;
  try {
    const answer = await ctx.functions.call('pkg.install', [], new Map([...words, ['pkgs', targets]]));
    changes = isDict(answer) ? answer : dict();
  } catch (error) {
    return failureOf(name, error, doing);
  }
  const installed = await installedVersions(ctx, [], words);
  const failed = targets.filter((each) => !installed.has(each));
  return failed.length > 0
    ? outcome(name, false, `Failed to install the following packages: ${failed.join(', ')}`, changes)
    : outcome(name, true, `Group '${name}' was ${isPartial ? 'updated' : 'installed'}`, changes);
}
