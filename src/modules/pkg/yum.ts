/** Working with dnf and yum. Follows 3006.16 salt/modules/yumpkg.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import type { ModuleContext } from '../../loader/module.ts';
import { isTrue } from '../../loader/coerce.ts';
import { fnmatch } from '../../text/fnmatch.ts';
import { pyStr } from '../../values/repr.ts';
import { truthy, type Dict, type Value } from '../../values/value.ts';
import { runAll, type Ended } from '../program.ts';
import { hasScope } from '../systemd-host.ts';
import { packageChanges, packageName, parseTargets, type Versions } from './packages.ts';
import {
  installedRpms,
  machineArchitecture,
  normalRpmName,
  resolvedName,
  rpmProblem,
  splitArchitecture,
} from './rpm.ts';
import { compareRpm, matchVersion } from './versions.ts';

/** The program: the newest that is there. */
export function yumProgram(): string | undefined {
  return ['dnf5', 'dnf', 'tdnf', 'yum'].find((name) => findProgram(name) !== undefined);
}

const isDnf = (): boolean => yumProgram()?.startsWith('dnf') === true;

/** Runs the program, outside of the minion's service. */
export async function callYum(
  ctx: ModuleContext,
  args: readonly string[],
  keywords: Readonly<Record<string, Value>> = {},
): Promise<Ended> {
  const wanted = await ctx.functions.call('config.get', ['systemd.scope', true]);
  const scope = truthy(wanted) && (await hasScope(ctx)) ? ['systemd-run', '--scope'] : [];
  return runAll(ctx, [...scope, yumProgram() ?? 'yum', ...args], { output_loglevel: 'trace', ...keywords });
}

const listOf = (value: Value | undefined): string[] =>
  !truthy(value)
    ? []
    : (Array.isArray(value) ? value : pyStr(value ?? '').split(',')).map((word) => pyStr(word).trim());

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
  return [...options, ...listOf(kwargs.get('setopt')).map((item) => `--setopt=${item}`)];
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
  listed.sort((a, b) => compareRpm(b.version, a.version));
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

/** What `pkg.install` is asked for. */
export interface YumOrder {
  readonly name: Value;
  readonly pkgs: Value;
  readonly sources: Value;
  readonly refresh: Value;
  readonly skip_verify: Value;
  readonly downloadonly: Value;
  readonly reinstall: Value;
  readonly ignore_epoch: Value;
}

/** Which packages go by which command. */
interface YumPlan {
  readonly install: string[];
  readonly downgrade: string[];
  readonly reinstall: string[];
}

/** `pkg.install`. @throws CommandExecutionError `Error occurred installing package(s)` */
export async function installYum(ctx: ModuleContext, order: YumOrder, kwargs: Dict): Promise<Dict> {
  const targets = await parseTargets(ctx, { ...order, version: kwargs.get('version') ?? null }, (name) =>
    kwargs.get('normalize') === false ? name : normalRpmName(ctx, name),
  );
  if (targets === undefined) return new Map();
  if (isTrue(order.refresh)) await refreshYum(ctx, kwargs);
  const old = await installedRpms(ctx);
  const errors: string[] = [];
  const plan: YumPlan = { install: [], downgrade: [], reinstall: [] };
  if (targets.kind === 'file') plan.install.push(...targets.paths.map((path) => packageName(path)));
  else
    for (const [name, version] of targets.packages)
      await planPackage(ctx, { name: packageName(name), version, old, order, kwargs, plan, errors });
  const common = [
    ...yumOptions(kwargs),
    ...(truthy(order.skip_verify) ? ['--nogpgcheck'] : []),
    ...(truthy(order.downloadonly) ? ['--downloadonly'] : []),
  ];
  for (const [verb, names] of Object.entries(plan)) {
    if (names.length === 0) continue;
    const best = verb === 'install' && isDnf() ? ['--best', '--allowerasing'] : [];
    const { retcode, stdout } = await callYum(ctx, ['-y', ...best, ...common, verb, ...names], {
      redirect_stderr: true,
    });
    if (retcode !== 0) errors.push(stdout);
  }
  const now = await installedRpms(ctx);
  const changes = packageChanges(old, now);
  for (const name of plan.reinstall) {
    const bare = splitArchitecture(name).name;
    const version = (now.get(bare) ?? []).join(',');
    if (!changes.has(bare) && version !== '')
      changes.set(
        bare,
        new Map([
          ['old', version],
          ['new', version],
        ]),
      );
  }
  if (errors.length > 0) {
    const what = plan.reinstall.length > 0 ? '/reinstalling' : '';
    throw rpmProblem(`Error occurred installing${what} package(s)`, errors, changes);
  }
  return changes;
}

interface Planning {
  readonly name: string;
  readonly version: string | null;
  readonly old: Versions;
  readonly order: YumOrder;
  readonly kwargs: Dict;
  readonly plan: YumPlan;
  readonly errors: string[];
}

async function planPackage(ctx: ModuleContext, planning: Planning): Promise<void> {
  const { name, order, old, plan, errors } = planning;
  const current = old.get(name) ?? [];
  let { version } = planning;
  if (version === null) {
    (truthy(order.reinstall) && current.length > 0 ? plan.reinstall : plan.install).push(name);
    return;
  }
  if (/^[<>=!]/.test(version) || version.includes('*')) {
    const available = await availableVersions(ctx, name, planning.kwargs);
    const found = version.includes('*')
      ? available.find((each) => fnmatch(each, version ?? ''))
      : matchVersion(version, available, compareRpm, truthy(order.ignore_epoch));
    if (found === undefined) {
      errors.push(
        `No version matching '${name}${version.includes('*') ? `=${version}` : version}' could be found (available: ${available.join(', ') || 'None'})`,
      );
      return;
    }
    version = found;
  }
  const { name: bare, arch } = splitArchitecture(name);
  const full = `${bare}-${version}${arch === undefined ? '' : `.${arch}`}`;
  const orders = current.map((installed) => compareRpm(version ?? '', installed));
  if (orders.length === 0 || orders.every((each) => each > 0)) plan.install.push(full);
  else if (orders.some((each) => each === 0)) {
    if (truthy(order.reinstall)) plan.reinstall.push(full);
  } else plan.downgrade.push(full);
}

async function availableVersions(ctx: ModuleContext, name: string, kwargs: Dict): Promise<string[]> {
  const words = ['--quiet', ...yumOptions(kwargs), 'list', '--showduplicates', 'available', name];
  const { stdout } = await callYum(ctx, words, { ignore_retcode: true });
  const versions = parseYumList(stdout, machineArchitecture(ctx)).map((each) => each.version);
  return [...new Set(versions)].sort((a, b) => compareRpm(b, a));
}

/** `pkg.remove`. @throws CommandExecutionError `Error occurred removing package(s)` */
export async function removeYum(ctx: ModuleContext, name: Value, pkgs: Value): Promise<Dict> {
  const targets = await parseTargets(ctx, { name, pkgs, sources: null }, (each) => normalRpmName(ctx, each));
  if (targets?.kind !== 'repository') return new Map();
  const old = await installedRpms(ctx);
  const words: string[] = [];
  for (const [pattern, version] of targets.packages) {
    const matching = pattern.includes('*')
      ? [...old.keys()].filter((each) => fnmatch(each, pattern))
      : [pattern];
    for (const each of matching) {
      const installed = old.get(each);
      if (installed === undefined || (version !== null && !installed.includes(version))) continue;
      const { name: bare, arch } = splitArchitecture(each);
      const suffix = arch === undefined ? '' : `.${arch}`;
      words.push(packageName(version === null ? each : `${bare}-${version.replace(/^\d+:/, '')}${suffix}`));
    }
  }
  if (words.length === 0) return new Map();
  const { retcode, stderr } = await callYum(ctx, ['-y', 'remove', ...words]);
  const changes = packageChanges(old, await installedRpms(ctx));
  if (retcode !== 0 && stderr !== '')
    throw rpmProblem('Error occurred removing package(s)', [stderr], changes);
  return changes;
}

/** `pkg.upgrade`. @throws CommandExecutionError `Problem encountered upgrading packages` */
export async function upgradeYum(
  ctx: ModuleContext,
  given: {
    readonly name: Value;
    readonly pkgs: Value;
    readonly refresh: Value;
    readonly skip_verify: Value;
    readonly minimal: Value;
  },
  kwargs: Dict,
): Promise<Dict> {
  if (isTrue(given.refresh)) await refreshYum(ctx, kwargs);
  const old = await installedRpms(ctx);
  const wantsSome = truthy(given.name) || truthy(given.pkgs);
  const targets = wantsSome
    ? await parseTargets(ctx, { name: given.name, pkgs: given.pkgs, sources: null }, (name) =>
        normalRpmName(ctx, name),
      )
    : undefined;
  if (wantsSome && targets === undefined) return new Map();
  const names = targets?.kind === 'repository' ? [...targets.packages.keys()].map(packageName) : [];
  const verify = truthy(given.skip_verify) ? ['--nogpgcheck'] : [];
  const verb = truthy(given.minimal) ? 'upgrade-minimal' : 'upgrade';
  const { retcode, stdout, stderr } = await callYum(ctx, [
    '--quiet',
    '-y',
    ...yumOptions(kwargs),
    ...verify,
    verb,
    ...names,
  ]);
  const changes = packageChanges(old, await installedRpms(ctx));
  if (retcode !== 0) throw rpmProblem('Problem encountered upgrading packages', [stderr || stdout], changes);
  return changes;
}

/** Names of the packages that `versionlock` keeps. @throws SaltInvocationError `Cannot proceed, X is not installed.` */
export async function lockedPackages(ctx: ModuleContext, isFull: boolean): Promise<string[]> {
  const plugin = isDnf() ? 'python3-dnf-plugin-versionlock' : 'yum-plugin-versionlock';
  const installed = await installedRpms(ctx);
  if (yumProgram() !== 'dnf5' && ![plugin, 'yum-versionlock'].some((name) => installed.has(name)))
    throw new SaltInvocationError(`Cannot proceed, ${plugin} is not installed.`);
  const { stdout } = await callYum(ctx, ['versionlock', 'list']);
  const pattern = isDnf() ? /([\w+]+(?:[.-][^-]+)*-\S+)/ : /(\d+:[\w+]+(?:[.-][^-]+)*-\S+)/;
  return stdout.split('\n').flatMap((line) => {
    const full = pattern.exec(line)?.[1];
    if (full === undefined || line.startsWith('#') || line.includes(': ')) return [];
    if (isFull) return [full];
    return [
      full
        .replace(/^\d+:/, '')
        .replace(/\.[^.]*$/, '')
        .replace(/-[^-]*$/, '')
        .replace(/-[^-]*$/, ''),
    ];
  });
}
