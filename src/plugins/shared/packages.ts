/**
 * What every package system has in common: targets, changes, problems. Follows 3006.16 salt/modules/pkg_resource.py.
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import { isAbs } from '../../python/paths.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { fnmatch } from '../../python/text/fnmatch.ts';
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { CommandProblem } from './command-problem.ts';
import { neededFile } from './served-files.ts';

/** Installed versions by package. */
export type Versions = ReadonlyMap<string, readonly string[]>;

/** What is to be installed. */
export type Targets =
  | { readonly kind: 'repository'; readonly packages: ReadonlyMap<string, string | null> }
  | { readonly kind: 'file'; readonly paths: readonly string[] };

/** Adds a version to a package. */
export function addVersion(packages: Map<string, string[]>, name: string, version: string): void {
  const known = packages.get(name);
  if (known === undefined) packages.set(name, [version]);
  else if (!known.includes(version)) known.push(version);
}

/** Versions as Salt shows them: joined by commas, or as lists. */
export function versionsDict(packages: Versions, asList: boolean): Dict {
  return new Map(
    [...packages].map(([name, versions]): [Value, Value] => {
      const sorted = [...versions].sort(compareText);
      return [name, asList ? sorted : sorted.join(',')];
    }),
  );
}

/** `pkg.version`: one name gives a text, several (or a glob) a mapping. */
export function versionOf(packages: Versions, names: readonly Value[], asList: boolean): Value {
  const found = new Map<string, readonly string[]>();
  let isGlob = false;
  for (const name of names.map(pyStr)) {
    if (name.includes('*')) {
      isGlob = true;
      for (const [match, versions] of packages) if (fnmatch(match, name)) found.set(match, versions);
    } else found.set(name, packages.get(name) ?? []);
  }
  const out = versionsDict(found, asList);
  return out.size === 1 && !isGlob ? ([...out.values()][0] as Value) : out;
}

/** What differs between two lists of packages: `{name: {old, new}}`. */
export function packageChanges(before: Versions, after: Versions): Dict {
  return dictChanges(versionsDict(before, false), versionsDict(after, false));
}

/**
 * What differs between two mappings: `{key: {old, new}}`, an empty text for what one of them has not; the order is that
 * of `compare_dicts`.
 */
export function dictChanges(old: Dict, now: Dict): Dict {
  const out: Dict = new Map();
  for (const name of new Set([...now.keys(), ...old.keys()])) {
    const [a, b] = [old.get(name), now.get(name)];
    if (b === undefined) out.set(name, dict({ new: '', old: a }));
    else if (a === undefined || !valuesEqual(a, b)) out.set(name, dict({ old: a ?? '', new: b }));
  }
  return out;
}

/** A failure of a program of packages: what it said, and what has changed all the same. */
export function packageProblem(message: string, errors: readonly string[], changes: Dict): CommandProblem {
  return new CommandProblem(
    message,
    new Map<Value, Value>([
      ['errors', [...errors]],
      ['changes', changes],
    ]),
  );
}

/**
 * Takes `name`, `pkgs` and `sources` apart.
 * @param normalize the name without an architecture that goes without saying
 * @returns undefined when nothing (or nonsense) was given
 */
export async function parseTargets(
  ctx: ModuleContext,
  given: { readonly name: Value; readonly pkgs: Value; readonly sources: Value; readonly version?: Value },
  normalize: (name: string) => string,
): Promise<Targets | undefined> {
  const { name, pkgs, sources, version = null } = given;
  if (truthy(pkgs) && truthy(sources)) {
    ctx.log.error('Only one of "pkgs" and "sources" can be used.');
    return undefined;
  }
  if (truthy(pkgs)) return repositoryTargets(ctx, pkgs, normalize);
  if (truthy(sources)) return fileTargets(ctx, sources);
  if (!truthy(name)) {
    ctx.log.error('No package sources provided');
    return undefined;
  }
  const wanted = version === null ? null : pyStr(version);
  const packages = new Map(
    pyStr(name)
      .split(',')
      .map((word) => [normalize(word), wanted]),
  );
  return { kind: 'repository', packages };
}

function listOf(value: Value): Value[] {
  const list = typeof value === 'string' ? loadYaml(value, { source: 'pkgs' }) : value;
  return Array.isArray(list) ? list : [list];
}

function repositoryTargets(
  ctx: ModuleContext,
  pkgs: Value,
  normalize: (name: string) => string,
): Targets | undefined {
  const given = givenPackages(ctx, pkgs);
  if (given === undefined || given.length === 0) return undefined;
  const packages = new Map(given.map(([name, version]) => [normalize(name), version]));
  checkDuplicates(pkgs, given.length, packages.size);
  return { kind: 'repository', packages };
}

/** The packages of a list `pkgs` and the versions asked for; undefined, with a log record, when it is no such list. */
export function givenPackages(ctx: ModuleContext, pkgs: Value): [string, string | null][] | undefined {
  const packages: [string, string | null][] = [];
  for (const item of listOf(pkgs)) {
    if (isDict(item)) {
      if (item.size !== 1) {
        ctx.log.error(`Invalid input: ${pyStr(item)}. Input must be a list of strings/dicts`);
        return undefined;
      }
      const [[name, version] = ['', null]] = item;
      packages.push([pyStr(name), version === null ? null : pyStr(version)]);
    } else packages.push([pyStr(item), null]);
  }
  return packages;
}

/** @throws SaltInvocationError when a list of packages names one twice */
export function checkDuplicates(pkgs: Value, given: number, distinct: number): void {
  if (given === distinct) return;
  throw new SaltInvocationError(
    `You are passing a list of packages that contains duplicated packages names: ${pyStr(pkgs)}. This cannot be ` +
      'processed. In case you are targeting different versions of the same package, please target them individually',
  );
}

async function fileTargets(ctx: ModuleContext, sources: Value): Promise<Targets | undefined> {
  const paths: string[] = [];
  for (const item of listOf(sources)) {
    if (!isDict(item) || item.size !== 1) {
      ctx.log.error('Input must be a list of 1-element dicts');
      return undefined;
    }
    const [[name, given] = ['', '']] = item;
    const source = pyStr(given);
    if (/^[a-z0-9]+:\/\//.test(source)) {
      paths.push(await neededFile(ctx, source, 'base'));
    } else if (isAbs(source)) paths.push(source);
    else {
      throw new SaltInvocationError(
        `Path ${source} for package ${pyStr(name)} is either not absolute or an invalid protocol`,
      );
    }
  }
  return { kind: 'file', paths };
}

/** Names out of `name`, `pkgs` or `sources` for holding. @throws SaltInvocationError */
export function holdTargets(name: Value, pkgs: Value, sources: Value): string[] {
  if (!truthy(name) && !truthy(pkgs) && !truthy(sources))
    throw new SaltInvocationError('One of name, pkgs, or sources must be specified.');
  if (truthy(pkgs) && truthy(sources))
    throw new SaltInvocationError('Only one of pkgs or sources can be specified.');
  const list = truthy(pkgs) ? listOf(pkgs) : truthy(sources) ? listOf(sources) : [name];
  return list.map((item) => pyStr(isDict(item) ? ([...item.keys()][0] ?? '') : item));
}

/** A name that a program cannot take for an option. @throws SaltInvocationError */
export function packageName(name: string): string {
  if (name.startsWith('-')) throw new SaltInvocationError(`${name} is no name of a package`);
  return name;
}
