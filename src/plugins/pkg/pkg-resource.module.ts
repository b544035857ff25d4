/** `pkg_resource`: what modules of packages share. Follows 3006.16 salt/modules/pkg_resource.py. */
import { SaltInvocationError } from '../../errors/errors.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { isTrue } from '../../python/conversions.ts';
import { isAbs } from '../../python/paths.ts';
import { filterNames } from '../../python/text/fnmatch.ts';
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { compareLoose } from '../shared/loose-versions.ts';
import { checkDuplicates, givenPackages } from '../shared/packages.ts';
import { isFileAddress, neededFile } from '../shared/served-files.ts';
import { installedVersions } from '../shared/installed-versions.ts';

const NOTHING: Value[] = [null, null];

type Normalize = (name: Value) => Promise<Value>;

/** `pkg.normalize_name`, where that is wanted and there is one. */
async function normalizer(ctx: ModuleContext, wanted: boolean): Promise<Normalize> {
  const has = wanted && (await ctx.functions.has('pkg.normalize_name'));
  return (name) => (has ? ctx.functions.call('pkg.normalize_name', [name]) : Promise.resolve(name));
}

/** Mappings of one entry each as one mapping; empty, with a log record, for anything else. */
async function packSources(ctx: ModuleContext, given: Value, isNormalized: boolean): Promise<Dict> {
  const normalize = await normalizer(ctx, isNormalized);
  const sources = typeof given === 'string' ? loadYaml(given, { source: 'sources' }) : given;
  const packed = dict();
  for (const source of Array.isArray(sources) ? sources : [sources]) {
    if (!isDict(source) || source.size !== 1) {
      ctx.log.error(`Invalid input: ${pyStr(sources)}. Input must be a list of 1-element dicts`);
      return dict();
    }
    for (const [name, place] of source) packed.set(await normalize(name), place);
  }
  return packed;
}

async function packPackages(ctx: ModuleContext, pkgs: Value, isNormalized: boolean): Promise<Dict> {
  const normalize = await normalizer(ctx, isNormalized);
  const given = givenPackages(ctx, pkgs) ?? [];
  const packed = dict();
  for (const [name, version] of given) packed.set(await normalize(name), version);
  checkDuplicates(pkgs, given.length, packed.size);
  return packed;
}

async function sourcePaths(ctx: ModuleContext, sources: Dict, saltenv: Value): Promise<Value[]> {
  const paths: Value[] = [];
  for (const [name, place] of sources) {
    if (await isFileAddress(ctx, [place])) paths.push(await neededFile(ctx, pyStr(place), pyStr(saltenv)));
    else if (isAbs(pyStr(place))) paths.push(place);
    else
      throw new SaltInvocationError(
        `Path ${pyStr(place)} for package ${pyStr(name)} is either not absolute or an invalid protocol`,
      );
  }
  return paths;
}

/** What to install, as `parse_targets` takes it. */
interface GivenTargets {
  readonly name: Value;
  readonly pkgs: Value;
  readonly sources: Value;
  readonly saltenv: Value;
  readonly normalize: boolean;
}

async function parseTargets(ctx: ModuleContext, given: GivenTargets, kwargs: Dict): Promise<Value> {
  const { name, pkgs, sources, saltenv, normalize } = given;
  const refused = (why: string): Value => {
    ctx.log.error(why);
    return NOTHING;
  };
  if (truthy(pkgs) && truthy(sources)) return refused('Only one of "pkgs" and "sources" can be used.');
  if (kwargs.has('advisory_ids')) {
    const ids = kwargs.get('advisory_ids') ?? null;
    if (truthy(pkgs)) return refused('Cannot use "advisory_ids" and "pkgs" at the same time');
    return [truthy(ids) ? ids : [name], 'advisory'];
  }
  const version = kwargs.get('version') ?? null;
  if (version !== null && (truthy(pkgs) || truthy(sources)))
    ctx.log.warning("'version' argument will be ignored for multiple package targets");
  if (truthy(pkgs)) {
    const packed = await packPackages(ctx, pkgs, normalize);
    return packed.size === 0 ? NOTHING : [packed, 'repository'];
  }
  if (truthy(sources)) {
    const packed = await packSources(ctx, sources, normalize);
    return packed.size === 0 ? NOTHING : [await sourcePaths(ctx, packed, saltenv), 'file'];
  }
  if (!truthy(name)) return refused('No package sources provided');
  const toName = await normalizer(ctx, normalize);
  const packed = dict();
  for (const one of pyStr(name).split(',')) packed.set(await toName(one), version);
  return [packed, 'repository'];
}

const joined = (versions: Value): string =>
  Array.isArray(versions) ? versions.map(pyStr).join(',') : pyStr(versions);

const stringified = (pkgs: Dict): Dict =>
  new Map([...pkgs].map(([name, versions]): [Value, Value] => [name, joined(versions)]));

async function versionOf(ctx: ModuleContext, names: readonly Value[], kwargs: Dict): Promise<Value> {
  const options: Dict = new Map([...kwargs].filter(([key]) => !pyStr(key).startsWith('__')));
  const isList = isTrue(options.get('versions_as_list') ?? false);
  const found = dict();
  if (names.length > 0) {
    const installed = await installedVersions(ctx, [], options.set('versions_as_list', true));
    for (const name of names.map(pyStr))
      for (const one of name.includes('*') ? filterNames([...installed.keys()].map(pyStr), name) : [name])
        found.set(one, installed.get(one) ?? []);
  }
  const shown = isList ? found : stringified(found);
  const isPattern = names.some((name) => pyStr(name).includes('*'));
  return shown.size === 1 && !isPattern ? ([...shown.values()][0] ?? '') : shown;
}

/** The orders for which a comparison holds. */
const OPERATORS: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['<', (order: number) => order < 0],
  ['<=', (order: number) => order <= 0],
  ['==', (order: number) => order === 0],
  ['>=', (order: number) => order >= 0],
  ['>', (order: number) => order > 0],
  ['!=', (order: number) => order !== 0],
]);

function compareVersions(
  ctx: ModuleContext,
  { ver1, oper, ver2, ignore_epoch }: { ver1: string; oper: string; ver2: string; ignore_epoch: boolean },
): boolean {
  const holds = OPERATORS.get(oper);
  if (holds === undefined) {
    ctx.log.error(`Invalid operator '${oper}' for version comparison`);
    return false;
  }
  const bare = (version: string): string =>
    ignore_epoch ? version.slice(version.indexOf(':') + 1) : version;
  return holds(compareLoose(bare(ver1), bare(ver2)));
}

function formatVersion(epoch: string | undefined, version: string, release: string | undefined): string {
  const full = epoch === undefined ? version : `${epoch}:${version}`;
  return release === undefined ? full : `${full}-${release}`;
}

const ATTRIBUTES = ['epoch', 'version', 'release', 'arch', 'install_date', 'install_date_time_t'];

const fieldOf = (value: Value, name: string): Value => (isDict(value) ? (value.get(name) ?? null) : null);

const textIn = (value: Value, name: string): string | undefined => {
  const field = fieldOf(value, name);
  return truthy(field) ? pyStr(field) : undefined;
};

async function withAttributes(ctx: ModuleContext, packages: Dict, attr: Value): Promise<Dict> {
  const asked = Array.isArray(attr) ? attr.map(pyStr) : [];
  const wanted =
    attr === 'all' ? ATTRIBUTES : ATTRIBUTES.filter((one) => [...asked, 'version', 'arch'].includes(one));
  const found = dict();
  for (const [name, versions] of packages) {
    const parsed = (await ctx.functions.has('pkg.parse_arch'))
      ? await ctx.functions.call('pkg.parse_arch', [name])
      : dict({ name, arch: null });
    const kept = (Array.isArray(versions) ? versions : []).map((version) =>
      dict(
        Object.fromEntries(
          wanted.flatMap((one) => (isDict(version) && version.has(one) ? [[one, version.get(one)]] : [])),
        ),
      ),
    );
    const isOwn = kept.some((one) => (one.get('arch') ?? null) === fieldOf(parsed, 'arch'));
    const key = isOwn && truthy(fieldOf(parsed, 'name')) ? fieldOf(parsed, 'name') : name;
    const known = found.get(key);
    found.set(key, [...(Array.isArray(known) ? known : []), ...kept]);
  }
  return found;
}

async function formatPackages(
  ctx: ModuleContext,
  packages: Dict,
  isList: boolean,
  attr: Value,
): Promise<Dict> {
  if (truthy(attr)) return withAttributes(ctx, packages, attr);
  const listed: Dict = new Map(
    [...packages].map(([name, versions]): [Value, Value] => [
      name,
      (Array.isArray(versions) ? versions : []).map((one) =>
        formatVersion(textIn(one, 'epoch'), pyStr(fieldOf(one, 'version')), textIn(one, 'release')),
      ),
    ]),
  );
  return isList ? listed : stringified(listed);
}

const PKGS = {
  pkgs: param.mapping({ doc: 'Mapping of package to list of versions; it is changed.' }),
} as const;
const NORMALIZE = {
  normalize: param.flag({ default: true, doc: 'Names without the architecture of this machine.' }),
} as const;

/** The module. */
export const pkgResourceModule = defineModule({
  name: 'pkg_resource',
  file: 'pkg_resource',
  doc: 'What modules of packages share: reading what is to be installed, comparing and showing versions.',
  functions: {
    pack_sources: defineFunction({
      doc: 'Makes one mapping of a list of mappings with one entry each.',
      params: { sources: param.value({ type: 'list or str', doc: 'The list, or its text.' }), ...NORMALIZE },
      returns: 'mapping of package to source; empty for anything else',
      examples: [
        `salt '*' pkg_resource.pack_sources '[{"foo": "salt://foo.rpm"}, {"bar": "salt://bar.rpm"}]'`,
      ],
      run: (ctx, { sources, normalize }) => packSources(ctx, sources, normalize),
    }),
    parse_targets: defineFunction({
      doc: 'Reads what a module is to install.',
      params: {
        name: param.value({ default: null, type: 'str', doc: 'A package, or several with commas.' }),
        pkgs: param.value({
          default: null,
          type: 'list',
          doc: 'Packages, each with or without its version.',
        }),
        sources: param.value({ default: null, type: 'list', doc: 'Mappings of package to file or URL.' }),
        saltenv: param.value({ default: 'base', type: 'str', doc: 'Where sources come from.' }),
        ...NORMALIZE,
      },
      kwargs: 'kwargs',
      returns:
        'packages or paths, and `repository`, `file` or `advisory`; twice none where nothing is to be installed',
      examples: ["salt '*' pkg_resource.parse_targets bash"],
      run: (ctx, args, _rest, kwargs) => parseTargets(ctx, args, kwargs),
    }),
    version: defineFunction({
      doc: 'Returns the versions of packages that are installed.',
      varargs: 'names',
      kwargs: 'kwargs',
      returns: 'the version; of several packages a mapping of package to version',
      examples: ["salt '*' pkg_resource.version vim", "salt '*' pkg_resource.version 'python*'"],
      run: (ctx, _args, names, kwargs) => versionOf(ctx, names, kwargs),
    }),
    add_pkg: defineFunction({
      doc: 'Adds a version of a package to a mapping.',
      params: {
        ...PKGS,
        name: param.value({ type: 'str', doc: 'The package.' }),
        pkgver: param.value({ type: 'str', doc: 'The version.' }),
      },
      returns: 'none',
      examples: ["salt '*' pkg_resource.add_pkg '{}' bind 9"],
      run: (_ctx, { pkgs, name, pkgver }) => {
        const known = pkgs.get(name);
        if (Array.isArray(known)) known.push(pkgver);
        else pkgs.set(name, [pkgver]);
        return null;
      },
    }),
    sort_pkglist: defineFunction({
      doc: 'Sorts the versions of each package of a mapping.',
      params: PKGS,
      returns: 'none',
      examples: [`salt '*' pkg_resource.sort_pkglist '{"vim": ["3.45", "2.13"]}'`],
      run: (_ctx, { pkgs }) => {
        for (const [name, versions] of pkgs)
          if (Array.isArray(versions)) pkgs.set(name, [...new Set(versions.map(pyStr))].sort(compareText));
        return null;
      },
    }),
    stringify: defineFunction({
      doc: 'Makes one text of the versions of each package of a mapping.',
      params: PKGS,
      returns: 'none',
      examples: [`salt '*' pkg_resource.stringify '{"vim": ["7.127"]}'`],
      run: (_ctx, { pkgs }) => {
        for (const [name, versions] of pkgs) pkgs.set(name, joined(versions));
        return null;
      },
    }),
    version_clean: defineFunction({
      doc: 'Returns a version without what the module of packages says does not belong to it.',
      params: { verstr: param.value({ type: 'str', doc: 'The version.' }) },
      returns: 'the version',
      examples: ["salt '*' pkg_resource.version_clean 1.2"],
      run: async (ctx, { verstr }) =>
        truthy(verstr) && (await ctx.functions.has('pkg.version_clean'))
          ? ctx.functions.call('pkg.version_clean', [verstr])
          : verstr,
    }),
    version_compare: defineFunction({
      doc: 'Compares two versions.',
      params: {
        ver1: param.text({ doc: 'The first.' }),
        oper: param.text({ doc: '==, !=, >=, <=, > or <.' }),
        ver2: param.text({ doc: 'The second.' }),
        ignore_epoch: param.flag({ default: false, doc: 'Without what is in front of a colon.' }),
      },
      returns: 'true or false; false for another operator',
      examples: ["salt '*' pkg_resource.version_compare '3.5' '<=' '2.4'"],
      run: (ctx, args) => compareVersions(ctx, args),
    }),
    check_extra_requirements: defineFunction({
      doc: 'Returns whether what is installed is as further requirements say, where the module of packages can tell.',
      params: {
        pkgname: param.value({ type: 'str', doc: 'The package.' }),
        pkgver: param.valueIfGiven({ type: 'str', doc: 'The requirements.' }),
      },
      returns: 'true or false',
      examples: ["salt '*' pkg_resource.check_extra_requirements bash x"],
      run: async (ctx, { pkgname, pkgver }) =>
        pkgver !== undefined && (await ctx.functions.has('pkg.check_extra_requirements'))
          ? ctx.functions.call('pkg.check_extra_requirements', [pkgname, pkgver])
          : true,
    }),
    format_pkg_list: defineFunction({
      doc: 'Shows packages as `pkg.list_pkgs` does.',
      params: {
        packages: param.mapping({
          doc: 'Mapping of package to list of mappings with epoch, version, release…',
        }),
        versions_as_list: param.flag({ doc: 'Lists of versions, and not texts with commas.' }),
        attr: param.value({ type: 'list or str', doc: 'Which fields to return; `all`.' }),
      },
      returns: 'mapping of package to versions or fields',
      run: (ctx, { packages, versions_as_list, attr }) =>
        formatPackages(ctx, packages, versions_as_list, attr),
    }),
    format_version: defineFunction({
      doc: 'Makes one text of the parts of a version.',
      params: {
        epoch: param.textIfGiven({ doc: 'The epoch.' }),
        version: param.text({ doc: 'The version.' }),
        release: param.textIfGiven({ doc: 'The release.' }),
      },
      returns: 'epoch:version-release',
      run: (_ctx, { epoch, version, release }) => formatVersion(epoch, version, release),
    }),
  },
});
