/** Installing, upgrading and removing with zypper. Follows 3006.16 salt/modules/zypperpkg.py. */
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { compareText } from '../../../../python/values/order.ts';
import { fnmatch } from '../../../../python/text/fnmatch.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, toNumber, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { CommandProblem } from '../../../shared/command-problem.ts';
import { dictChanges, packageName, parseTargets, type Targets } from '../../../shared/packages.ts';
import { inputList, normalRpmName } from '../../yum/module/rpm.ts';
import { compareLoose } from '../../module/versions.ts';
import { callZypper, elementsOf, zypperXml, type ZypperCall } from './zypper.ts';
import { downloadedZypper, flagOf, listPatches, listZypper, refreshZypper } from './zypper-lists.ts';

/** Names that one call takes. */
const BATCH = 500;

/** What `pkg.install` is asked for. */
export interface ZypperOrder {
  readonly name: Value;
  readonly refresh: boolean;
  readonly fromrepo: Value;
  readonly pkgs: Value;
  readonly sources: Value;
  readonly downloadonly: boolean;
  readonly skip_verify: Value;
  readonly version: Value;
  readonly ignore_repo_failure: Value;
  readonly no_recommends: Value;
  readonly root: Value;
}

/** `pkg.install` @throws CommandExecutionError `Zypper command failure: …` */
export async function installZypper(ctx: ModuleContext, order: ZypperOrder, kwargs: Dict): Promise<Dict> {
  const { root } = order;
  if (order.refresh) await refreshZypper(ctx, root);
  const targets = await targetsOf(ctx, order, kwargs);
  if (targets.length === 0) return new Map();
  const isDownload = order.downloadonly;
  const includes = typesOf(targets);
  const list = (): Promise<Dict> =>
    isDownload
      ? downloadedZypper(ctx, root)
      : listZypper(ctx, { attr: attrOf(kwargs.get('diff_attr') ?? null), root, includes });
  const before = await list();
  const words = installWords(order, kwargs);
  const how: ZypperCall = { root, raises: !truthy(order.ignore_repo_failure) };
  const downgrades: string[] = [];
  for (let i = 0; i < targets.length; i += BATCH) {
    const batch = [...words, ...targets.slice(i, i + BATCH)];
    const { stdout } = await callZypper(ctx, batch, { ...how, scope: true });
    downgrades.push(
      ...[...stdout.matchAll(/^The selected package '([^']+)'.+has lower version/gm)].map(
        ([, name = '']) => name,
      ),
    );
  }
  for (let i = 0; i < downgrades.length; i += BATCH)
    await callZypper(ctx, [...words, '--force', ...downgrades.slice(i, i + BATCH)], how);
  return dictChanges(before, await list());
}

function attrOf(attr: Value): Value {
  return attr === null || attr === 'all' ? attr : inputList(attr);
}

/** Kinds before a colon (`pattern:x`). */
function typesOf(targets: readonly string[]): string[] {
  const kinds = targets.filter((one) => one.includes(':')).map((one) => one.split(':')[0] ?? '');
  return [...new Set(kinds)].sort(compareText);
}

function installWords(order: ZypperOrder, kwargs: Dict): string[] {
  const fromrepo = truthy(order.fromrepo)
    ? ['--force', '--force-resolution', '--from', pyStr(order.fromrepo)]
    : [];
  return [
    ...(truthy(order.skip_verify) ? ['--no-gpg-checks'] : []),
    ...(order.refresh ? [] : ['--no-refresh']),
    ...['install', '--auto-agree-with-licenses'],
    flagOf(kwargs, 'resolve_capabilities') ? '--capability' : '--name',
    ...(order.downloadonly ? ['--download-only'] : []),
    ...fromrepo,
    ...(truthy(order.no_recommends) ? ['--no-recommends'] : []),
  ];
}

async function targetsOf(ctx: ModuleContext, order: ZypperOrder, kwargs: Dict): Promise<string[]> {
  const advisories = kwargs.get('advisory_ids');
  if (advisories !== undefined) return advisoryTargets(ctx, order, advisories);
  const targets = await parsedTargets(ctx, order, kwargs);
  if (targets === undefined) return [];
  if (targets.kind === 'file') return targets.paths.map(packageName);
  if (truthy(order.version) && truthy(order.name) && order.pkgs === null && order.sources === null) {
    const name = pyStr(order.name);
    return [target(name, await fittingVersion(ctx, name, pyStr(order.version), order.root))];
  }
  if (truthy(order.version))
    ctx.log.warning('"version" parameter will be ignored for multiple package targets');
  return [...targets.packages].map(([name, version]) => target(name, version));
}

/** `name`, or `name>=version`. */
function target(name: string, version: string | null): string {
  packageName(name);
  if (version === null) return name;
  const [, operator = '', text = version] =
    /^(<=>|!=|>=|<=|>>|<<|<>|>|<|=)?\s?([^<>=]+)$/.exec(version) ?? [];
  return `${name}${operator === '' ? '=' : operator}${text}`;
}

function parsedTargets(
  ctx: ModuleContext,
  given: Pick<ZypperOrder, 'name' | 'pkgs'> & { readonly sources?: Value },
  kwargs: Dict = new Map(),
): Promise<Targets | undefined> {
  const normalizes = truthy(kwargs.get('normalize') ?? true);
  return parseTargets(ctx, { name: given.name, pkgs: given.pkgs, sources: given.sources ?? null }, (name) =>
    normalizes ? normalRpmName(ctx, name) : name,
  );
}

async function advisoryTargets(ctx: ModuleContext, order: ZypperOrder, ids: Value): Promise<string[]> {
  if (truthy(order.pkgs)) {
    ctx.log.error('Cannot use "advisory_ids" and "pkgs" at the same time');
    return [];
  }
  const wanted = truthy(ids) ? (Array.isArray(ids) ? ids : [ids]) : [order.name];
  const known = await listPatches(ctx, false, order.root);
  return wanted.map((id) => {
    if (!known.has(id)) throw new CommandExecutionError(`Advisory id "${pyStr(id)}" not found`);
    return `patch:${pyStr(id)}`;
  });
}

/**
 * The newest version that a glob or a comparison stands for, with its operator.
 * Salt compat: where there is none, Salt installs whatever version there is.
 */
async function fittingVersion(
  ctx: ModuleContext,
  name: string,
  wanted: string,
  root: Value,
): Promise<string> {
  const exact = wanted.replace(/[<>=+]*/g, '');
  const operator = wanted.replace(exact, '');
  if (!['', '<', '<=', '=', '>=', '>'].includes(operator))
    throw new CommandExecutionError(`Zypper do not supports operator "${operator}".`);
  const xml = await zypperXml(ctx, ['se', '-xv', packageName(name)], { looks: true, root });
  const found = elementsOf(xml, 'solvable').map(({ attributes }) => attributes.get('edition') ?? '');
  if (found.length === 0) throw new CommandExecutionError(`No packages found matching '${name}'`);
  const fitting = found.filter((each) => each !== '' && fnmatch(each, exact)).sort(compareLoose);
  const newest = fitting.at(-1);
  if (newest === undefined)
    throw new CommandExecutionError(
      `There is no version ${wanted} of ${name}; there are ${[...new Set(found)].join(', ')}`,
    );
  return `${operator}${newest}`;
}

/** What `pkg.upgrade` is asked for. */
export interface ZypperUpgrade {
  readonly name: Value;
  readonly pkgs: Value;
  readonly refresh: boolean;
  readonly dryrun: Value;
  readonly dist_upgrade: Value;
  readonly fromrepo: Value | undefined;
  readonly novendorchange: Value;
  readonly skip_verify: Value;
  readonly no_recommends: Value;
  readonly root: Value;
  readonly diff_attr: Value;
}

/** `pkg.upgrade` @throws CommandExecutionError `Problem encountered upgrading packages` */
export async function upgradeZypper(ctx: ModuleContext, given: ZypperUpgrade, kwargs: Dict): Promise<Value> {
  const { root } = given;
  const isDist = truthy(given.dist_upgrade);
  if (given.refresh) await refreshZypper(ctx, root);
  const repositories = given.fromrepo !== undefined ? [given.fromrepo].flat().map(pyStr) : [];
  const words = [
    ...(truthy(given.skip_verify) ? ['--no-gpg-checks'] : []),
    ...[isDist ? 'dist-upgrade' : 'update', '--auto-agree-with-licenses'],
    ...(truthy(given.dryrun) ? ['--dry-run'] : []),
    ...repositories.flatMap((name) => [isDist ? '--from' : '--repo', name]),
    ...(isDist ? distWords(ctx, given) : await namedWords(ctx, given, kwargs)),
  ];
  const how: ZypperCall = { root, scope: true, raises: false };
  if (isDist && truthy(given.dryrun)) await callZypper(ctx, [...words, '--debug-solver'], how);
  const list = (): Promise<Dict> => listZypper(ctx, { root, attr: attrOf(given.diff_attr) });
  const before = await list();
  const { retcode, stdout, stderr, pid, isSuccess } = await callZypper(ctx, words, how);
  const changes = dictChanges(before, await list());
  if (!isSuccess)
    throw new CommandProblem(
      'Problem encountered upgrading packages',
      dict({ changes, result: { retcode, stdout, stderr, pid } }),
    );
  return truthy(given.dryrun) ? `${stdout}\n${stderr}`.trim() : changes;
}

function distWords(ctx: ModuleContext, given: ZypperUpgrade): string[] {
  const release = ctx.grains.get('osrelease_info');
  const major = toNumber(Array.isArray(release) ? (release[0] ?? null) : null) ?? 0;
  if (truthy(given.novendorchange) && major <= 11)
    ctx.log.warning('Disabling vendor changes is not supported on this Zypper version');
  return [
    ...(truthy(given.novendorchange) && major > 11 ? ['--no-allow-vendor-change'] : []),
    ...(truthy(given.no_recommends) ? ['--no-recommends'] : []),
  ];
}

async function namedWords(ctx: ModuleContext, given: ZypperUpgrade, kwargs: Dict): Promise<string[]> {
  if (!truthy(given.name) && !truthy(given.pkgs)) return [];
  const targets = await parsedTargets(ctx, given, kwargs);
  return targets?.kind === 'repository' ? [...targets.packages.keys()].map(packageName) : [];
}

/** `pkg.remove`, `pkg.purge` @throws CommandExecutionError `Zypper command failure: …` */
export async function removeZypper(
  ctx: ModuleContext,
  given: { readonly name: Value; readonly pkgs: Value; readonly root: Value },
): Promise<Dict> {
  const targets = await parsedTargets(ctx, given);
  if (targets?.kind !== 'repository') return new Map();
  const { root } = given;
  const includes = typesOf([...targets.packages.keys()]);
  const before = await listZypper(ctx, { root, includes });
  const words = [...targets.packages].flatMap(([name, version]) => {
    const installed = before.get(name);
    if (installed === undefined) return [];
    if (version === null || version === '') return [packageName(name)];
    return pyStr(installed).split(',').includes(version) ? [packageName(`${name}-${version}`)] : [];
  });
  if (words.length === 0) return new Map();
  for (let i = 0; i < words.length; i += BATCH)
    await callZypper(ctx, ['remove', ...words.slice(i, i + BATCH)], { root, scope: true });
  return dictChanges(before, await listZypper(ctx, { root, includes }));
}

/** Names and versions that are to be held. @throws CommandExecutionError */
export function holdsWanted(name: Value, pkgs: Value): [string, string | null][] {
  if (!truthy(name) && !truthy(pkgs)) throw new CommandExecutionError('Name or packages must be specified.');
  if (truthy(pkgs) && !Array.isArray(pkgs)) throw new SaltInvocationError('pkgs must be a list.');
  const list = truthy(pkgs) && Array.isArray(pkgs) ? pkgs : [name];
  return list.map((one) => {
    const [[known, version] = [one, null]] = one instanceof Map ? [...one] : [[one, null] as [Value, Value]];
    return [packageName(pyStr(known)), truthy(version) ? pyStr(version) : null];
  });
}
