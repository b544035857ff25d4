/** Working with apk. Follows 3006.16 salt/modules/apkpkg.py. */
import { CommandExecutionError } from '../../../../errors/errors.ts';
import { isTrue } from '../../../../python/conversions.ts';
import { pyRepr, pyStr } from '../../../../python/values/repr.ts';
import { splitLines } from '../../../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { CommandProblem } from '../../../shared/command-problem.ts';
import { runAll, runStdout } from '../../../shared/program.ts';
import {
  addVersion,
  packageChanges,
  packageName,
  packageProblem,
  type Versions,
} from '../../../shared/packages.ts';
import { clearRefreshTag } from '../../module/refresh-tag.ts';

const TRACE = { output_loglevel: 'trace' } as const;
const INSTALLING = 'Problem encountered installing package(s)';

/** Which packages are meant. */
export interface ApkTargets {
  readonly name: Value;
  readonly pkgs: Value;
}

/** A package with its version: `musl-1.2.3-r4`. */
function splitVersion(line: string): [name: string, version: string] {
  const parts = line.split('-');
  return [parts.slice(0, -2).join('-'), parts.slice(-2).join('-')];
}

/** Installed packages and their versions. Salt compat: warnings of apk are no packages. */
export async function installedApk(ctx: ModuleContext): Promise<Versions> {
  const out = new Map<string, string[]>();
  for (const line of splitLines(await runStdout(ctx, ['apk', 'info', '-v'], TRACE))) {
    const [name, version] = splitVersion(line);
    if (name !== '') addVersion(out, name, version);
  }
  return out;
}

/** `pkg.refresh_db` @throws CommandProblem */
export async function refreshApk(ctx: ModuleContext): Promise<boolean> {
  clearRefreshTag(ctx);
  const { retcode, stdout } = await runAll(ctx, ['apk', 'update'], TRACE);
  if (retcode === 0) return true;
  throw new CommandProblem(INSTALLING, dict({ errors: [stdout], changes: false }));
}

/** What `apk upgrade -s` says: `(1/2) Upgrading musl (1.2.3-r4 -> 1.2.3-r5)`. */
function upgradesIn(said: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of splitLines(said)) {
    const [, , name, , , version] = line.split(' ');
    if (line.includes('Upgrading') && name !== undefined && version !== undefined)
      found.set(name, version.replace(/^\)+|\)+$/g, ''));
  }
  return found;
}

/** `pkg.list_upgrades` @throws CommandExecutionError */
export async function upgradesApk(ctx: ModuleContext, refresh: boolean): Promise<Dict> {
  if (refresh) await refreshApk(ctx);
  const { retcode, stdout, stderr } = await runAll(ctx, ['apk', 'upgrade', '-s'], TRACE);
  if (retcode !== 0) throw new CommandExecutionError(stderr + stdout);
  return new Map(upgradesIn(stdout));
}

/** `pkg.latest_version` */
export async function latestApk(ctx: ModuleContext, given: readonly Value[], kwargs: Dict): Promise<Value> {
  if (given.length === 0) return '';
  const names = given.map((each) => packageName(pyStr(each)));
  const installed = await installedApk(ctx);
  if (isTrue(kwargs.get('refresh') ?? true)) await refreshApk(ctx);
  const upgrades = upgradesIn(await runStdout(ctx, ['apk', 'upgrade', '-s'], TRACE));
  const found = new Map<Value, Value>();
  for (const name of names) found.set(name, upgrades.get(name) ?? (await searched(ctx, name, installed)));
  return names.length === 1 ? (found.get(names[0] ?? '') ?? '') : found;
}

/** The version that the repositories have of a package that is not to be upgraded; empty for the installed one. */
async function searched(ctx: ModuleContext, name: string, installed: Versions): Promise<string> {
  let found = '';
  for (const line of splitLines(await runStdout(ctx, ['apk', 'search', name], TRACE))) {
    const [other, version] = splitVersion(line);
    if (other === name) found = installed.get(name)?.join(',') === version ? '' : version;
  }
  return found;
}

function namesOf({ name, pkgs }: ApkTargets): string[] {
  const single = truthy(name) ? pyStr(name).split(',') : [];
  // Salt compat: with Salt a package of `pkgs` without a version is none; versions are no matter to either
  const several = (Array.isArray(pkgs) ? pkgs : []).map((each) =>
    isDict(each) ? pyStr([...each.keys()][0] ?? null) : pyStr(each),
  );
  return [...single, ...several].map(packageName);
}

async function changedBy(ctx: ModuleContext, words: readonly string[], problem: string): Promise<Dict> {
  const before = await installedApk(ctx);
  const { retcode, stderr } = await runAll(ctx, ['apk', ...words], TRACE);
  const changes = packageChanges(before, await installedApk(ctx));
  if (retcode !== 0 && stderr !== '') throw packageProblem(problem, [stderr], changes);
  return changes;
}

/** `pkg.install` @throws CommandProblem */
export async function installApk(
  ctx: ModuleContext,
  given: ApkTargets & { readonly sources: boolean; readonly refresh: boolean },
): Promise<Dict> {
  const isMany = truthy(given.pkgs) || given.sources;
  const names = namesOf({ name: isMany ? null : given.name, pkgs: given.pkgs });
  if (names.length === 0) return new Map();
  if (given.refresh) await refreshApk(ctx);
  const installed = await installedApk(ctx);
  const update = names.some((name) => installed.has(name)) ? ['-u'] : [];
  return changedBy(ctx, ['add', ...update, ...names], INSTALLING);
}

/** `pkg.remove`, `pkg.purge` @throws CommandProblem */
export async function removeApk(ctx: ModuleContext, given: ApkTargets, isPurging: boolean): Promise<Dict> {
  const names = namesOf(given);
  if (names.length === 0) return new Map();
  const words = ['del', ...(isPurging ? ['--purge'] : []), ...names];
  return changedBy(ctx, words, 'Problem encountered removing package(s)');
}

/** `pkg.upgrade` */
export async function upgradeApk(ctx: ModuleContext, given: ApkTargets, refresh: boolean): Promise<Dict> {
  if (refresh) await refreshApk(ctx);
  const before = await installedApk(ctx);
  const names = namesOf({ name: truthy(given.pkgs) ? null : given.name, pkgs: given.pkgs });
  const words = names.length === 0 ? ['upgrade'] : ['add', '-u', ...names];
  const { retcode, stdout } = await runAll(ctx, ['apk', ...words], { ...TRACE, redirect_stderr: true });
  const changes = packageChanges(before, await installedApk(ctx));
  return dict({ changes, result: retcode === 0, comment: retcode === 0 ? '' : stdout });
}

/** `pkg.file_list`, `pkg.file_dict` */
export async function filesApk(ctx: ModuleContext, packages: readonly Value[]): Promise<Value> {
  if (packages.length === 0) return 'Package name should be provided';
  const found = dict();
  for (const name of packages.map(pyStr)) {
    const { stdout } = await runAll(ctx, ['apk', 'info', '-L', packageName(name)], TRACE);
    const files = splitLines(stdout).filter((line) => !line.endsWith('contains:'));
    if (files.length > 0) found.set(name, files);
  }
  return dict({ errors: [], packages: found });
}

/** `pkg.owner` */
export async function ownersApk(ctx: ModuleContext, paths: readonly Value[]): Promise<Value> {
  if (paths.length === 0) return 'You must provide a path';
  const found = dict();
  for (const path of paths.map(pyStr)) {
    const words = ['apk', 'info', '-W', path];
    const said = await runStdout(ctx, words, TRACE);
    if (said === '') found.set(path, `Error running ${pyRepr(words)}`);
    else if (said.includes('ERROR:')) found.set(path, 'Could not find owner package');
    else found.set(path, (said.split('by ')[1] ?? '').trim());
  }
  return found;
}
