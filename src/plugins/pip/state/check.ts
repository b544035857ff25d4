/** What `pip.installed` finds out before it installs anything. Follows 3006.16 salt/states/pip_state.py. */
import {
  fulfills,
  parsePackageVersion,
  comparePackageVersions,
  type VersionSpec,
} from '../../../python/packages/version.ts';
import { InvalidRequirement, packageKey, parseRequirement } from '../../../python/packages/requirement.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { searchWords } from '../module/install.ts';
import { allVersions } from '../module/lists.ts';
import { isBefore, knowsWheelOptions } from '../module/run.ts';
import type { TypedArguments } from '../../../runtime/loader/module.ts';
import type { StateContext } from '../../shared/state-function.ts';
import type { INSTALLED } from './params.ts';
import { packagesIn, targetFolder } from './target.ts';
import { answered } from '../../../runtime/loader/answered.ts';

/** The arguments of `pip.installed`. */
export type InstalledArgs = TypedArguments<typeof INSTALLED>;

/** One package that is to be there. */
export interface WantedPackage {
  /** Its name, with dashes; empty where only the package itself says it. */
  readonly prefix: string;
  /** As the SLS has it. */
  readonly given: string;
  readonly specs: readonly VersionSpec[];
}

/** Reads a package as the SLS has it. @returns what it is, or why it is none */
export function readPackage(given: string): WantedPackage | string {
  try {
    const { name, specs } = parseRequirement(given);
    return { prefix: name?.replaceAll(/[^A-Za-z0-9.]+/g, '-') ?? '', given, specs };
  } catch (error) {
    if (!(error instanceof InvalidRequirement)) throw error;
    return given.includes('=') && !given.includes('==')
      ? `Invalid version specification in package ${given}. '=' is not supported, use '==' instead.`
      : `pip raised an exception while parsing '${given}': ${error.message}`;
  }
}

/** Why options do not fit a version of pip; undefined where they do. */
export function optionRefusal(
  args: Pick<InstalledArgs, 'use_wheel' | 'no_use_wheel' | 'no_binary'>,
  version: string | undefined,
): string | undefined {
  const detected = `The version of pip detected was ${version ?? 'None'}.`;
  for (const name of ['use_wheel', 'no_use_wheel'] as const)
    if (args[name] && !knowsWheelOptions(version))
      return `The '${name}' option is only supported in pip between 1.4 and 9.0.3. ${detected}`;
  return args.no_binary !== undefined && isBefore(version, '7.0.0')
    ? `The 'no_binary' option is only supported in pip 7.0.0 and newer. ${detected}`
    : undefined;
}

/** Which pip, as whom: the keywords of the functions that ask it. */
const whereOf = (args: Pick<InstalledArgs, 'user' | 'cwd'>, binEnv: Value): Dict =>
  dict({ bin_env: binEnv, user: args.user, cwd: args.cwd });

/** Packages by all spellings of their names. Salt compat: Salt takes `my_package` and `my-package` for two. */
export class InstalledPackages {
  readonly #versions: ReadonlyMap<string, string>;
  constructor(listed: Value) {
    const entries: readonly (readonly [Value, Value])[] = isDict(listed) ? [...listed] : [];
    this.#versions = new Map(entries.map(([name, version]) => [packageKey(pyStr(name)), pyStr(version)]));
  }
  versionOf(name: string): string | undefined {
    return this.#versions.get(packageKey(name));
  }
  /** Whether a package is there in a version that is asked for. */
  has({ prefix, specs }: WantedPackage): boolean {
    const version = prefix === '' ? undefined : this.versionOf(prefix);
    return version !== undefined && specs.every((spec) => fulfills(version, spec));
  }
}

/** `pip.list`, by all spellings of the names. */
export const pipPackages = answered('pip.list', (listed) => new InstalledPackages(listed));

/**
 * The installed packages: what pip lists, or what is in the folder that is installed into.
 * Salt compat: Salt does not look into the folder, and installs into it at each run.
 */
export async function installedPackages(
  ctx: StateContext,
  args: InstalledArgs,
  { binEnv, kwargs }: { readonly binEnv: Value; readonly kwargs: Dict },
): Promise<InstalledPackages> {
  const folder = targetFolder(args);
  if (folder !== undefined) return new InstalledPackages(packagesIn(folder));
  const keywords = new Map([...whereOf(args, binEnv), ['env_vars', args.env_vars], ...kwargs]);
  return pipPackages(ctx, [], keywords);
}

/** How a version stands to another; undefined where they cannot be compared. */
function comparedTo(a: string, b: string): number | undefined {
  const [x, y] = [parsePackageVersion(a), parsePackageVersion(b)];
  return x === undefined || y === undefined ? undefined : comparePackageVersions(x, y);
}

/**
 * The version that an upgrade would bring; undefined where there is none that is asked for.
 * Salt compat: Salt asks the index alone, whatever `find_links`, `no_index`, `pre_releases` and their like say.
 */
async function newestVersion(
  ctx: StateContext,
  { prefix, specs }: WantedPackage,
  { args, binEnv }: { readonly args: InstalledArgs; readonly binEnv: Value },
): Promise<string | undefined> {
  const has = (letters: string): boolean =>
    args.pre_releases || specs.some(([, version]) => version.includes(letters));
  const listed = await allVersions(ctx, {
    ...{ pkg: prefix, bin_env: binEnv, user: args.user, cwd: args.cwd },
    ...{ include_alpha: has('a'), include_beta: has('b'), include_rc: has('rc') },
    ...{ index_url: args.index_url, extra_index_url: args.extra_index_url },
    further: searchWords(ctx, args),
  });
  const versions = Array.isArray(listed) ? listed.map(pyStr) : [];
  return versions.findLast((version) => specs.every((spec) => fulfills(version, spec)));
}

/** Why a package needs no installing, as a comment; undefined where it does. */
export async function alreadyInstalled(
  ctx: StateContext,
  wanted: WantedPackage,
  have: { readonly args: InstalledArgs; readonly binEnv: Value; readonly installed: InstalledPackages },
): Promise<string | undefined> {
  const { prefix, given } = wanted;
  const { args, installed } = have;
  const version = prefix === '' ? undefined : installed.versionOf(prefix);
  if (version === undefined || args.ignore_installed || args.force_reinstall) return undefined;
  const already = `Python package ${given} was already installed`;
  const isRight = installed.has(wanted);
  if (!args.upgrade) return isRight ? already : undefined;
  const newest = await newestVersion(ctx, wanted, have);
  // Salt compat: Salt is content with a version that is not asked for, and installs anew what is newer than all that
  // there is
  if (!isRight) return undefined;
  if (newest === undefined)
    return `Python package ${prefix} was already installed and\nthe available upgrade doesn't fulfills the version requirements`;
  return (comparedTo(version, newest) ?? -1) >= 0 ? already : undefined;
}
