/** `pkg.install` with dnf and yum. Follows 3006.16 salt/modules/yumpkg.py. */
import { CommandExecutionError } from '../../../../errors/errors.ts';
import { isTrue } from '../../../../python/conversions.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { fnmatch } from '../../../../python/text/fnmatch.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import {
  dictChanges,
  packageName,
  packageProblem,
  parseTargets,
  type Targets,
  type Versions,
} from '../../../shared/packages.ts';
import { installedRpms, listRpms, machineArchitecture, normalRpmName, splitArchitecture } from './rpm.ts';
import { rpmFileInfo } from './rpm-info.ts';
import { compareRpm, matchVersion, withoutEpoch, type Order } from '../../module/versions.ts';
import { callYum, isDnf, lockedPackages, refreshYum, yumOptions, yumProgram } from './yum.ts';
import { downloadedRpms, repositoryRpms } from './yum-lists.ts';

/** What `pkg.install` is asked for. */
export interface YumOrder {
  readonly name: Value;
  readonly pkgs: Value;
  readonly sources: Value;
  readonly refresh: boolean;
  readonly skip_verify: Value;
  readonly downloadonly: Value;
  readonly reinstall: Value;
  readonly normalize: boolean;
  readonly update_holds: Value;
  readonly saltenv: Value;
  readonly ignore_epoch: Value;
}

type Verb = 'install' | 'downgrade' | 'reinstall';

/** A package and the word that the program is given for it. */
interface Planned {
  readonly verb: Verb;
  readonly name: string;
  readonly word: string;
}

/** One installation on its way. */
interface Installation {
  readonly ctx: ModuleContext;
  readonly order: YumOrder;
  readonly kwargs: Dict;
  /** The installed versions before. */
  readonly old: Versions;
  readonly errors: string[];
  readonly plan: Planned[];
}

/** `pkg.install`. @throws CommandProblem `Error occurred installing package(s)` */
export async function installYum(ctx: ModuleContext, order: YumOrder, kwargs: Dict): Promise<Dict> {
  if (order.refresh) await refreshYum(ctx, kwargs);
  const advisories = kwargs.get('advisory_ids');
  const targets = advisories === undefined ? await targetsOf(ctx, order, kwargs) : undefined;
  if (advisories === undefined && targets === undefined) return new Map();
  const download = truthy(order.downloadonly);
  const attr = kwargs.get('diff_attr') ?? null;
  const list = (): Dict | Promise<Dict> =>
    download ? downloadedRpms(ctx) : listRpms(ctx, { asList: false, attr });
  const before = await list();
  const old = download ? new Map<string, string[]>() : await installedRpms(ctx);
  const installation: Installation = { ctx, order, kwargs, old, errors: [], plan: [] };
  if (targets === undefined) planAdvisories(installation, advisories ?? null);
  else if (targets.kind === 'file') for (const path of targets.paths) await planFile(installation, path);
  else await planPackages(installation, targets.packages);
  await runPlan(installation, targets === undefined);
  const after = await list();
  const changes = dictChanges(before, after);
  const again = installation.plan.filter(({ verb }) => verb === 'reinstall');
  for (const { name } of again)
    changes.set(
      name,
      new Map([
        ['old', before.get(name) ?? ''],
        ['new', after.get(name) ?? ''],
      ]),
    );
  if (installation.errors.length > 0)
    throw packageProblem(
      `Error occurred installing${again.length > 0 ? '/reinstalling' : ''} package(s)`,
      installation.errors,
      changes,
    );
  return changes;
}

function targetsOf(ctx: ModuleContext, order: YumOrder, kwargs: Dict): Promise<Targets | undefined> {
  const isPlain = !order.normalize || !truthy(kwargs.get('split_arch') ?? true);
  return parseTargets(ctx, { ...order, version: kwargs.get('version') ?? null }, (name) =>
    isPlain ? name : normalRpmName(ctx, name),
  );
}

function planAdvisories({ plan, order }: Installation, ids: Value): void {
  const list = truthy(ids) ? (Array.isArray(ids) ? ids : [ids]) : [order.name];
  for (const id of list.map(pyStr)) plan.push({ verb: 'install', name: id, word: `--advisory=${id}` });
}

async function planFile(installation: Installation, path: string): Promise<void> {
  const { ctx, plan } = installation;
  const info = await rpmFileInfo(ctx, path, 'base');
  if (isDict(info)) {
    planVersion(installation, pyStr(info.get('name') ?? ''), pyStr(info.get('version') ?? ''), path);
    return;
  }
  ctx.log.error(
    `pkg.install: Unable to get rpm information for ${path}. Version comparisons will be unavailable, and return data may be ` +
      'inaccurate if reinstall=True.',
  );
  plan.push({ verb: 'install', name: '', word: packageName(path) });
}

async function planPackages(
  installation: Installation,
  packages: ReadonlyMap<string, string | null>,
): Promise<void> {
  const { ctx, kwargs, order, old, errors, plan } = installation;
  const open = [...packages].filter(([, version]) => version !== null && /^[<>]|\*/.test(version));
  const names = open.map(([name]) => name);
  const available =
    names.length === 0 ? new Map<string, string[]>() : await repositoryRpms(ctx, names, kwargs);
  for (const [name, wanted] of packages) {
    packageName(name);
    if (wanted === null) {
      const isAgain = isTrue(order.reinstall) && old.has(name);
      plan.push({ verb: isAgain ? 'reinstall' : 'install', name, word: name });
      continue;
    }
    const own = machineArchitecture(ctx);
    const parts = splitArchitecture(name);
    const isSplit =
      parts.arch !== undefined && (parts.arch !== own || truthy(kwargs.get('split_arch') ?? true));
    const [bare, arch] = isSplit ? [parts.name, `.${parts.arch}`] : [name, ''];
    const version = chosenVersion(installation, { name, bare, wanted: wanted.replace(/^=+/, ''), available });
    if (typeof version !== 'string') {
      errors.push(version.error);
      continue;
    }
    const shown = order.ignore_epoch === true ? version : withoutEpoch(version);
    planVersion(installation, bare, version, `${bare}-${shown}${arch}`);
  }
}

/** The version that a comparison or a glob stands for; the newest that fits. */
function chosenVersion(
  { order }: Installation,
  given: {
    readonly name: string;
    readonly bare: string;
    readonly wanted: string;
    readonly available: ReadonlyMap<string, readonly string[]>;
  },
): string | { readonly error: string } {
  const { name, bare, wanted, available } = given;
  let version = wanted;
  if (/^[<>]/.test(wanted)) {
    const candidates = available.get(name) ?? [];
    const found = matchVersion(wanted, candidates, compareRpm, truthy(order.ignore_epoch));
    const all = candidates.join(', ') || 'None';
    if (found === undefined)
      return { error: `No version matching '${name}${wanted}' could be found (available: ${all})` };
    version = found;
  }
  if (yumProgram() === 'yum' && order.ignore_epoch === true) version = withoutEpoch(version);
  if (!version.includes('*')) return version;
  const candidates = available.get(bare) ?? [];
  const all = candidates.join(', ') || 'none';
  return (
    candidates.find((each) => fnmatch(each, version)) ?? {
      error: `No version matching '${version}' found for package '${bare}' (available: ${all})`,
    }
  );
}

/** Packages of which several versions are installed side by side. */
const SIDE_BY_SIDE = ['kernel', 'kernel-devel'];

/** Which command brings a version, with the installed ones in view. */
function planVersion(installation: Installation, name: string, version: string, word: string): void {
  const { old, order, plan } = installation;
  const shown = (text: string): string => (truthy(order.ignore_epoch) ? withoutEpoch(text) : text);
  const installed = old.get(name) ?? [];
  const orders: Order[] = installed.map((each) => compareRpm(shown(version), shown(each)));
  if (isTrue(order.reinstall) && installed.length > 0) {
    if (orders.includes(0)) plan.push({ verb: 'reinstall', name, word });
  } else if (orders.length === 0 || orders.some((each) => each >= 0) || SIDE_BY_SIDE.includes(name))
    plan.push({ verb: 'install', name, word });
  else plan.push({ verb: 'downgrade', name, word });
}

async function runPlan(installation: Installation, isAdvisory: boolean): Promise<void> {
  const { ctx, order, kwargs, plan, errors } = installation;
  const holds = await heldPackages(ctx);
  const prevented: string[] = [];
  const common = [
    ...yumOptions(kwargs),
    ...(truthy(order.skip_verify) ? ['--nogpgcheck'] : []),
    ...(truthy(order.downloadonly) ? ['--downloadonly'] : []),
  ];
  for (const verb of ['install', 'downgrade', 'reinstall'] as const) {
    const steps = plan.filter((each) => each.verb === verb);
    const held = steps.filter(({ name }) => holds.includes(name));
    const words = steps.filter(({ name }) => !holds.includes(name)).map(({ word }) => word);
    if (held.length > 0 && !truthy(order.update_holds)) prevented.push(...held.map(({ name }) => name));
    const freed = held.length > 0 && truthy(order.update_holds) ? await release(installation, held) : [];
    words.push(...freed);
    if (words.length > 0) {
      const { retcode, stdout } = await callYum(ctx, yumWords(verb, isAdvisory, common, words), {
        redirect_stderr: true,
      });
      if (retcode !== 0) errors.push(stdout);
    }
    if (held.length > 0 && truthy(order.update_holds))
      await ctx.functions.call('pkg.hold', [], { pkgs: held.map(({ name }) => name) });
  }
  if (prevented.length > 0)
    errors.push(
      `The following package(s) could not be updated because they are being held: ${prevented.join(', ')}. Set 'update_holds' to ` +
        'True to temporarily unhold these packages so that they can be updated.',
    );
}

function yumWords(
  verb: Verb,
  isAdvisory: boolean,
  common: readonly string[],
  words: readonly string[],
): string[] {
  const best = verb === 'install' && isDnf() ? ['--best', '--allowerasing'] : [];
  const command = isAdvisory ? 'update' : verb;
  return yumProgram() === 'dnf5'
    ? ['-y', ...common, command, ...best, ...words]
    : ['-y', ...best, ...common, command, ...words];
}

async function heldPackages(ctx: ModuleContext): Promise<readonly string[]> {
  try {
    return await lockedPackages(ctx, false);
  } catch {
    ctx.log.debug('Failed to get holds, versionlock plugin is probably not installed');
    return [];
  }
}

/** Takes the holds off for now. @returns the words of the packages that are free */
async function release({ ctx, errors }: Installation, held: readonly Planned[]): Promise<string[]> {
  const outcome = await ctx.functions.call('pkg.unhold', [], { pkgs: held.map(({ name }) => name) });
  if (!isDict(outcome)) throw new CommandExecutionError('pkg.unhold did not tell what it did');
  return held.flatMap(({ name, word }) => {
    const entry = outcome.get(name);
    if (isDict(entry) && truthy(entry.get('result'))) return [word];
    errors.push(name);
    return [];
  });
}
