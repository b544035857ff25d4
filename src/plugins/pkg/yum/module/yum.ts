/** Working with dnf and yum. Follows 3006.16 salt/modules/yumpkg.py. */
import { SaltInvocationError } from '../../../../errors/errors.ts';
import { findProgram } from '../../../../host/which.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { isTrue } from '../../../../python/conversions.ts';
import { fnmatch } from '../../../../python/text/fnmatch.ts';
import { compilePattern } from '../../../../python/regex/pattern.ts';
import { compareText } from '../../../../python/values/order.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, toNumber, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { CommandProblem } from '../../../shared/command-problem.ts';
import { runAll, runText, type Ended } from '../../../shared/program.ts';
import { hasScope } from '../../../shared/systemd-host.ts';
import {
  dictChanges,
  packageChanges,
  packageName,
  packageProblem,
  parseTargets,
} from '../../../shared/packages.ts';
import { clearRefreshTag } from '../../module/refresh-tag.ts';
import {
  inputList,
  installedRpms,
  listRpms,
  machineArchitecture,
  normalRpmName,
  resolvedName,
  splitArchitecture,
} from './rpm.ts';
import { compareLoose, compareRpm, withoutEpoch } from '../../module/versions.ts';
import { settingFlag } from '../../../shared/settings.ts';

/** The program: the newest that is there. */
export function yumProgram(): string | undefined {
  return ['dnf5', 'dnf', 'tdnf', 'yum'].find((name) => findProgram(name) !== undefined);
}

/** True with dnf of any version. */
export const isDnf = (): boolean => yumProgram()?.startsWith('dnf') === true;

/** Runs the program, outside of the minion's service. */
export async function callYum(
  ctx: ModuleContext,
  args: readonly string[],
  keywords: Readonly<Record<string, Value>> = {},
): Promise<Ended> {
  const wanted = await settingFlag(ctx, ['systemd.scope', true]);
  const scope = wanted && (await hasScope(ctx)) ? ['systemd-run', '--scope'] : [];
  return runAll(ctx, [...scope, yumProgram() ?? 'yum', ...args], { output_loglevel: 'trace', ...keywords });
}

const OPTION_KEYWORDS = [
  'fromrepo',
  'repo',
  'enablerepo',
  'disablerepo',
  'disableexcludes',
  'branch',
  'setopt',
];

/** Options out of the keywords `fromrepo`, `enablerepo`, `disablerepo`, `disableexcludes`, `branch`, `setopt`. */
export function yumOptions(kwargs: Dict): string[] {
  const text = (name: string): string => (truthy(kwargs.get(name)) ? pyStr(kwargs.get(name) ?? '') : '');
  const from = text('fromrepo') || text('repo');
  const each = (name: string): string[] => {
    const value = kwargs.get(name);
    return Array.isArray(value) ? value.map(pyStr) : truthy(value) ? [pyStr(value ?? '')] : [];
  };
  const options =
    from !== ''
      ? ['--disablerepo=*', `--enablerepo=${from}`]
      : [
          ...each('disablerepo').map((name) => `--disablerepo=${name}`),
          ...each('enablerepo').map((name) => `--enablerepo=${name}`),
        ];
  if (text('disableexcludes') !== '') options.push(`--disableexcludes=${text('disableexcludes')}`);
  if (text('branch') !== '') options.push(`--branch=${text('branch')}`);
  return [...options, ...inputList(kwargs.get('setopt')).map((item) => `--setopt=${item}`)];
}

/** A package in a list of the program. */
export interface ListedPackage {
  readonly name: string;
  readonly arch: string;
  readonly version: string;
  readonly repository: string;
}

/** The three columns of `list`, which may stand on several lines; headings are left out. */
export function parseYumList(text: string, own: string): ListedPackage[] {
  const words = text
    .split('\n')
    .filter((line) => !/^([A-Z][a-z]+ (Packages|Upgrades)\s*$|Last metadata )/.test(line))
    .join(' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  const packages: ListedPackage[] = [];
  for (let i = 0; i + 2 < words.length; i += 3) {
    const [full = '', version = '', repository = ''] = words.slice(i, i + 3);
    const at = full.lastIndexOf('.');
    const [name, arch] = at < 0 ? [full, own] : [full.slice(0, at), full.slice(at + 1)];
    packages.push({
      name: resolvedName(name, arch, own),
      arch,
      version: version.replace(/-+$/, ''),
      repository: repository.replace(/^@+/, ''),
    });
  }
  return packages;
}

/** `pkg.refresh_db`: True when there are upgrades, None when there are none, False when it fails. */
export async function refreshYum(ctx: ModuleContext, kwargs: Dict, check = true): Promise<boolean | null> {
  clearRefreshTag(ctx);
  const options = yumOptions(kwargs);
  const quiet = { ignore_retcode: true };
  await callYum(ctx, ['--quiet', '--assumeyes', 'clean', 'expire-cache', ...options], quiet);
  if (!check) return true;
  const { retcode } = await callYum(ctx, ['--quiet', '--assumeyes', 'check-update', ...options], quiet);
  return retcode === 100 ? true : retcode === 0 ? null : false;
}

/** `pkg.latest_version`: versions newer than the installed ones, empty where there is none. */
export async function latestYum(ctx: ModuleContext, names: readonly Value[], kwargs: Dict): Promise<Value> {
  if (names.length === 0) return '';
  if (isTrue(kwargs.get('refresh') ?? true)) await refreshYum(ctx, kwargs);
  const wanted = names.map((name) => packageName(pyStr(name)));
  const words = ['--quiet', ...yumOptions(kwargs), 'list', 'available', ...wanted];
  const { retcode, stdout } = await callYum(ctx, words, { ignore_retcode: true });
  const own = machineArchitecture(ctx);
  const listed = retcode === 0 ? parseYumList(stdout, own) : [];
  listed.sort((a, b) => compareLoose(b.version, a.version));
  const installed = await installedRpms(ctx);
  const isNewer = ({ name, version }: ListedPackage): boolean =>
    !(installed.get(name) ?? []).some((old) => compareRpm(old, version) >= 0);
  const out = new Map<Value, Value>(
    wanted.map((name) => [name, listed.find((each) => each.name === name && isNewer(each))?.version ?? '']),
  );
  return wanted.length === 1 ? (out.get(wanted[0] ?? '') ?? '') : out;
}

/** `pkg.list_upgrades` */
export async function upgradableYum(ctx: ModuleContext, refresh: boolean, kwargs: Dict): Promise<Dict> {
  if (refresh) await refreshYum(ctx, kwargs, false);
  const words = ['--quiet', ...yumOptions(kwargs), 'list', isDnf() ? '--upgrades' : 'updates'];
  const { stdout } = await callYum(ctx, words, { ignore_retcode: true });
  return new Map(parseYumList(stdout, machineArchitecture(ctx)).map(({ name, version }) => [name, version]));
}

/** `pkg.remove`. @throws CommandExecutionError `Error occurred removing package(s)` */
export async function removeYum(
  ctx: ModuleContext,
  given: { readonly name: Value; readonly pkgs: Value },
  kwargs: Dict,
): Promise<Dict> {
  const targets = await parseTargets(ctx, { ...given, sources: null }, (each) => normalRpmName(ctx, each));
  if (targets?.kind !== 'repository') return new Map();
  const old = await installedRpms(ctx);
  const isSplit = truthy(kwargs.get('split_arch') ?? true);
  const words: string[] = [];
  for (const [pattern, version] of targets.packages) {
    const matching = pattern.includes('*')
      ? [...old.keys()].filter((each) => fnmatch(each, pattern))
      : [pattern];
    for (const each of matching) {
      const installed = old.get(each);
      if (installed === undefined || (version !== null && !installed.includes(version))) continue;
      const { name, arch } = isSplit ? splitArchitecture(each) : { name: each, arch: undefined };
      const suffix = arch === undefined ? '' : `.${arch}`;
      words.push(packageName(version === null ? each : `${name}-${withoutEpoch(version)}${suffix}`));
    }
  }
  if (words.length === 0) return new Map();
  const { retcode, stderr } = await callYum(ctx, ['-y', 'remove', ...words]);
  const changes = packageChanges(old, await installedRpms(ctx));
  if (retcode !== 0 && stderr !== '')
    throw packageProblem('Error occurred removing package(s)', [stderr], changes);
  return changes;
}

/** What `pkg.upgrade` is asked for. */
export interface YumUpgrade {
  readonly name: Value;
  readonly pkgs: Value;
  readonly refresh: boolean;
  readonly skip_verify: Value;
  readonly normalize: boolean;
  readonly minimal: Value;
  readonly obsoletes: boolean;
  readonly diff_attr: Value;
}

/** Keywords that Salt hands on to the program as options of the same names. */
function furtherOptions(kwargs: Dict): string[] {
  return [...kwargs]
    .map(([name, value]): [string, Value] => [pyStr(name), value])
    .filter(([name]) => /^[a-z]/.test(name) && !OPTION_KEYWORDS.includes(name))
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([name, value]) =>
      typeof value === 'string' ? [`--${name}=${value}`] : value === true ? [`--${name}`] : [],
    );
}

/** `pkg.upgrade`. @throws CommandExecutionError `Problem encountered upgrading packages` */
export async function upgradeYum(ctx: ModuleContext, given: YumUpgrade, kwargs: Dict): Promise<Dict> {
  const withObsoletes = given.obsoletes;
  const setopt = inputList(kwargs.get('setopt')).filter((item) => !item.startsWith('obsoletes='));
  const words =
    isDnf() && !withObsoletes ? new Map(kwargs).set('setopt', [...setopt, 'obsoletes=False']) : kwargs;
  if (given.refresh) await refreshYum(ctx, words);
  const attr = { asList: false, attr: given.diff_attr };
  const old = await listRpms(ctx, attr);
  const wantsSome = truthy(given.name) || truthy(given.pkgs);
  const targets = wantsSome
    ? await parseTargets(ctx, { name: given.name, pkgs: given.pkgs, sources: null }, (name) =>
        given.normalize ? normalRpmName(ctx, name) : name,
      )
    : undefined;
  if (wantsSome && targets === undefined) return new Map();
  const names = targets?.kind === 'repository' ? [...targets.packages.keys()].map(packageName) : [];
  const verify = truthy(given.skip_verify) ? ['--nogpgcheck'] : [];
  const verb = withObsoletes || isDnf() ? 'upgrade' : 'update';
  const { retcode, stdout, stderr, pid } = await callYum(ctx, [
    ...['--quiet', '-y', ...yumOptions(words), ...furtherOptions(words), ...verify],
    ...[truthy(given.minimal) ? `${verb}-minimal` : verb, ...names],
  ]);
  const changes = dictChanges(old, await listRpms(ctx, attr));
  if (retcode !== 0)
    throw new CommandProblem(
      'Problem encountered upgrading packages',
      dict({ changes, result: { pid, retcode, stdout, stderr } }),
    );
  return changes;
}

/** The package that brings the command `versionlock`. @throws SaltInvocationError with tdnf */
function versionlockPackage(ctx: ModuleContext): string {
  const major = toNumber(ctx.grains.get('osmajorrelease')) ?? 0;
  if (isDnf()) {
    const isNew = ctx.grains.get('os') === 'Fedora' ? major >= 26 : major >= 8;
    return isNew ? 'python3-dnf-plugin-versionlock' : 'python2-dnf-plugin-versionlock';
  }
  if (yumProgram() === 'tdnf') throw new SaltInvocationError('Cannot proceed, no versionlock for tdnf');
  return major === 5 ? 'yum-versionlock' : 'yum-plugin-versionlock';
}

/** @throws SaltInvocationError `Cannot proceed, X is not installed.` */
export async function checkVersionlock(ctx: ModuleContext): Promise<void> {
  const plugin = versionlockPackage(ctx);
  if (!(await installedRpms(ctx)).has(plugin))
    throw new SaltInvocationError(`Cannot proceed, ${plugin} is not installed.`);
}

/** What the name of a held package looks like to Salt. */
export const HOLD_PATTERN = '[\\w+]+(?:[.-][^-]+)*';

/** The name alone of `name-epoch:version-release.arch`. */
export function heldName(full: string): string {
  return full
    .replace(/^\d+:/, '')
    .replace(/\.[^.]*$/, '')
    .replace(/-[^-]*$/, '')
    .replace(/-[^-]*$/, '');
}

/** What `versionlock` keeps. @throws SaltInvocationError `Cannot proceed, X is not installed.` */
export async function lockedPackages(
  ctx: ModuleContext,
  isFull: boolean,
  pattern: string = HOLD_PATTERN,
): Promise<string[]> {
  await checkVersionlock(ctx);
  const text = await runText(ctx, [yumProgram() ?? 'yum', 'versionlock', 'list']);
  const found = compilePattern(isDnf() ? `(${pattern}-\\S+)` : `(\\d+:${pattern}-\\S+)`);
  return text.split('\n').flatMap((line) => {
    const full = found.search(line)?.group(1);
    return full === undefined ? [] : [isFull ? full : heldName(full)];
  });
}
