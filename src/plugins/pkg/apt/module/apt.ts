/** Installing and removing with apt. Follows 3006.16 salt/modules/aptpkg.py. */
import { statSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { isTrue } from '../../../../python/conversions.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { splitLines } from '../../../../python/values/text.ts';
import {
  dict,
  isDict,
  toNumber,
  truthy,
  type Dict,
  type DictInit,
  type Value,
} from '../../../../python/values/value.ts';
import { CommandProblem } from '../../../shared/command-problem.ts';
import { runAll, type Ended } from '../../../shared/program.ts';
import { scopeWords } from '../../../shared/systemctl.ts';
import { debFileInfo, debPackages, installedDebs, selections } from '../../../shared/dpkg.ts';
import { packageChanges, packageName, parseTargets, type Versions } from '../../../shared/packages.ts';
import { clearRefreshTag } from '../../module/refresh-tag.ts';
import { compareDeb, matchVersion } from '../../module/versions.ts';

/** What keeps programs from asking questions. */
const APT_ENVIRONMENT: DictInit = {
  APT_LISTBUGS_FRONTEND: 'none',
  APT_LISTCHANGES_FRONTEND: 'none',
  DEBIAN_FRONTEND: 'noninteractive',
  UCF_FORCE_CONFFOLD: '1',
};

const LOCK_TRIES = 10;
const LISTS = '/var/lib/apt/lists';

/** Runs a program of apt, outside of the minion's service; waits when another one has the lock. */
export async function callApt(
  ctx: ModuleContext,
  argv: readonly Value[],
  options: { readonly scope?: boolean; readonly keywords?: DictInit; readonly env?: Value } = {},
): Promise<Ended> {
  const scope = options.scope === false ? [] : await scopeWords(ctx);
  const described = scope.length === 0 ? [] : [...scope, '--description', '"salt.modules.aptpkg"'];
  const env = dict(APT_ENVIRONMENT);
  if (isDict(options.env)) for (const [name, value] of options.env) env.set(name, value);
  const keywords = { output_loglevel: 'trace', env, ...options.keywords };
  let ended = await runAll(ctx, [...described, ...argv], keywords);
  for (let tries = 1; ended.stderr.includes('Could not get lock') && tries <= LOCK_TRIES; tries++) {
    ctx.log.warning(`Waiting for dpkg lock release: retrying... ${tries}/${LOCK_TRIES}`);
    await ctx.clock.sleep(2 ** tries * 1000, ctx.signal);
    if (ctx.signal.aborted) return ended;
    ended = await runAll(ctx, [...described, ...argv], keywords);
  }
  return ended;
}

/** A name without the architecture of this machine. */
export function normalizeName(ctx: ModuleContext, name: string): string {
  const at = name.lastIndexOf(':');
  const arch = at < 0 ? '' : name.slice(at + 1);
  return at >= 0 && [pyStr(ctx.grains.get('osarch') ?? ''), 'all', 'any'].includes(arch)
    ? name.slice(0, at)
    : name;
}

/** `pkg.refresh_db`. @throws CommandExecutionError */
export async function refreshLists(
  ctx: ModuleContext,
  cacheValidTime: Value,
  failhard: boolean,
): Promise<Dict> {
  clearRefreshTag(ctx);
  const validFor = toNumber(cacheValidTime) ?? 0;
  if (validFor > 0) {
    const facts = statSync(LISTS, { throwIfNoEntry: false });
    if (facts !== undefined && facts.mtimeMs / 1000 + validFor > ctx.clock.nowMs() / 1000) return new Map();
  }
  const { retcode, stdout, stderr } = await callApt(ctx, ['apt-get', '-q', 'update'], { scope: false });
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  const out: Dict = new Map();
  const failed: string[] = [];
  for (const line of splitLines(stdout)) {
    const [kind = '', ...rest] = line.trim().split(/\s+/);
    const name = rest.join(' ');
    if (kind.includes('Get')) out.set(name.replace(/ \[.+B\]$/, ''), true);
    else if (kind.includes('Ign')) out.set(name, false);
    else if (kind.includes('Hit')) out.set(name, null);
    else if (kind.includes('Err')) {
      out.set(name, false);
      failed.push(name);
    }
  }
  if (failhard && failed.length > 0)
    throw new CommandExecutionError(`Error getting repos: ${failed.join(', ')}`);
  return out;
}

/** The version that apt would install; empty when there is none. */
async function candidate(ctx: ModuleContext, name: string, repo: Value): Promise<string> {
  const release = truthy(repo) ? ['-o', `APT::Default-Release=${pyStr(repo)}`] : [];
  const argv = ['apt-cache', '-q', 'policy', packageName(name), ...release];
  const { stdout } = await callApt(ctx, argv, { scope: false });
  const line = splitLines(stdout).find((text) => text.includes('Candidate'));
  const found = line?.trim().split(/\s+/).at(-1) ?? '';
  return found.toLowerCase() === '(none)' ? '' : found;
}

/** `pkg.latest_version`. @throws SaltInvocationError */
export async function latestVersions(
  ctx: ModuleContext,
  names: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  if (kwargs.has('repo'))
    throw new SaltInvocationError("The 'repo' argument is invalid, use 'fromrepo' instead");
  if (names.length === 0) return '';
  const installed = await installedDebs(ctx);
  if (isTrue(kwargs.get('refresh') ?? true))
    await refreshLists(ctx, kwargs.get('cache_valid_time') ?? 0, false);
  const out: Dict = new Map();
  for (const name of names.map(pyStr)) {
    const found = await candidate(ctx, name, kwargs.get('fromrepo') ?? null);
    const known = installed.get(name) ?? [];
    const isNewer = !known.some((version) => isAtLeast(version, found));
    out.set(name, isTrue(kwargs.get('show_installed')) || known.length === 0 || isNewer ? found : '');
  }
  return names.length === 1 ? (out.get(pyStr(names[0] as Value)) ?? '') : out;
}

/** Versions in the repositories, by package. */
export async function repositoryVersions(
  ctx: ModuleContext,
  names: readonly Value[],
): Promise<Map<string, string[]>> {
  const words = names.length === 0 ? ['dump'] : ['show', ...names.map((name) => packageName(pyStr(name)))];
  const { stdout } = await callApt(ctx, ['apt-cache', ...words], {
    scope: false,
    keywords: { ignore_retcode: true },
  });
  const out = new Map<string, string[]>();
  let current = '';
  for (const line of splitLines(stdout)) {
    const name = /^Package: (.+)/.exec(line)?.[1];
    if (name !== undefined && name !== current) {
      current = name;
      continue;
    }
    const version = /^\s*Version:\s+(\S.*)$/.exec(line)?.[1];
    if (version !== undefined) out.set(current, [...(out.get(current) ?? []), version]);
  }
  return out;
}

/** The arguments of `pkg.install`. */
export interface InstallOrder {
  readonly name: Value;
  readonly refresh: boolean;
  readonly fromrepo: Value;
  readonly skip_verify: boolean;
  readonly debconf: Value;
  readonly pkgs: Value;
  readonly sources: Value;
  readonly reinstall: boolean;
  readonly downloadonly: boolean;
  readonly ignore_epoch: boolean;
}

/** One package as apt is to be told. */
interface Wanted {
  readonly name: string;
  /** `name`, `name=version` or a path. */
  readonly word: string;
  readonly version: string | null;
}

function prefixWords(order: InstallOrder, kwargs: Dict): string[] {
  const words = ['apt-get', '-q', '-y'];
  if (truthy(kwargs.get('force_yes'))) words.push('--force-yes');
  const conf = truthy(kwargs.get('force_conf_new'))
    ? ['--force-confnew']
    : ['--force-confold', '--force-confdef'];
  for (const option of conf) words.push('-o', `DPkg::Options::=${option}`);
  if (kwargs.has('install_recommends'))
    words.push(truthy(kwargs.get('install_recommends')) ? '--install-recommends' : '--no-install-recommends');
  if (truthy(kwargs.get('only_upgrade'))) words.push('--only-upgrade');
  if (order.skip_verify) words.push('--allow-unauthenticated');
  const repo = truthy(order.fromrepo) ? order.fromrepo : (kwargs.get('repo') ?? null);
  if (truthy(repo) && !truthy(order.sources)) words.push('-t', pyStr(repo));
  return [...words, 'install'];
}

/** What is asked for, with versions chosen; sentences for what cannot be had go into `errors`. */
async function wantedPackages(
  ctx: ModuleContext,
  order: InstallOrder,
  kwargs: Dict,
  errors: string[],
): Promise<Wanted[]> {
  const { name, pkgs, sources } = order;
  const version = kwargs.get('version') ?? null;
  const targets = await parseTargets(ctx, { name, pkgs, sources, version }, (word) =>
    normalizeName(ctx, word),
  );
  if (targets === undefined) return [];
  if (targets.kind === 'file') {
    const out: Wanted[] = [];
    for (const path of targets.paths) {
      const info = await debFileInfo(ctx, path);
      out.push({
        name: pyStr(info.get('name') ?? ''),
        word: path,
        version: pyStr(info.get('version') ?? ''),
      });
    }
    return out;
  }
  const compared = [...targets.packages].filter(([, wanted]) => wanted !== null && /^[<>]/.test(wanted));
  const available =
    compared.length === 0
      ? new Map<string, string[]>()
      : await repositoryVersions(
          ctx,
          compared.map(([word]) => word),
        );
  return [...targets.packages].flatMap(([given, wanted]): Wanted[] => {
    const word = packageName(given);
    if (wanted === null) return [{ name: word, word, version: null }];
    let chosen = wanted.replace(/^=+/, '');
    if (/^[<>]/.test(wanted)) {
      const candidates = available.get(word) ?? [];
      const match = matchVersion(wanted, candidates, compareDeb, order.ignore_epoch);
      if (match === undefined) {
        const list = candidates.length > 0 ? candidates.join(', ') : 'None';
        errors.push(`No version matching '${word}${chosen}' could be found (available: ${list})`);
        return [];
      }
      chosen = match;
    }
    return [{ name: word, word: `${word}=${chosen}`, version: chosen }];
  });
}

/**
 * Not where one of them is no version: Salt then takes what is wanted for older (salt/modules/aptpkg.py `install`,
 * 3006.16).
 */
function isAtLeast(version: string, other: string): boolean {
  return (compareDeb(version, other) ?? -1) >= 0;
}

/** The command lines for what is wanted: new and newer ones, older ones, those to be installed again. */
function installCommands(
  order: InstallOrder,
  kwargs: Dict,
  wanted: readonly Wanted[],
  old: Versions,
): { readonly commands: string[][]; readonly reinstalled: Wanted[]; readonly names: string[] } {
  const prefix = prefixWords(order, kwargs);
  const current = (name: string): string => (old.get(name) ?? []).join(',');
  const isAgain = ({ name, version }: Wanted): boolean =>
    order.reinstall &&
    current(name) !== '' &&
    (version === null ? !truthy(order.sources) : compareDeb(version, current(name)) === 0);
  const reinstalled = wanted.filter(isAgain);
  const rest = wanted.filter((item) => !isAgain(item));
  const isOlder = ({ name, version }: Wanted): boolean =>
    version !== null && current(name) !== '' && !isAtLeast(version, current(name));
  const newer = rest.filter((item) => !isOlder(item));
  const older = rest.filter(isOlder);
  const commands: string[][] = [];
  if (newer.length > 0) commands.push([...prefix, ...newer.map(({ word }) => word)]);
  if (older.length > 0) {
    const isForced = truthy(order.sources) || prefix.includes('--force-yes');
    const head = isForced ? prefix : [...prefix.slice(0, -1), '--force-yes', 'install'];
    commands.push([...head, ...older.map(({ word }) => word)]);
  }
  if (order.downloadonly) commands.at(-1)?.push('--download-only');
  if (reinstalled.length > 0)
    commands.push([
      ...prefix,
      ...(truthy(order.sources) ? [] : ['--reinstall']),
      ...reinstalled.map(({ word }) => word),
    ]);
  return { commands, reinstalled, names: [...newer, ...reinstalled].map(({ name }) => name) };
}

/** Whether lists have to be fetched: not when each version that is asked for is the latest that is known. */
async function needsRefresh(ctx: ModuleContext, order: InstallOrder, kwargs: Dict): Promise<boolean> {
  if (!order.refresh) return false;
  const isLatest = async (name: Value, version: Value): Promise<boolean> =>
    (await latestVersions(ctx, [name], dict({ refresh: false, show_installed: true }))) === version;
  if (Array.isArray(order.pkgs)) {
    for (const item of order.pkgs) {
      if (!isDict(item)) return true;
      for (const [name, version] of item) if (!(await isLatest(name, version))) return true;
    }
    return false;
  }
  const version = kwargs.get('version') ?? null;
  return !truthy(version) || !(await isLatest(order.name, version));
}

/** `pkg.install`. @throws CommandExecutionError with what apt says and what has changed all the same */
export async function installPackages(ctx: ModuleContext, order: InstallOrder, kwargs: Dict): Promise<Dict> {
  const mustRefresh = await needsRefresh(ctx, order, kwargs);
  if (truthy(order.debconf)) await ctx.functions.call('debconf.set_file', [order.debconf]);
  const errors: string[] = [];
  const wanted = await wantedPackages(ctx, order, kwargs, errors);
  const old = await installedDebs(ctx);
  const { commands, reinstalled, names } = installCommands(order, kwargs, wanted, old);
  let changes: Dict = new Map();
  if (commands.length > 0) {
    if (mustRefresh) await refreshLists(ctx, kwargs.get('cache_valid_time') ?? 0, false);
    const held = ((await selections(ctx, null)).get('hold') ?? []).filter((name) => names.includes(name));
    for (const name of held) await setSelection(ctx, name, 'install');
    for (const argv of commands) {
      const { retcode, stderr } = await callApt(ctx, argv, { env: kwargs.get('env') ?? null });
      if (retcode !== 0 && stderr !== '') errors.push(stderr);
    }
    const now = await installedDebs(ctx);
    changes = packageChanges(old, now);
    const shown = (packages: Versions, name: string): string => (packages.get(name) ?? []).join(',');
    for (const { name } of reinstalled)
      changes.set(name, dict({ old: shown(old, name), new: shown(now, name) }));
    for (const name of held) await setSelection(ctx, name, 'hold');
  }
  if (errors.length > 0)
    throw new CommandProblem('Problem encountered installing package(s)', dict({ errors, changes }));
  return changes;
}

/** Tells dpkg what is to become of a package. @returns false when it does not listen */
export async function setSelection(ctx: ModuleContext, name: string, state: string): Promise<boolean> {
  const keywords = { stdin: `${name} ${state}`, output_loglevel: 'trace' };
  const { retcode } = await runAll(ctx, ['dpkg', '--set-selections'], keywords);
  if (retcode !== 0) ctx.log.error(`failed to set state ${state} for package ${name}`);
  return retcode === 0;
}

/** `pkg.remove` and `pkg.purge`. @throws CommandExecutionError */
export async function removePackages(
  ctx: ModuleContext,
  action: 'remove' | 'purge',
  given: { readonly name: Value; readonly pkgs: Value },
  kwargs: Dict,
): Promise<Dict> {
  const targets = await parseTargets(ctx, { ...given, sources: null }, (word) => normalizeName(ctx, word));
  if (targets?.kind !== 'repository') return new Map();
  const old = await installedDebs(ctx);
  const before = (await debPackages(ctx)).removed;
  const names = [...targets.packages.keys()].filter(
    (name) => old.has(name) || (action === 'purge' && before.has(name)),
  );
  if (names.length === 0) return new Map();
  const argv = ['apt-get', '-q', '-y', action, ...names.map(packageName)];
  const { retcode, stderr } = await callApt(ctx, argv, { env: kwargs.get('env') ?? null });
  const installed = packageChanges(old, await installedDebs(ctx));
  const changes =
    action === 'remove'
      ? installed
      : dict({ removed: packageChanges(before, (await debPackages(ctx)).removed), installed });
  if (retcode !== 0 && stderr !== '')
    throw new CommandProblem('Problem encountered removing package(s)', dict({ errors: [stderr], changes }));
  return changes;
}

/** `pkg.upgrade`. @throws CommandExecutionError */
export async function upgradeAll(ctx: ModuleContext, isFull: boolean, kwargs: Dict): Promise<Dict> {
  const old = await installedDebs(ctx);
  const words = ['apt-get', '-q', '-y'];
  const conf = truthy(kwargs.get('force_conf_new'))
    ? ['--force-confnew']
    : ['--force-confold', '--force-confdef'];
  for (const option of conf) words.push('-o', `DPkg::Options::=${option}`);
  if (truthy(kwargs.get('force_yes'))) words.push('--force-yes');
  if (truthy(kwargs.get('skip_verify'))) words.push('--allow-unauthenticated');
  if (truthy(kwargs.get('download_only')) || truthy(kwargs.get('downloadonly')))
    words.push('--download-only');
  if (truthy(kwargs.get('allow_downgrades'))) words.push('--allow-downgrades');
  const result = await callApt(ctx, [...words, isFull ? 'dist-upgrade' : 'upgrade']);
  const changes = packageChanges(old, await installedDebs(ctx));
  if (result.retcode !== 0) {
    const info = dict({ changes, result: { ...result } });
    throw new CommandProblem('Problem encountered upgrading packages', info);
  }
  return changes;
}

/** `pkg.list_upgrades`. @throws CommandExecutionError */
export async function upgradable(ctx: ModuleContext, isFull: boolean, kwargs: Dict): Promise<Dict> {
  const repo = kwargs.get('fromrepo') ?? null;
  const release = truthy(repo) ? ['-o', `APT::Default-Release=${pyStr(repo)}`] : [];
  const argv = ['apt-get', '--just-print', isFull ? 'dist-upgrade' : 'upgrade', ...release];
  const { retcode, stdout, stderr } = await callApt(ctx, argv);
  if (retcode !== 0) {
    const why = stderr || stdout;
    throw new CommandExecutionError(`Failed to get upgrades${why === '' ? '' : `: ${why}`}`);
  }
  return new Map(
    [...stdout.matchAll(/^Conf ([^ ]+) \(([^ ]+)/gm)].map(([, name = '', version = '']) => [name, version]),
  );
}

/** `pkg.autoremove` */
export async function autoremove(ctx: ModuleContext, listOnly: boolean, purge: boolean): Promise<Value> {
  const words = [...(purge ? ['--purge'] : []), 'autoremove'];
  const keywords = { ignore_retcode: true };
  if (!listOnly) {
    const old = await installedDebs(ctx);
    await callApt(ctx, ['apt-get', '--assume-yes', ...words], { keywords });
    return packageChanges(old, await installedDebs(ctx));
  }
  const { stdout } = await callApt(ctx, ['apt-get', '--assume-no', ...words], { keywords });
  const lines = splitLines(stdout);
  const start = lines.findIndex((line) => line.includes('The following packages will be REMOVED:'));
  const names: string[] = [];
  for (const line of start < 0 ? [] : lines.slice(start + 1)) {
    if (!line.startsWith(' ')) break;
    names.push(...line.trim().split(/\s+/));
  }
  return names.sort();
}
