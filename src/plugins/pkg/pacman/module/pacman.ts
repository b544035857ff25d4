/** Working with pacman. Follows 3006.16 salt/modules/pacmanpkg.py. */
import { CommandExecutionError } from '../../../../errors/errors.ts';
import { isTrue } from '../../../../python/conversions.ts';
import { pathExists } from '../../../../python/paths.ts';
import { fnmatch } from '../../../../python/text/fnmatch.ts';
import { compareText } from '../../../../python/values/order.ts';
import { pyRepr, pyStr } from '../../../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import { refuseKeywords } from '../../../../runtime/loader/bind.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { CommandProblem } from '../../../shared/command-problem.ts';
import { runAll, runStdout, runText } from '../../../shared/program.ts';
import { hasScope } from '../../../shared/systemd-host.ts';
import {
  addVersion,
  packageChanges,
  packageName,
  packageProblem,
  parseTargets,
  type Versions,
} from '../../../shared/packages.ts';
import { clearRefreshTag } from '../../module/refresh-tag.ts';
import { compareLoose } from '../../module/versions.ts';
import { settingFlag } from '../../../shared/settings.ts';

const TRACE = { output_loglevel: 'trace' } as const;
const UNATTENDED = ['--noprogressbar', '--noconfirm'] as const;

const rootWords = (root: Value | undefined): string[] =>
  root === undefined || root === null ? [] : ['-r', pyStr(root)];

/** pacman with what changes the machine, outside of the minion's service. */
async function changing(ctx: ModuleContext, words: readonly string[]): Promise<string[]> {
  const wanted = (await hasScope(ctx)) && (await settingFlag(ctx, ['systemd.scope', true]));
  return [...(wanted ? ['systemd-run', '--scope'] : []), 'pacman', ...words];
}

/** Installed packages and their versions. */
export async function installedPacman(ctx: ModuleContext, root?: Value): Promise<Versions> {
  const text = await runText(ctx, ['pacman', '-Q', ...rootWords(root)], TRACE);
  const out = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [name, version] = line.split(/\s+/);
    if (line === '') continue;
    if (name === undefined || version === undefined)
      ctx.log.error(`Problem parsing pacman -Q: Unexpected formatting in line: '${line}'`);
    else addVersion(out, name, version);
  }
  return out;
}

/** `pkg.latest_version`: what would be installed, empty where there is nothing newer. */
export async function latestPacman(
  ctx: ModuleContext,
  names: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  if (names.length === 0) return '';
  if (isTrue(kwargs.get('refresh') ?? false)) await refreshPacman(ctx, null);
  const wanted = names.map((name) => packageName(pyStr(name)));
  const out: Dict = new Map(wanted.map((name): [Value, Value] => [name, '']));
  const words = ['-Sp', '--needed', '--print-format', '%n %v', ...wanted, ...rootWords(kwargs.get('root'))];
  for (const line of (await runStdout(ctx, ['pacman', ...words], TRACE)).split('\n')) {
    const [name, version, more] = line.trim().split(/\s+/);
    if (name !== undefined && version !== undefined && more === undefined && out.has(name))
      out.set(name, version);
  }
  return wanted.length === 1 ? (out.get(wanted[0] ?? '') ?? '') : out;
}

/** `pkg.list_upgrades` @throws CommandExecutionError `Error listing upgrades` */
export async function upgradesPacman(ctx: ModuleContext, refresh: boolean, root: Value): Promise<Dict> {
  const words = ['-S', '-p', '-u', '--print-format', '%n %v', ...rootWords(root), ...(refresh ? ['-y'] : [])];
  const { retcode, stdout, stderr } = await runAll(ctx, ['pacman', ...words], TRACE);
  const said = stderr + stdout;
  if (retcode !== 0)
    throw new CommandExecutionError(`Error listing upgrades${said === '' ? '' : `: ${said}`}`);
  const out: Dict = new Map();
  for (const line of stdout.split('\n')) {
    const [name, version, more] = line.trim().split(/\s+/);
    // Salt compat: what pacman 6 says of lists that it fetches, `tiny downloading...`, is no package to ours
    if (name === undefined || version === undefined || more !== undefined || isFetching(name, version))
      continue;
    out.set(name, version);
  }
  return out;
}

const isFetching = (first: string, second: string): boolean =>
  second.startsWith('downloading') || (first === 'downloading' && second.includes('.db'));

/** `pkg.refresh_db`: whether each repository was fetched anew. @throws CommandExecutionError */
export async function refreshPacman(ctx: ModuleContext, root: Value): Promise<Dict> {
  clearRefreshTag(ctx);
  const { retcode, stdout, stderr } = await runAll(ctx, ['pacman', '-Sy', ...rootWords(root)], {
    ...TRACE,
    env: { LANG: 'C' },
  });
  if (retcode !== 0) throw new CommandExecutionError(`Error refreshing package database: ${stderr}`);
  const out: Dict = new Map();
  for (const line of stdout.split('\n').map((each) => each.trim())) {
    const [first = '', second = ''] = line.split(/\s+/);
    if (line === '' || line.startsWith('::')) continue;
    if (line.includes('is up to date')) out.set(first, false);
    // Salt compat: pacman 6 names the repository first, which Salt takes for another word
    else if (line.includes('downloading'))
      out.set((first === 'downloading' ? second : first).split('.')[0] ?? '', true);
  }
  return out;
}

/** `pkg.list_repo_pkgs`. Keywords: `fromrepo`, `byrepo`, `refresh`. @throws SaltInvocationError for others */
export async function repositoryPacman(
  ctx: ModuleContext,
  names: readonly Value[],
  kwargs: Dict,
): Promise<Dict> {
  refuseKeywords(kwargs, ['fromrepo', 'byrepo', 'refresh']);
  if (truthy(kwargs.get('refresh'))) await refreshPacman(ctx, null);
  const from = kwargs.get('fromrepo');
  const repositories = truthy(from)
    ? pyStr(from ?? '')
        .split(',')
        .map((word) => word.trim())
    : [];
  const all = await availablePacman(ctx, names.map(pyStr), repositories);
  if (truthy(kwargs.get('byrepo')))
    return new Map([...all].map(([repository, packages]): [Value, Value] => [repository, new Map(packages)]));
  return new Map(joined(all));
}

/** Versions by package by repository. */
async function availablePacman(
  ctx: ModuleContext,
  patterns: readonly string[],
  repositories: readonly string[],
): Promise<Map<string, Map<string, string[]>>> {
  const { stdout } = await runAll(ctx, ['pacman', '-Sl'], { ...TRACE, ignore_retcode: true });
  const out = new Map<string, Map<string, string[]>>();
  for (const line of stdout.split('\n')) {
    const [repository, name, version] = line.trim().split(/\s+/);
    if (repository === undefined || name === undefined || version === undefined) continue;
    if (repositories.length > 0 && !repositories.includes(repository)) continue;
    if (patterns.length > 0 && !patterns.some((pattern) => fnmatch(name, pattern))) continue;
    const packages = out.get(repository) ?? new Map<string, string[]>();
    out.set(repository, packages.set(name, newestFirst([...(packages.get(name) ?? []), version])));
  }
  return out;
}

const newestFirst = (versions: readonly string[]): string[] =>
  [...versions].sort((a, b) => compareLoose(b, a));

function joined(all: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const packages of all.values())
    for (const [name, versions] of packages)
      out.set(name, newestFirst([...(out.get(name) ?? []), ...versions]));
  return out;
}

/** What `pkg.install` is asked for. */
export interface PacmanOrder {
  readonly name: Value;
  readonly refresh: Value;
  readonly sysupgrade: boolean;
  readonly pkgs: Value;
  readonly sources: Value;
}

/** `pkg.install` @throws CommandProblem `Problem encountered installing package(s)` */
export async function installPacman(ctx: ModuleContext, order: PacmanOrder, kwargs: Dict): Promise<Dict> {
  const { name, pkgs, sources } = order;
  const given = { name, pkgs, sources, version: kwargs.get('version') ?? null };
  const targets = await parseTargets(ctx, given, (each) => each);
  if (targets === undefined) return new Map();
  const root = rootWords(kwargs.get('root'));
  const errors: string[] = [];
  const words =
    targets.kind === 'file'
      ? ['-U', ...UNATTENDED, ...targets.paths.map(packageName), ...root]
      : [...(await syncWords(ctx, order, targets.packages, errors)), ...root];
  if (errors.length > 0) throw packageProblem('Problem encountered installing package(s)', errors, new Map());
  return changedBy(ctx, words, 'installing');
}

async function syncWords(
  ctx: ModuleContext,
  { refresh, sysupgrade }: PacmanOrder,
  packages: ReadonlyMap<string, string | null>,
  errors: string[],
): Promise<string[]> {
  const targets: string[] = [];
  const globs: [string, string][] = [];
  for (const [name, version] of packages) {
    packageName(name);
    const [, operator = '', text = version ?? ''] =
      /^(<=>|!=|>=|<=|>>|<<|<>|>|<|=)?\s?([^<>=]+)$/.exec(version ?? '') ?? [];
    const prefix = operator === '' ? '=' : operator;
    if (version === null) targets.push(name);
    else if (!text.includes('*')) targets.push(`${name}${prefix}${text}`);
    else if (prefix === '=') globs.push([name, text]);
    else errors.push(`Invalid wildcard for ${name}${prefix}${text}`);
  }
  if (globs.length > 0) {
    if (truthy(refresh)) await refreshPacman(ctx, null);
    const known = joined(
      await availablePacman(
        ctx,
        globs.map(([name]) => name),
        [],
      ),
    );
    for (const [name, text] of globs) {
      const candidates = known.get(name) ?? [];
      const match = candidates.find((each) => fnmatch(each, text));
      if (match !== undefined) targets.push(`${name}=${match}`);
      else
        errors.push(
          `No version matching '${text}' found for package '${name}' (available: ${candidates.join(', ') || 'none'})`,
        );
    }
  }
  const isFetched = globs.length > 0 && truthy(refresh);
  return [
    '-S',
    ...(refresh === true && !isFetched ? ['-y'] : []),
    ...(sysupgrade ? ['-u'] : []),
    ...UNATTENDED,
    '--needed',
    ...targets,
  ];
}

async function changedBy(ctx: ModuleContext, words: readonly string[], verb: string): Promise<Dict> {
  const before = await installedPacman(ctx);
  const { retcode, stderr } = await runAll(ctx, await changing(ctx, words), TRACE);
  const changes = packageChanges(before, await installedPacman(ctx));
  if (retcode !== 0 && stderr !== '')
    throw packageProblem(`Problem encountered ${verb} package(s)`, [stderr], changes);
  return changes;
}

/** `pkg.upgrade` @throws CommandProblem `Problem encountered upgrading packages` */
export async function upgradePacman(ctx: ModuleContext, refresh: Value, root: Value): Promise<Dict> {
  const before = await installedPacman(ctx);
  const words = ['-Su', ...UNATTENDED, ...(isTrue(refresh) ? ['-y'] : []), ...rootWords(root)];
  const { retcode, stdout, stderr, pid } = await runAll(ctx, await changing(ctx, words), TRACE);
  const changes = packageChanges(before, await installedPacman(ctx));
  if (retcode !== 0)
    throw new CommandProblem(
      'Problem encountered upgrading packages',
      dict({ changes, result: { pid, retcode, stdout, stderr } }),
    );
  return changes;
}

/** `pkg.remove`, `pkg.purge` @throws CommandProblem `Problem encountered removing package(s)` */
export async function removePacman(
  ctx: ModuleContext,
  verb: 'remove' | 'purge',
  given: { readonly name: Value; readonly pkgs: Value },
): Promise<Dict> {
  const targets = await parseTargets(ctx, { ...given, sources: null }, (each) => each);
  if (targets?.kind !== 'repository') return new Map();
  const installed = await installedPacman(ctx);
  const names = [...targets.packages.keys()].filter((name) => installed.has(name)).map(packageName);
  if (names.length === 0) return new Map();
  return changedBy(ctx, [verb === 'purge' ? '-Rsc' : '-R', ...UNATTENDED, ...names], 'removing');
}

/** The members of groups, by group. */
async function groupsBy(ctx: ModuleContext, words: readonly string[]): Promise<Map<string, string[]>> {
  const out = new Map<string, string[]>();
  for (const line of (await runText(ctx, ['pacman', ...words], TRACE)).split('\n')) {
    const [group, name] = line.split(/\s+/);
    // Salt compat: an error is no group
    if (group === undefined || name === undefined || line.startsWith('error:')) continue;
    out.set(group, [...(out.get(group) ?? []), name]);
  }
  return out;
}

/** `pkg.group_list` */
export async function groupsPacman(ctx: ModuleContext): Promise<Dict> {
  const available = await groupsBy(ctx, ['-Sgg']);
  const [whole, partly]: [string[], string[]] = [[], []];
  for (const [group, members] of await groupsBy(ctx, ['-Qg'])) {
    const all = available.get(group);
    if (all === undefined) {
      const known = pyRepr(new Map<Value, Value>(available));
      ctx.log.error(
        `Pacman reports group ${group} installed, but it is not in the available list (${known})!`,
      );
      continue;
    }
    (members.length === all.length ? whole : partly).push(group);
    available.delete(group);
  }
  return dict({
    installed: whole.sort(compareText),
    partially_installed: partly.sort(compareText),
    available: [...available.keys()].sort(compareText),
  });
}

const KINDS = ['mandatory', 'optional', 'default', 'conditional'] as const;

/** `pkg.group_info` */
export async function groupPacman(ctx: ModuleContext, name: string): Promise<Dict> {
  const members = [...(await groupsBy(ctx, ['-Sgg', packageName(name)])).values()].flat();
  const sorted = [...new Set(members)].sort(compareText);
  return new Map(KINDS.map((kind): [Value, Value] => [kind, kind === 'default' ? sorted : []]));
}

/** `pkg.group_diff` */
export async function groupDiffPacman(ctx: ModuleContext, name: string): Promise<Dict> {
  const installed = await installedPacman(ctx);
  const members = (await groupPacman(ctx, name)).get('default');
  const names = Array.isArray(members) ? members.map(pyStr) : [];
  const parts = (list: readonly string[]): Dict =>
    dict({
      installed: list.filter((each) => installed.has(each)),
      'not installed': list.filter((each) => !installed.has(each)),
    });
  return new Map(KINDS.map((kind): [Value, Value] => [kind, parts(kind === 'default' ? names : [])]));
}

/**
 * Files by package, and what pacman says of packages that are not installed. A first word that is a path is the folder
 * of another system.
 */
export async function filesPacman(
  ctx: ModuleContext,
  packages: readonly Value[],
): Promise<{ readonly errors: string[]; readonly files: Map<string, string[]> }> {
  const names = packages.map(pyStr);
  const [first] = names;
  const root = first !== undefined && pathExists(first) ? ['-r', names.shift() ?? ''] : [];
  const text = await runText(ctx, ['pacman', '-Ql', ...root, ...names.map(packageName)], TRACE);
  const [errors, files]: [string[], Map<string, string[]>] = [[], new Map()];
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [name = '', ...path] = line.split(/\s+/);
    if (line.startsWith('error')) errors.push(line);
    else files.set(name, [...(files.get(name) ?? []), path.join(' ')]);
  }
  return { errors, files };
}

/** `pkg.owner` */
export async function ownersPacman(ctx: ModuleContext, paths: readonly Value[]): Promise<Value> {
  const out: Dict = new Map();
  for (const path of paths) out.set(path, await runStdout(ctx, ['pacman', '-Qqo', packageName(pyStr(path))]));
  return out.size === 0 ? '' : out.size === 1 ? ([...out.values()][0] ?? '') : out;
}
