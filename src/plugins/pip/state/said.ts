/** What pip has done, by what it says and by what `pip freeze` says before and after. */
import { CommandExecutionError, CommandNotFoundError } from '../../../errors/errors.ts';
import { packageKey } from '../../../python/packages/requirement.ts';
import { normPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { commaList } from '../module/run.ts';
import type { StateContext } from '../../shared/state-function.ts';
import type { InstalledArgs } from './check.ts';
import { packagesIn, targetFolder } from './target.ts';

const SATISFIED = /^Requirement already (?:satisfied|up-to-date): ([^\s[=<>!~;(]+)/gm;
const INSTALLED = /^Successfully installed\b(.*)$/gm;

/**
 * The packages of which pip says that they are there. Salt compat: Salt knows the words of old versions of pip only.
 */
export function satisfiedPackages(stdout: string): ReadonlySet<string> {
  return new Set([...stdout.matchAll(SATISFIED)].map(([, name = '']) => packageKey(name)));
}

/** What pip says that it has installed, as `name-version`; undefined where it says nothing of the kind. */
function installedWords(stdout: string): string[] | undefined {
  const found = [...stdout.matchAll(INSTALLED)];
  if (found.length === 0) return undefined;
  return found.flatMap(([, rest = '']) => rest.split(/\s+/).filter((word) => word !== ''));
}

/** Whether pip says that it has installed something. */
export const namesInstalled = (stdout: string): boolean => installedWords(stdout) !== undefined;

/** The lines of `pip freeze`, or what is in the folder that is installed into; nothing where pip does not say. */
export async function frozenLines(
  ctx: StateContext,
  { args, binEnv }: { readonly args: InstalledArgs; readonly binEnv: Value },
): Promise<string[]> {
  const folder = targetFolder(args);
  if (folder !== undefined)
    return [...packagesIn(folder)].map(([name, version]) => `${pyStr(name)}==${pyStr(version)}`).sort();
  const where: Dict = dict({ bin_env: binEnv, user: args.user, cwd: args.cwd, env_vars: args.env_vars });
  try {
    const lines = await ctx.functions.call('pip.freeze', [], where);
    return Array.isArray(lines) ? lines.map(pyStr) : [];
  } catch (error) {
    if (error instanceof CommandExecutionError || error instanceof CommandNotFoundError) return [];
    throw error;
  }
}

/**
 * The name and version of a line of `pip freeze` which says where the package comes from; undefined for other lines.
 */
function linkedName(line: string): string | undefined {
  const egg = /^-e .*[#&]egg=([^&]+)/.exec(line)?.[1];
  return egg ?? /^# Editable .*\(([^=)]+)==/.exec(line)?.[1];
}

/**
 * What is installed in editable mode the same way before and after: pip installs it anew at each run, and its files are
 * as they were.
 */
function stillLinked(before: readonly string[], after: readonly string[]): ReadonlySet<string> {
  const kept = after.filter((line) => before.includes(line));
  return new Set(kept.flatMap((line) => linkedName(line) ?? []).map(packageKey));
}

/**
 * Whether something is there now that was not.
 * @param stdout what pip says; nothing where it says the same each time, as of a folder that is installed into Salt
 *   compat: Salt takes each line of pip's for a change that it does not know, as one that a marker of a requirement
 *   does not fit or that a wheel is there already; and each run of an editable package.
 */
export function hasInstalled(
  stdout: string,
  {
    before,
    after,
    isForced,
  }: { readonly before: readonly string[]; readonly after: readonly string[]; readonly isForced: boolean },
): boolean {
  if (before.length !== after.length || before.some((line, i) => line !== after[i])) return true;
  const words = installedWords(stdout);
  if (words === undefined) return false;
  if (words.length === 0 || isForced) return true;
  const linked = stillLinked(before, after);
  const isLinkedWord = (word: string): boolean =>
    [...linked].some((key) => packageKey(word) === key || packageKey(word).startsWith(`${key}-`));
  return words.some((word) => !isLinkedWord(word));
}

/** Whether folders are those of packages that are installed in editable mode; false where only pip can say that. */
export function isLinked(editable: Value, frozen: readonly string[]): boolean {
  const linked = new Set(frozen.flatMap((line) => /^-e (\/.*)$/.exec(line)?.[1] ?? []).map(normPath));
  return commaList(editable).every((entry) => {
    const path = pyStr(entry).replace(/^file:\/\//, '');
    return path.startsWith('/') && linked.has(normPath(path.replace(/#.*$|\[[^\]]*\]$/g, '')));
  });
}

/** What is said of an editable package that is there. */
export const alreadyFrom = (editable: Value): string =>
  `Package was already installed from VCS checkout ${pyStr(editable)}.`;
