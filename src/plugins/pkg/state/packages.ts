/** What the states of `pkg` share: lists of packages, and failures (3006.16 salt/states/pkg.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { problemOf } from '../../shared/command-problem.ts';
import { checkDuplicates, givenPackages } from '../../shared/packages.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { stateEnvironment } from '../../shared/state-environment.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { installedVersions } from '../../shared/installed-versions.ts';

/** Packages and the versions asked for. */
export type Desired = Map<string, string | null>;
/** Installed versions by package. */
export type Installed = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a list of packages or advisories: one that is empty counts as given, unlike all else that is false in Python.
 */
export function packageList(value: Value): Value | undefined {
  return Array.isArray(value) || truthy(value) ? value : undefined;
}

/** The name without an architecture that goes without saying. */
async function normalizedName(ctx: StateContext, name: string, normalize: boolean): Promise<string> {
  if (!normalize || !(await ctx.functions.has('pkg.normalize_name'))) return name;
  return pyStr(await ctx.functions.call('pkg.normalize_name', [name]));
}

/** The packages of a list `pkgs`; empty when it is no such list. @throws SaltInvocationError when one is named twice */
export async function repackPackages(ctx: StateContext, pkgs: Value, normalize: boolean): Promise<Desired> {
  const given = givenPackages(ctx, pkgs) ?? [];
  const out: Desired = new Map();
  for (const [name, version] of given) out.set(await normalizedName(ctx, name, normalize), version);
  checkDuplicates(pkgs, given.length, out.size);
  return out;
}

/** One package by name. */
export async function onePackage(
  ctx: StateContext,
  name: string,
  version: string | undefined,
  normalize: boolean,
): Promise<Desired> {
  return new Map([[await normalizedName(ctx, name, normalize), version ?? null]]);
}

/** Package files of a list `sources`; empty when it is no such list. */
export async function packSources(ctx: StateContext, sources: Value, normalize: boolean): Promise<Desired> {
  const out: Desired = new Map();
  for (const item of Array.isArray(sources) ? sources : [sources]) {
    if (!isDict(item) || item.size !== 1) {
      ctx.log.error(`Invalid input: ${pyStr(sources)}`);
      ctx.log.error('Input must be a list of 1-element dicts');
      return new Map();
    }
    const [[name, source] = ['', '']] = item;
    out.set(await normalizedName(ctx, pyStr(name), normalize), pyStr(source));
  }
  return out;
}

/**
 * The keywords of a state that execution functions are handed: all but those of the state system itself, and `saltenv`.
 */
export function functionKeywords(ctx: StateContext, kwargs: Dict, saltenv = true): Dict {
  const own = [...kwargs].filter(([key]) => !pyStr(key).startsWith('__'));
  return saltenv ? new Map([...own, ['saltenv', stateEnvironment(ctx)]]) : new Map(own);
}

/** `pkg.list_pkgs` with versions as lists. */
export async function installedPackages(
  ctx: StateContext,
  kwargs: Dict,
  which: Dict = dict(),
): Promise<Installed> {
  const words = new Map([...kwargs, ...which, ['versions_as_list', true]] as [Value, Value][]);
  return versionsOf(await installedVersions(ctx, [], words));
}

function versionsOf(value: Value): Installed {
  return new Map(
    [...(isDict(value) ? value : [])].map(([name, versions]) => [
      pyStr(name),
      (Array.isArray(versions) ? versions : [versions]).map(pyStr),
    ]),
  );
}

/** A package with the version that is wanted of it, as Salt's comments show it. */
export function shownPackage(name: string, desired: Desired): string {
  const version = desired.get(name) ?? '';
  return `${name}${version === '' || /^[<>=]/.test(version) ? '' : '='}${version}`;
}

/** The failure that an error of an execution function stands for. @throws every other error */
export function failureOf(name: Value, error: unknown, doing: string): StateResult {
  const problem = problemOf(error);
  if (problem !== undefined)
    return { name, result: false, changes: problem.changes, comment: problem.withoutChanges };
  if (!(error instanceof CommandExecutionError)) throw error;
  return {
    name,
    result: false,
    changes: new Map(),
    comment: `An error was encountered while ${doing}: ${messageOf(error)}`,
  };
}

/** The parts of desired packages that are there now, and those that are not. */
export interface Verified {
  readonly ok: readonly string[];
  readonly failed: readonly string[];
}
