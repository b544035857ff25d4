/** What repositories, the cache and advisories have, with dnf and yum. Follows 3006.16 salt/modules/yumpkg.py. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { walk } from '../../../../host/file-operations.ts';
import { joinPath, pathExists } from '../../../../python/paths.ts';
import { findProgram } from '../../../../host/which.ts';
import { isTrue } from '../../../../python/conversions.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { runStdout, runText } from '../../../shared/program.ts';
import { isSystemdBooted } from '../../../shared/systemd-host.ts';
import { packageName } from '../../../shared/packages.ts';
import { inputList, machineArchitecture } from './rpm.ts';
import { diffPackageFile, rpmFileInfo } from './rpm-info.ts';
import { compareLoose } from '../../module/versions.ts';
import { callYum, isDnf, parseYumList, yumProgram } from './yum.ts';
import { listRepositories } from './yum-repositories.ts';

/** The repositories that keywords leave: `fromrepo`, or the enabled ones with `enablerepo`, without `disablerepo`. */
function repositoriesOf(ctx: ModuleContext, kwargs: Dict): string[] {
  const words = (name: string): string[] => inputList(kwargs.get(name)).filter((word) => word !== '*');
  const from = words('fromrepo');
  if (from.length > 0) return from;
  const [enabled, disabled] = [words('enablerepo'), words('disablerepo')];
  const isOn = (id: string, options: Dict): boolean =>
    enabled.includes(id) || (!disabled.includes(id) && pyStr(options.get('enabled') ?? '1') === '1');
  return [...listRepositories(ctx, null, kwargs)].filter(([id, each]) => isOn(id, each)).map(([id]) => id);
}

/** Versions by package by repository, newest first. @param names names and globs; all packages without any */
async function versionsByRepository(
  ctx: ModuleContext,
  names: readonly string[],
  kwargs: Dict,
): Promise<Map<string, Map<string, string[]>>> {
  const out = new Map<string, Map<string, string[]>>();
  for (const repository of repositoriesOf(ctx, kwargs)) {
    const which =
      yumProgram() === 'tdnf'
        ? ['--quiet', `--enablerepo=${repository}`, 'list']
        : ['--quiet', '--showduplicates', 'repository-packages', repository, 'list'];
    const cached = truthy(kwargs.get('cacheonly')) ? ['-C'] : [];
    const { retcode, stdout } = await callYum(ctx, [...which, ...cached, ...names.map(packageName)], {
      ignore_retcode: true,
    });
    if (retcode !== 0 && stdout.includes('Error:')) continue;
    for (const { name, version, repository: id } of parseYumList(stdout, machineArchitecture(ctx))) {
      const packages = out.get(id) ?? new Map<string, string[]>();
      out.set(id, packages);
      packages.set(name, [...new Set([...(packages.get(name) ?? []), version])]);
    }
  }
  return out;
}

const newestFirst = (versions: readonly string[]): string[] =>
  [...versions].sort((a, b) => compareLoose(b, a));

/** Versions by package, newest first. */
export async function repositoryRpms(
  ctx: ModuleContext,
  names: readonly string[],
  kwargs: Dict,
): Promise<Map<string, string[]>> {
  const out = new Map<string, string[]>();
  for (const packages of (await versionsByRepository(ctx, names, kwargs)).values())
    for (const [name, versions] of packages) out.set(name, [...(out.get(name) ?? []), ...versions]);
  return new Map([...out].map(([name, versions]) => [name, newestFirst(versions)]));
}

/** `pkg.list_repo_pkgs`. Keywords: `fromrepo`, `enablerepo`, `disablerepo`, `byrepo`, `cacheonly`. */
export async function listRepositoryRpms(
  ctx: ModuleContext,
  names: readonly Value[],
  kwargs: Dict,
): Promise<Dict> {
  const wanted = names.map(pyStr);
  if (!truthy(kwargs.get('byrepo'))) return new Map<Value, Value>(await repositoryRpms(ctx, wanted, kwargs));
  const found = await versionsByRepository(ctx, wanted, kwargs);
  return new Map(
    [...found].map(([id, packages]): [Value, Value] => [
      id,
      new Map([...packages].map(([name, versions]): [Value, Value] => [name, newestFirst(versions)])),
    ]),
  );
}

/** `pkg.list_downloaded`: package files in the program's cache. */
export async function downloadedRpms(ctx: ModuleContext): Promise<Dict> {
  const out: Dict = new Map();
  for (const { path, files } of walk(`/var/cache/${yumProgram() ?? 'yum'}`)) {
    for (const file of files.filter((name) => name.endsWith('.rpm'))) {
      const place = joinPath(path, file);
      const info = await rpmFileInfo(ctx, place, 'base');
      if (info === null) continue;
      const facts = statSync(place);
      const seconds = Math.trunc(facts.ctimeMs / 1000);
      const name = info.get('name') ?? '';
      const known = out.get(name);
      const versions: Dict = isDict(known) ? known : new Map();
      const entry = dict({
        path: place,
        size: facts.size,
        creation_date_time_t: seconds,
        creation_date_time: localIso(seconds),
      });
      out.set(name, versions.set(info.get('version') ?? '', entry));
    }
  }
  return out;
}

/** A time of this machine's zone without the zone. */
function localIso(seconds: number): string {
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** `pkg.download`: files by package. @throws CommandExecutionError, SaltInvocationError */
export async function downloadRpms(ctx: ModuleContext, packages: readonly Value[]): Promise<Dict> {
  if (findProgram('yumdownloader') === undefined)
    throw new CommandExecutionError("'yumdownloader' command not available");
  if (packages.length === 0) throw new SaltInvocationError('No packages were specified');
  const names = packages.map((name) => packageName(pyStr(name)));
  const folder = `/var/cache/${yumProgram() ?? 'yum'}/packages`;
  mkdirSync(folder, { recursive: true });
  const filesOf = (name: string): string[] =>
    readdirSync(folder).filter((file) => file.startsWith(`${name}-`));
  for (const name of names) for (const file of filesOf(name)) rmSync(joinPath(folder, file));
  const words = ['yumdownloader', '-q', `--destdir=${folder}`, ...names];
  await runText(ctx, words, { output_loglevel: 'trace' });
  const out: Dict = new Map();
  for (const name of names) {
    const file = filesOf(name).find((each) => each.endsWith('.rpm'));
    if (file !== undefined) out.set(name, joinPath(folder, file));
  }
  const failed = names.filter((name) => !out.has(name));
  if (out.size === 0)
    throw new CommandExecutionError(`Unable to download any of the following packages: ${names.join(', ')}`);
  if (failed.length > 0)
    out.set('_error', `The following package(s) failed to download: ${failed.join(', ')}`);
  return out;
}

/** `pkg.diff`: files as they are against how they were in their packages, which are downloaded for that. */
export async function diffRpms(ctx: ModuleContext, paths: readonly Value[]): Promise<Dict> {
  const out: Dict = new Map();
  const byPackage = new Map<string, string[]>();
  for (const path of paths.map(pyStr)) {
    const owner = pyStr(await ctx.functions.call('lowpkg.owner', [path]));
    if (owner === '') out.set(path, pathExists(path) ? 'Not managed' : 'N/A');
    else byPackage.set(owner, [...(byPackage.get(owner) ?? []), path]);
  }
  if (byPackage.size === 0) return out;
  const files = await downloadRpms(ctx, [...byPackage.keys()]);
  for (const [name, owned] of byPackage) {
    const file = files.get(name);
    for (const path of owned) {
      const shown = file === undefined ? '' : await diffPackageFile(ctx, pyStr(file), path);
      out.set(path, truthy(shown) ? shown : 'Unchanged');
    }
  }
  return out;
}

/** `pkg.list_patches`: advisories and their packages. */
export async function advisories(ctx: ModuleContext, onlyInstalled: boolean): Promise<Dict> {
  const words = [yumProgram() ?? 'yum', '--quiet', 'updateinfo', 'list', 'all'];
  const found = new Map<string, { installed: boolean; readonly summary: string[] }>();
  for (const line of (await runStdout(ctx, words)).split('\n')) {
    const [, mark, id, , name] = /^([i|\s]) (\S+) +(\S+) +(\S+)/.exec(line) ?? [];
    if (id === undefined || name === undefined) continue;
    const entry = found.get(id) ?? { installed: true, summary: [] };
    entry.summary.push(name);
    entry.installed = entry.installed && mark === 'i';
    found.set(id, entry);
  }
  return new Map(
    [...found]
      .filter(([, { installed }]) => !onlyInstalled || installed)
      .map(([id, { installed, summary }]): [Value, Value] => [id, dict({ installed, summary })]),
  );
}

/** `pkg.services_need_restart`. @throws CommandExecutionError without dnf or systemd */
export async function servicesToRestart(ctx: ModuleContext): Promise<string[]> {
  if (!isDnf()) throw new CommandExecutionError('dnf or dnf5 is required to list outdated services.');
  if (!isSystemdBooted()) throw new CommandExecutionError('systemd is required to list outdated services.');
  const text = await runStdout(ctx, [yumProgram() ?? 'dnf', '--quiet', 'needs-restarting']);
  const services = text.split('\n').flatMap((line) => {
    const pid = /^\s*(\d+)\s*:/.exec(line)?.[1];
    return pid === undefined ? [] : (serviceOf(pid) ?? []);
  });
  return [...new Set(services)];
}

/** The unit of a process, without `.service`. */
function serviceOf(pid: string): string | undefined {
  const path = `/proc/${pid}/cgroup`;
  if (!existsSync(path)) return undefined;
  return /\/([^/\n]+)\.service(?:\/|$)/m.exec(readFileSync(path, 'utf8'))?.[1];
}

/** `pkg.info_installed`: as `lowpkg.info`, with `source` for `source_rpm`. */
export async function infoInstalled(
  ctx: ModuleContext,
  names: readonly Value[],
  kwargs: Dict,
): Promise<Dict> {
  const found = await ctx.functions.call('lowpkg.info', names, kwargs);
  const shown = (entry: Value): Value =>
    isDict(entry)
      ? new Map([...entry].map(([key, value]) => [key === 'source_rpm' ? 'source' : key, value]))
      : entry;
  const all = isTrue(kwargs.get('all_versions') ?? false);
  return new Map(
    [...(isDict(found) ? found : [])].map(([name, entry]): [Value, Value] => [
      name,
      all && Array.isArray(entry) ? entry.map(shown) : shown(entry),
    ]),
  );
}
