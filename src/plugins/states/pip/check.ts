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
import { isBefore, knowsWheelOptions } from '../../modules/pip/run.ts';
import type { TypedArguments } from '../../../runtime/loader/module.ts';
import type { StateContext } from '../state-function.ts';
import type { INSTALLED } from './params.ts';

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
}

/** Asks pip for the installed packages. */
export async function installedPackages(
  ctx: StateContext,
  args: InstalledArgs,
  { binEnv, kwargs }: { readonly binEnv: Value; readonly kwargs: Dict },
): Promise<InstalledPackages> {
  const keywords = new Map([...whereOf(args, binEnv), ['env_vars', args.env_vars], ...kwargs]);
  return new InstalledPackages(await ctx.functions.call('pip.list', [], keywords));
}

const same = (a: string, b: string): boolean => {
  const [x, y] = [parsePackageVersion(a), parsePackageVersion(b)];
  return x !== undefined && y !== undefined && comparePackageVersions(x, y) === 0;
};

/** The version that an upgrade would bring; undefined where there is none that is asked for. */
async function newestVersion(
  ctx: StateContext,
  { prefix, specs }: WantedPackage,
  { args, binEnv }: { readonly args: InstalledArgs; readonly binEnv: Value },
): Promise<string | undefined> {
  const has = (letters: string): boolean => specs.some(([, version]) => version.includes(letters));
  const listed = await ctx.functions.call(
    'pip.list_all_versions',
    [prefix],
    new Map<Value, Value>([
      ...whereOf(args, binEnv),
      ['include_alpha', has('a')],
      ['include_beta', has('b')],
      ['include_rc', has('rc')],
      ['index_url', args.index_url ?? null],
      ['extra_index_url', args.extra_index_url ?? null],
    ]),
  );
  const versions = Array.isArray(listed) ? listed.map(pyStr) : [];
  return versions.findLast((version) => specs.every((spec) => fulfills(version, spec)));
}

/** Why a package needs no installing, as a comment; undefined where it does. */
export async function alreadyInstalled(
  ctx: StateContext,
  wanted: WantedPackage,
  have: { readonly args: InstalledArgs; readonly binEnv: Value; readonly installed: InstalledPackages },
): Promise<string | undefined> {
  const { prefix, given, specs } = wanted;
  const { args, installed } = have;
  const version = prefix === '' ? undefined : installed.versionOf(prefix);
  if (version === undefined || args.ignore_installed || args.force_reinstall) return undefined;
  const already = `Python package ${given} was already installed`;
  if (!args.upgrade) return specs.every((spec) => fulfills(version, spec)) ? already : undefined;
  const newest = await newestVersion(ctx, wanted, have);
  if (newest === undefined)
    return `Python package ${prefix} was already installed and\nthe available upgrade doesn't fulfills the version requirements`;
  return same(version, newest) ? already : undefined;
}
