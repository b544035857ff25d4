/** What is installed, and what repositories have, with zypper. Follows 3006.16 salt/modules/zypperpkg.py. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { CommandExecutionError, SaltInvocationError } from '../../../../errors/errors.ts';
import { walk } from '../../../../host/file-operations.ts';
import type { XmlElement } from '../../../../formats/xml/read.ts';
import { isTrue } from '../../../../python/conversions.ts';
import { isFile, joinPath, pathExists } from '../../../../python/paths.ts';
import { fnmatch } from '../../../../python/text/fnmatch.ts';
import { compareText } from '../../../../python/values/order.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../../python/values/value.ts';
import type { ModuleContext } from '../../../../runtime/loader/module.ts';
import { runText } from '../../../shared/program.ts';
import { packageName } from '../../../shared/packages.ts';
import { clearRefreshTag } from '../../module/refresh-tag.ts';
import { diffPackageFile, rpmFileInfo } from '../../yum/module/rpm-info.ts';
import { rpmCommand, rpmRecords, shownRpms, type RpmRecord } from '../../yum/module/rpm.ts';
import { compareLoose } from '../../module/versions.ts';
import { attributesDict, callZypper, elementsOf, zypperXml, type ZypperCall } from './zypper.ts';

/** Where another system's file lies. */
export function below(root: Value, path: string): string {
  return truthy(root) ? joinPath(pyStr(root), path.slice(1)) : path;
}

/** `pkg.refresh_db`: whether each repository was fetched anew. */
export async function refreshZypper(
  ctx: ModuleContext,
  force: Value = null,
  root: Value = null,
): Promise<Dict> {
  clearRefreshTag(ctx);
  const settings = ctx.pillar.get('zypper');
  const wanted = force ?? (isDict(settings) ? settings.get('refreshdb_force') : undefined) ?? true;
  const words = ['refresh', ...(truthy(wanted) ? ['--force'] : [])];
  const { stdout } = await callZypper(ctx, words, { refreshes: true, root });
  const out: Dict = new Map();
  for (const line of stdout.split('\n')) {
    const key = line.split("'")[1]?.trim();
    if (key === undefined) continue;
    if (line.trim().startsWith('Repository') && line.includes('is up to date')) out.set(key, false);
    else if (line.trim().startsWith('Building') && line.includes('done')) out.set(key, true);
  }
  return out;
}

/** What `pkg.list_pkgs` is asked for. */
export interface ZypperList {
  readonly asList?: boolean;
  readonly attr?: Value;
  readonly root?: Value;
  /** Kinds besides packages: `product`, `pattern`, `patch`. */
  readonly includes?: readonly string[];
}

/** `pkg.list_pkgs` */
export async function listZypper(
  ctx: ModuleContext,
  { asList = false, attr = null, root = null, includes = [] }: ZypperList,
): Promise<Dict> {
  const records = await rpmRecords(ctx, root);
  for (const name of [...records.keys()]) if (name.startsWith('gpg-pubkey')) records.delete(name);
  for (const include of includes)
    for (const [name, record] of await others(ctx, include, root))
      records.set(`${include}:${name}`, [record]);
  return shownRpms(records, { asList, attr });
}

/** Products, patterns and patches as if they were packages. */
async function others(ctx: ModuleContext, kind: string, root: Value): Promise<[string, RpmRecord][]> {
  const text = (entry: Dict, name: string): string => pyStr(entry.get(name) ?? '');
  if (kind === 'product')
    return (await listProducts(ctx, { all: false, root })).map((product) => [
      text(product, 'name'),
      {
        epoch: text(product, 'epoch'),
        version: text(product, 'version'),
        release: text(product, 'release'),
        arch: text(product, 'arch'),
        installed: null,
      },
    ]);
  if (kind !== 'pattern' && kind !== 'patch') return [];
  const names = kind === 'pattern' ? await installedPatterns(ctx, root) : await listPatches(ctx, true, root);
  const out: [string, RpmRecord][] = [];
  for (const name of [...names.keys()].map(pyStr)) {
    const info = (await infoAvailable(ctx, [`${kind}:${name}`], { root, refresh: false })).get(name);
    if (!isDict(info)) throw new CommandExecutionError(`zypper knows no ${kind} ${name}`);
    out.push([
      name,
      {
        epoch: null,
        version: text(info, 'version'),
        release: null,
        arch: text(info, 'arch'),
        installed: null,
      },
    ]);
  }
  return out;
}

/** `pkg.list_upgrades` */
export async function upgradesZypper(
  ctx: ModuleContext,
  {
    refresh,
    root,
    fromrepo,
  }: { readonly refresh: boolean; readonly root: Value; readonly fromrepo: Value | undefined },
): Promise<Dict> {
  if (refresh) await refreshZypper(ctx, root);
  const repositories = fromrepo === undefined ? [] : Array.isArray(fromrepo) ? fromrepo : [fromrepo];
  const words = ['list-updates', ...repositories.flatMap((one) => ['--repo', pyStr(one)])];
  const xml = await zypperXml(ctx, words, { looks: true, root });
  return new Map(
    elementsOf(xml, 'update')
      .filter(({ attributes }) => attributes.get('kind') === 'package')
      .map(({ attributes }): [Value, Value] => [
        attributes.get('name') ?? '',
        attributes.get('edition') ?? '',
      ]),
  );
}

/** At once more are not asked for. */
const BATCH = 200;

/** `pkg.info_available` */
export async function infoAvailable(
  ctx: ModuleContext,
  names: readonly string[],
  { root = null, refresh = true }: { readonly root?: Value; readonly refresh?: boolean } = {},
): Promise<Dict> {
  const out: Dict = new Map();
  if (names.length === 0) return out;
  const sorted = [...new Set(names)].sort(compareText).map(packageName);
  if (refresh) await refreshZypper(ctx, root);
  for (let i = 0; i < sorted.length; i += BATCH) {
    const words = ['info', '-t', 'package', ...sorted.slice(i, i + BATCH)];
    const { stdout } = await callZypper(ctx, words, { looks: true, root });
    for (const part of stdout.split(/Information for package*/)) readInfo(part, out);
  }
  return out;
}

function readInfo(text: string, out: Dict): void {
  const info: Dict = new Map();
  for (const line of text.split('\n')) {
    const at = line.indexOf(':');
    if (at < 0 || line.startsWith('-----')) continue;
    const value = line.slice(at + 1).trim();
    if (value !== '') info.set(line.slice(0, at).trim().toLowerCase(), value);
  }
  const name = info.get('name');
  if (!truthy(name)) return;
  info.delete('name');
  out.set(name ?? '', info);
  const installed = info.get('installed');
  if (truthy(installed))
    info.set(
      'installed',
      pyStr(installed ?? '')
        .toLowerCase()
        .startsWith('yes'),
    );
}

/** `pkg.latest_version`: what is newer than what is installed, empty where there is none. */
export async function latestZypper(
  ctx: ModuleContext,
  names: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  const sorted = [...new Set(names.map(pyStr))].sort(compareText);
  const known = await infoAvailable(ctx, sorted, infoKeywords(kwargs));
  const out: Dict = new Map();
  for (const name of sorted) {
    const info = known.get(name);
    const status = isDict(info) ? pyStr(info.get('status') ?? '').toLowerCase() : '';
    const isOpen = status.includes('not installed') || status.includes('out-of-date');
    out.set(name, isOpen && isDict(info) ? (info.get('version') ?? null) : '');
  }
  return sorted.length === 1 ? (out.get(sorted[0] ?? '') ?? null) : out;
}

/** `root` and `refresh` among keywords. */
export function infoKeywords(kwargs: Dict): { readonly root: Value; readonly refresh: boolean } {
  return { root: kwargs.get('root') ?? null, refresh: truthy(kwargs.get('refresh') ?? true) };
}

const newestFirst = (versions: Iterable<string>): string[] =>
  [...versions].sort((a, b) => compareLoose(b, a));

/** `pkg.list_repo_pkgs` */
export async function repositoryPackages(
  ctx: ModuleContext,
  names: readonly string[],
  kwargs: Dict,
): Promise<Dict> {
  const fromrepo = kwargs.get('fromrepo');
  const xml = await zypperXml(ctx, ['se', '-s', ...names.map(packageName)], {
    root: kwargs.get('root') ?? null,
  });
  const byRepository = new Map<string, Map<string, Set<string>>>();
  for (const { attributes } of elementsOf(xml, 'solvable')) {
    const [kind, repository, name, edition] = ['kind', 'repository', 'name', 'edition'].map((key) =>
      attributes.get(key),
    );
    if (kind !== 'package' || repository === undefined || name === undefined || edition === undefined)
      continue;
    if (truthy(fromrepo) && repository !== fromrepo) continue;
    if (names.length > 0 && !names.some((pattern) => fnmatch(name, pattern))) continue;
    const packages = byRepository.get(repository) ?? new Map<string, Set<string>>();
    byRepository.set(repository, packages.set(name, (packages.get(name) ?? new Set()).add(edition)));
  }
  if (truthy(kwargs.get('byrepo')))
    return new Map(
      [...byRepository].map(([repository, packages]): [Value, Value] => [
        repository,
        new Map([...packages].map(([name, editions]): [Value, Value] => [name, newestFirst(editions)])),
      ]),
    );
  const out = new Map<string, string[]>();
  for (const packages of byRepository.values())
    for (const [name, editions] of packages) out.set(name, [...(out.get(name) ?? []), ...editions]);
  return new Map([...out].map(([name, editions]): [Value, Value] => [name, newestFirst(editions)]));
}

/** Keywords of `pkg.search` and what zypper calls them. */
const SEARCH_OPTIONS: ReadonlyMap<string, string> = new Map([
  ...['provides', 'recommends', 'requires', 'suggests', 'conflicts', 'obsoletes'].map(
    (name): [string, string] => [name, `--${name}`],
  ),
  ['file_list', '--file-list'],
  ['search_descriptions', '--search-descriptions'],
  ['case_sensitive', '--case-sensitive'],
  ['installed_only', '--installed-only'],
  ['not_installed_only', '-u'],
  ['details', '--details'],
]);

/** `pkg.search` @throws CommandExecutionError `No packages found matching …` */
export async function searchZypper(ctx: ModuleContext, criteria: string, kwargs: Dict): Promise<Dict> {
  const match = pyStr(kwargs.get('match') ?? '');
  const words = [
    'search',
    ...(['exact', 'words', 'substrings'].includes(match) ? [`--match-${match}`] : []),
    ...[...kwargs.keys()].flatMap((name) => SEARCH_OPTIONS.get(pyStr(name)) ?? []),
    packageName(criteria),
  ];
  const how = { looks: true, raises: false, root: kwargs.get('root') ?? null };
  const found = elementsOf(await zypperXml(ctx, words, how), 'solvable');
  if (found.length === 0) throw new CommandExecutionError(`No packages found matching '${criteria}'`);
  return new Map(found.map((one): [Value, Value] => [one.attributes.get('name') ?? '', attributesDict(one)]));
}

/** Solvables of a kind: name to `{installed, summary}`. */
async function solvables(ctx: ModuleContext, kind: string, root: Value): Promise<Map<string, Dict>> {
  const xml = await zypperXml(ctx, ['se', '-t', kind], { looks: true, root });
  return new Map(
    elementsOf(xml, 'solvable').map(({ attributes }) => [
      attributes.get('name') ?? '',
      dict({
        installed: attributes.get('status') === 'installed',
        summary: attributes.get('summary') ?? '',
      }),
    ]),
  );
}

/** `pkg.list_patterns` */
export async function visiblePatterns(ctx: ModuleContext, root: Value): Promise<Dict> {
  return new Map(await solvables(ctx, 'pattern', root));
}

/** `pkg.list_installed_patterns` */
export async function installedPatterns(ctx: ModuleContext, root: Value): Promise<Dict> {
  const words = rpmCommand(dict({ root }), '-q', '--provides', '--whatprovides', 'pattern()');
  const text = await runText(ctx, words, { ignore_retcode: true });
  const out: Dict = new Map(
    [...(await solvables(ctx, 'pattern', root))].filter(([, each]) => each.get('installed') === true),
  );
  for (const line of text.split('\n')) {
    const name = line.split('=').at(-1)?.trim() ?? '';
    if (!line.startsWith('pattern() = ') || name.startsWith('.') || out.has(name)) continue;
    out.set(name, dict({ installed: true, summary: 'Non-visible pattern' }));
  }
  return out;
}

/** `pkg.list_patches`, `pkg.list_installed_patches` */
export async function listPatches(ctx: ModuleContext, onlyInstalled: boolean, root: Value): Promise<Dict> {
  const all = await solvables(ctx, 'patch', root);
  return new Map([...all].filter(([, each]) => !onlyInstalled || each.get('installed') === true));
}

/** `pkg.list_products` */
export async function listProducts(
  ctx: ModuleContext,
  { all, root }: { readonly all: boolean; readonly root: Value },
): Promise<Dict[]> {
  const words = all ? ['products'] : ['--disable-repositories', 'products', '-i'];
  const [list] = elementsOf(await zypperXml(ctx, words, { looks: true, root }), 'product-list');
  return list === undefined ? [] : elementsOf(list, 'product').map((product) => productOf(product, root));
}

function productOf(product: XmlElement, root: Value): Dict {
  const out: Dict = new Map();
  for (const [name, value] of product.attributes) {
    if (name === 'isbase' || name === 'installed') out.set(name, value === 'true' || value === '1');
    else if (value !== '') out.set(name, value);
  }
  const [end] = elementsOf(product, 'endoflife');
  if (end !== undefined)
    out
      .set('eol', end.attributes.get('text') ?? '')
      .set('eol_t', Math.trunc(Number(end.attributes.get('time_t') ?? 0)) || 0);
  const lines = (elementsOf(product, 'description')[0]?.text ?? '').split('\n');
  out.set('description', lines.map((line) => line.trim()).join(' '));
  const line = out.get('productline');
  const release = truthy(line) ? oemRelease(pyStr(line ?? ''), root) : '';
  return release === '' ? out : out.set('release', release);
}

function oemRelease(line: string, root: Value): string {
  const file = joinPath(below(root, '/var/lib/suseRegister/OEM'), line);
  return isFile(file) ? (readFileSync(file, 'utf8').split('\n')[0] ?? '').trim() : '';
}

/** `pkg.download` @throws CommandExecutionError, SaltInvocationError */
export async function downloadZypper(
  ctx: ModuleContext,
  packages: readonly Value[],
  kwargs: Dict,
): Promise<Dict> {
  if (packages.length === 0) throw new SaltInvocationError('No packages specified');
  const root = kwargs.get('root') ?? null;
  if (truthy(kwargs.get('refresh'))) await refreshZypper(ctx, root);
  const names = packages.map((name) => packageName(pyStr(name)));
  const out: Dict = new Map();
  for (const result of elementsOf(
    await zypperXml(ctx, ['download', ...names], { root }),
    'download-result',
  )) {
    const attribute = (element: string, name: string): string =>
      elementsOf(result, element)[0]?.attributes.get(name) ?? '';
    const path = attribute('localfile', 'path');
    const words = new Map(truthy(root) ? [['root', root] as const] : []);
    if (!truthy(await ctx.functions.call('lowpkg.checksum', [path], words))) continue;
    out.set(
      elementsOf(result, 'name')[0]?.text ?? '',
      dict({
        'repository-name': attribute('repository', 'name'),
        'repository-alias': attribute('repository', 'alias'),
        path,
      }),
    );
  }
  if (out.size === 0) throw new CommandExecutionError(`Unable to download packages: ${names.join(', ')}`);
  const failed = names.filter((name) => !out.has(name));
  if (failed.length > 0)
    out.set('_error', `The following package(s) failed to download: ${failed.join(', ')}`);
  return out;
}

/** `pkg.list_downloaded`: package files in zypper's cache. */
export async function downloadedZypper(ctx: ModuleContext, root: Value): Promise<Dict> {
  const out: Dict = new Map();
  const folder = below(root, '/var/cache/zypp/packages');
  if (!existsSync(folder)) return out;
  for (const { path, files } of walk(folder)) {
    for (const file of files.filter((name) => name.endsWith('.rpm'))) {
      const place = joinPath(path, file);
      const info = await rpmFileInfo(ctx, place, 'base');
      if (info === null) continue;
      const facts = statSync(place);
      const seconds = Math.trunc(facts.ctimeMs / 1000);
      const known = out.get(info.get('name') ?? '');
      const entry = dict({
        path: place,
        size: facts.size,
        creation_date_time_t: seconds,
        creation_date_time: new Date(seconds * 1000).toISOString().slice(0, 19),
      });
      out.set(
        info.get('name') ?? '',
        (isDict(known) ? known : (new Map() as Dict)).set(info.get('version') ?? '', entry),
      );
    }
  }
  return out;
}

/** `pkg.diff`: files as they are against how they were in their packages, which are downloaded for that. */
export async function diffZypper(ctx: ModuleContext, paths: readonly Value[], kwargs: Dict): Promise<Dict> {
  const out: Dict = new Map();
  const byPackage = new Map<string, string[]>();
  for (const path of paths.map(pyStr)) {
    const owner = pyStr(await ctx.functions.call('lowpkg.owner', [path], kwargs));
    if (owner === '') out.set(path, pathExists(path) ? 'Not managed' : 'N/A');
    else byPackage.set(owner, [...(byPackage.get(owner) ?? []), path]);
  }
  if (byPackage.size === 0) return out;
  const files = await downloadZypper(ctx, [...byPackage.keys()], kwargs);
  for (const [name, owned] of byPackage) {
    const file = files.get(name);
    for (const path of owned) {
      const shown = isDict(file) ? await diffPackageFile(ctx, pyStr(file.get('path') ?? ''), path) : '';
      out.set(path, truthy(shown) ? shown : 'Unchanged');
    }
  }
  return out;
}

/** `pkg.list_provides`: what packages provide, to their names. */
export async function providesOf(ctx: ModuleContext, root: Value): Promise<Dict> {
  const words = rpmCommand(dict({ root }), '-qa', '--queryformat', '%{PROVIDES}_|-%{NAME}\\n');
  const out = new Map<string, string[]>();
  for (const line of (await runText(ctx, words, { output_loglevel: 'trace' })).split('\n')) {
    const [provide, name] = line.split('_|-');
    if (provide === undefined || name === undefined || provide === name) continue;
    out.set(provide, [...(out.get(provide) ?? []), name]);
  }
  return new Map(out);
}

/** `pkg.resolve_capabilities`: names of packages for what only they provide. */
export async function resolvedCapabilities(
  ctx: ModuleContext,
  pkgs: readonly Value[],
  {
    refresh,
    root,
    resolves,
  }: { readonly refresh: boolean; readonly root: Value; readonly resolves: boolean },
): Promise<Value[]> {
  if (refresh) await refreshZypper(ctx, root);
  const out: Value[] = [];
  for (const given of pkgs) {
    const [[known, version] = [given, null]] = isDict(given) ? [...given] : [[given, null] as [Value, Value]];
    const name = resolves ? await resolvedCapability(ctx, pyStr(known), root) : known;
    out.push(truthy(version) ? new Map([[name, version]]) : name);
  }
  return out;
}

async function resolvedCapability(ctx: ModuleContext, name: string, root: Value): Promise<string> {
  const found = async (more: Dict): Promise<Dict | undefined> => {
    try {
      return await searchZypper(ctx, name, new Map([['root', root], ...more, ['match', 'exact']]));
    } catch (error) {
      if (error instanceof CommandExecutionError) return undefined;
      throw error;
    }
  };
  if ((await found(new Map())) !== undefined) return name;
  const providers = await found(dict({ provides: true }));
  if (providers !== undefined && providers.size > 1)
    ctx.log.warning(`Found ambiguous match for capability '${name}'.`);
  return providers?.size === 1 ? pyStr([...providers.keys()][0] ?? name) : name;
}

/** `pkg.services_need_restart` */
export async function servicesOfZypper(ctx: ModuleContext, root: Value): Promise<string[]> {
  const how: ZypperCall = { looks: true, root };
  return (await callZypper(ctx, ['ps', '-sss'], how)).stdout.split(/\s+/).filter((word) => word !== '');
}

/** Whether a keyword stands for yes. */
export const flagOf = (kwargs: Dict, name: string): boolean => isTrue(kwargs.get(name) ?? false);
