/** `pkg` with apt. Follows 3006.16 salt/modules/aptpkg.py. */
import { statSync } from 'node:fs';
import { CommandExecutionError, CommandNotFoundError, SaltInvocationError } from '../../../errors/errors.ts';
import { readBytes, walk } from '../../../host/file-operations.ts';
import { joinPath } from '../../../python/paths.ts';
import { findProgram } from '../../../host/which.ts';
import { isTrue } from '../../../python/conversions.ts';
import { refuseKeywords } from '../../../runtime/loader/bind.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../../runtime/loader/module.ts';
import { compareText } from '../../../python/values/order.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { loadYaml } from '../../../formats/yaml/load.ts';
import {
  autoremove,
  callApt,
  installPackages,
  latestVersions,
  normalizeName,
  refreshLists,
  removePackages,
  repositoryVersions,
  setSelection,
  upgradable,
  upgradeAll,
} from './module/apt.ts';
import { configuredSource, namedLine } from './module/apt-plan.ts';
import { aptSources, sourceDict } from './module/apt-sources.ts';
import { debFileInfo, debPackages, hasDpkg, installedDebs, selections } from '../../shared/dpkg.ts';
import { holdTargets, packageName, versionOf, versionsDict } from '../../shared/packages.ts';
import { repositoryFunctions } from '../module/repository-functions.ts';
import { compareDeb, withoutEpoch } from '../module/versions.ts';
import { runStdout } from '../../shared/program.ts';
import { mapLimited } from '../../../storage/fileclient/limited.ts';
import { param } from '../../../runtime/loader/params.ts';
import { neededFile } from '../../shared/served-files.ts';

const INSTALL_PARAMS = {
  name: param.value({ default: null, type: 'str', doc: 'The package, or several separated by commas.' }),
  refresh: param.strictFlag({ default: false, doc: 'Fetch the lists of packages first.' }),
  fromrepo: param.value({ default: null, type: 'str', doc: 'The release to take packages from.' }),
  skip_verify: param.flag({ default: false, doc: 'Do not check signatures.' }),
  debconf: param.value({ default: null, type: 'str', doc: 'A file with answers to questions of packages.' }),
  pkgs: param.value({
    default: null,
    type: 'list',
    doc: 'Packages, also as `{name: version}`; versions may be compared (`>=1.2`).',
  }),
  sources: param.value({ default: null, type: 'list', doc: 'Package files as `{name: address}`.' }),
  reinstall: param.flag({ default: false, doc: 'Also what is installed in that version.' }),
  downloadonly: param.flag({ default: false, doc: 'Only fetch.' }),
  ignore_epoch: param.flag({ default: false, doc: 'Compare versions without their epoch.' }),
} as const;
const CHANGES = '`{package: {old, new}}` of what has changed';
const NAMES = { varargs: 'names', kwargs: 'kwargs' } as const;
const REFRESH = param.strictFlag({ default: true, doc: 'Fetch the lists of packages first.' });

async function listPackages(
  ctx: ModuleContext,
  args: { readonly [name in 'versions_as_list' | 'removed' | 'purge_desired']: boolean },
): Promise<Dict> {
  const { installed, removed, purgeDesired } = await debPackages(ctx);
  const asList = args.versions_as_list;
  if (args.removed) return versionsDict(removed, asList);
  return versionsDict(args.purge_desired ? purgeDesired : new Map([...purgeDesired, ...installed]), asList);
}

/** Whether dpkg holds a package back; undefined when it does not know the package. */
async function stateOf(ctx: ModuleContext, name: string): Promise<string | undefined> {
  const found = await selections(ctx, packageName(name));
  return found.has('hold') ? 'hold' : [...found.keys()][0];
}

async function hold(ctx: ModuleContext, names: readonly string[], isHeld: boolean): Promise<Dict> {
  const out: Dict = new Map();
  const isTest = truthy(ctx.opts.get('test'));
  for (const name of names) {
    const entry = dict({ name, changes: {}, result: false, comment: '' });
    out.set(name, entry);
    const state = await stateOf(ctx, name);
    const not = isHeld ? '' : 'not ';
    if (state === undefined && !isHeld) entry.set('comment', `Package ${name} does not have a state.`);
    else if ((state === 'hold') === isHeld) {
      entry.set('result', true).set('comment', `Package ${name} is already set ${not}to be held.`);
    } else if (isTest) {
      entry.set('result', null).set('comment', `Package ${name} is set ${not}to be held.`);
    } else if (await setSelection(ctx, name, isHeld ? 'hold' : 'install')) {
      const verb = isHeld ? 'is now being held' : 'is no longer being held';
      entry.set('changes', dict({ old: state ?? null, new: isHeld ? 'hold' : 'install' }));
      entry.set('result', true).set('comment', `Package ${name} ${verb}.`);
    }
  }
  return out;
}

const STATES = ['install', 'hold', 'deinstall', 'purge'];

/** `pkg.set_selections`. @throws SaltInvocationError */
async function setSelections(
  ctx: ModuleContext,
  args: {
    readonly path: Value | undefined;
    readonly selection: Value | undefined;
    readonly clear: boolean;
    readonly saltenv: Value;
  },
): Promise<Dict> {
  const { path, selection = null } = args;
  const out: Dict = new Map();
  if (path === undefined && args.selection === undefined) return out;
  if (path !== undefined && args.selection !== undefined) {
    throw new SaltInvocationError(
      "The 'selection' and 'path' arguments to pkg.set_selections are mutually exclusive, and cannot be specified together",
    );
  }
  const wanted =
    path !== undefined ? await selectionFile(ctx, path, args.saltenv) : selectionValue(selection);
  const bad = [...wanted.keys()].map(pyStr).filter((state) => !STATES.includes(state));
  if (bad.length > 0) throw new SaltInvocationError(`Invalid state(s): ${bad.join(', ')}`);
  const isTest = truthy(ctx.opts.get('test'));
  if (args.clear && !isTest) {
    const { retcode, stderr } = await callApt(ctx, ['dpkg', '--clear-selections'], { scope: false });
    if (retcode !== 0) throw new CommandExecutionError(`Running dpkg --clear-selections failed: ${stderr}`);
  }
  const current = new Map<string, string>();
  for (const [state, names] of await selections(ctx, null))
    for (const name of names) current.set(name, state);
  for (const [state, names] of wanted) {
    for (const name of (Array.isArray(names) ? names : [names]).map(pyStr)) {
      if (current.get(name) === state || isTest) continue;
      if (await setSelection(ctx, packageName(name), pyStr(state)))
        out.set(name, dict({ old: current.get(name) ?? null, new: state }));
    }
  }
  return out;
}

async function selectionFile(ctx: ModuleContext, path: Value, saltenv: Value): Promise<Dict> {
  const cached = await neededFile(ctx, pyStr(path), pyStr(saltenv));
  const out: Dict = new Map();
  for (const line of splitLines(readBytes(cached).toString('utf8'))) {
    const [name = '', state = ''] = line.trim().split(/\s+/);
    const known = out.get(state);
    if (state !== '') out.set(state, [...(Array.isArray(known) ? known : []), name]);
  }
  return out;
}

function selectionValue(selection: Value): Dict {
  const value = typeof selection === 'string' ? loadYaml(selection, { source: 'selection' }) : selection;
  if (isDict(value)) return value;
  throw new SaltInvocationError('Improperly-formatted selection: a mapping of state to packages is needed');
}

/** `pkg.show`: fields of packages in the repositories. */
async function show(ctx: ModuleContext, names: readonly Value[], kwargs: Dict): Promise<Dict> {
  refuseKeywords(kwargs, ['refresh', 'filter']);
  if (truthy(kwargs.get('refresh'))) await refreshLists(ctx, 0, false);
  const out: Dict = new Map();
  if (names.length === 0) return out;
  const given = kwargs.get('filter') ?? [];
  const filter = (Array.isArray(given) ? given : pyStr(given).split(',')).map((word) =>
    pyStr(word).toLowerCase(),
  );
  const argv = ['apt-cache', 'show', ...names.map((name) => packageName(pyStr(name)))];
  const { stdout } = await callApt(ctx, argv, { scope: false });
  for (const block of stdout.split('\n\n')) {
    const fields = new Map<string, string>();
    for (const line of block.split('\n').map((text) => text.trim())) {
      const at = line.indexOf(':');
      const key = line.slice(0, Math.max(0, at)).trim();
      if (at < 0) continue;
      if (
        ['package', 'version'].includes(key.toLowerCase()) ||
        filter.length === 0 ||
        filter.includes(key.toLowerCase())
      )
        fields.set(key, line.slice(at + 1).trim());
    }
    const [name, version] = [fields.get('Package'), fields.get('Version')];
    if (name === undefined || version === undefined) continue;
    fields.delete('Package');
    fields.delete('Version');
    const known = out.get(name);
    const versions: Dict = isDict(known) ? known : new Map();
    const before = versions.get(version);
    out.set(
      name,
      versions.set(version, new Map<Value, Value>([...(isDict(before) ? before : []), ...fields])),
    );
  }
  return out;
}

const INFO_NAMES = new Map([
  ['package', 'name'],
  ['origin', 'vendor'],
  ['section', 'group'],
  ['maintainer', 'packager'],
  ['homepage', 'url'],
]);

async function infoInstalled(ctx: ModuleContext, names: readonly Value[], kwargs: Dict): Promise<Dict> {
  refuseKeywords(kwargs, ['failhard']);
  const words = dict({ failhard: kwargs.get('failhard') ?? true });
  const all = await ctx.functions.call('lowpkg.info', names, words);
  const out: Dict = new Map();
  for (const [name, entry] of isDict(all) ? all : []) {
    if (!isDict(entry) || pyStr(entry.get('status') ?? 'ii').charAt(1) !== 'i') continue;
    const shown = [...entry].filter(([key]) => key !== 'status');
    out.set(name, new Map(shown.map(([key, value]) => [INFO_NAMES.get(pyStr(key)) ?? key, value])));
  }
  return out;
}

async function ownerOf(ctx: ModuleContext, paths: readonly Value[]): Promise<Value> {
  if (paths.length === 0) return '';
  const out: Dict = new Map();
  for (const path of paths) {
    const output = await runStdout(ctx, ['dpkg', '-S', packageName(pyStr(path))], {
      output_loglevel: 'trace',
    });
    const [name = ''] = output.split(':');
    out.set(path, name.toLowerCase().includes('no path found') ? '' : name);
  }
  return out.size === 1 ? ([...out.values()][0] as Value) : out;
}

/** Package files that are looked into at the same time: dpkg starts three programs for each. */
const LOOKED_INTO_AT_ONCE = 4;

async function downloaded(ctx: ModuleContext, root: string | undefined): Promise<Dict> {
  const places = [...walk(joinPath(root ?? '/', 'var/cache/apt'))].flatMap(({ path, files }) =>
    files.filter((name) => name.endsWith('.deb')).map((name) => joinPath(path, name)),
  );
  const infos = await mapLimited(places, LOOKED_INTO_AT_ONCE, (place) => debFileInfo(ctx, place));
  const out: Dict = new Map();
  for (const [at, place] of places.entries()) {
    const info = infos[at] ?? new Map();
    const facts = statSync(place);
    const seconds = Math.trunc(facts.ctimeMs / 1000);
    const entry = dict({
      path: place,
      size: facts.size,
      creation_date_time_t: seconds,
      creation_date_time: new Date(seconds * 1000).toISOString().slice(0, 19),
    });
    const known = out.get(info.get('name') ?? '');
    out.set(
      info.get('name') ?? '',
      (isDict(known) ? known : new Map()).set(info.get('version') ?? '', entry),
    );
  }
  return out;
}

const latest = {
  doc: 'Returns the version that apt would install where it is newer than the installed one. Keywords: refresh, fromrepo, show_installed, cache_valid_time.',
  ...NAMES,
  returns: 'text, empty when there is nothing newer; of several packages a mapping',
} as const;

const looking = {
  version: defineFunction({
    doc: 'Returns the installed version of packages; names may be globs.',
    ...NAMES,
    returns: 'text, empty when it is not installed; of several packages a mapping',
    examples: ["salt '*' pkg.version <package name>"],
    run: async (ctx, _args, rest, kwargs) =>
      rest.length === 0
        ? new Map()
        : versionOf(await installedDebs(ctx), rest, isTrue(kwargs.get('versions_as_list'))),
  }),
  list_pkgs: defineFunction({
    doc: 'Lists the installed packages.',
    params: {
      versions_as_list: param.strictFlag({ default: false, doc: 'Versions as lists.' }),
      removed: param.strictFlag({
        default: false,
        doc: 'Those removed but for their configuration instead.',
      }),
      purge_desired: param.strictFlag({
        default: false,
        doc: 'Those installed that are to be purged instead.',
      }),
    },
    kwargs: 'kwargs',
    returns: 'mapping of package to version',
    examples: ["salt '*' pkg.list_pkgs"],
    run: (ctx, args) => listPackages(ctx, args),
  }),
  latest_version: defineFunction({
    ...latest,
    examples: ["salt '*' pkg.latest_version <package name>"],
    run: (ctx, _args, rest, kwargs) => latestVersions(ctx, rest, kwargs),
  }),
  available_version: defineFunction({
    ...latest,
    pythonName: 'latest_version',
    run: (ctx, _args, rest, kwargs) => latestVersions(ctx, rest, kwargs),
  }),
  upgrade_available: defineFunction({
    doc: 'Returns whether there is a newer version of a package.',
    params: { name: param.value({ type: 'str', doc: 'The package.' }) },
    kwargs: 'kwargs',
    returns: 'true or false',
    examples: ["salt '*' pkg.upgrade_available <package name>"],
    run: async (ctx, { name }) => (await latestVersions(ctx, [name], new Map())) !== '',
  }),
  list_upgrades: defineFunction({
    doc: 'Lists what an upgrade would install.',
    params: {
      refresh: REFRESH,
      dist_upgrade: param.flag({ default: true, doc: 'Also what needs others installed or removed.' }),
    },
    kwargs: 'kwargs',
    returns: 'mapping of package to version',
    examples: ["salt '*' pkg.list_upgrades"],
    run: async (ctx, { refresh, dist_upgrade }, _rest, kwargs) => {
      if (refresh) await refreshLists(ctx, kwargs.get('cache_valid_time') ?? 0, false);
      return upgradable(ctx, dist_upgrade, kwargs);
    },
  }),
  list_repo_pkgs: defineFunction({
    doc: 'Lists the versions that the repositories have.',
    varargs: 'args',
    kwargs: 'kwargs',
    returns: 'mapping of package to list of versions',
    examples: ["salt '*' pkg.list_repo_pkgs foo bar baz"],
    run: async (ctx, _args, rest) => new Map<Value, Value>(await repositoryVersions(ctx, rest)),
  }),
  info_installed: defineFunction({
    doc: 'Returns all that is known about installed packages. Keyword failhard=False leaves out those that are not there.',
    ...NAMES,
    returns:
      'mapping of package to `{name, version, architecture, install_date, packager, source, group, url, description, …}`',
    examples: ["salt '*' pkg.info_installed <package1> <package2>"],
    run: (ctx, _args, rest, kwargs) => infoInstalled(ctx, rest, kwargs),
  }),
  show: defineFunction({
    doc: 'Returns what the repositories say of packages. Keywords: filter (fields), refresh.',
    ...NAMES,
    returns: 'mapping of package to version to fields',
    examples: ["salt '*' pkg.show gawk", "salt '*' pkg.show 'nginx-*'"],
    run: (ctx, _args, rest, kwargs) => show(ctx, rest, kwargs),
  }),
  version_cmp: defineFunction({
    doc: 'Compares two versions as dpkg does.',
    params: {
      pkg1: param.text({ doc: 'The first version.' }),
      pkg2: param.text({ doc: 'The second version.' }),
      ignore_epoch: INSTALL_PARAMS.ignore_epoch,
    },
    kwargs: 'kwargs',
    returns: '-1, 0 or 1; nothing where dpkg takes one of them for no version',
    examples: ["salt '*' pkg.version_cmp '0.2.4-0ubuntu1' '0.2.4.1-0ubuntu1'"],
    run: (_ctx, { pkg1, pkg2, ignore_epoch }) => {
      const shown = (value: string): string => (ignore_epoch ? withoutEpoch(value) : value);
      return compareDeb(shown(pkg1), shown(pkg2));
    },
  }),
  owner: defineFunction({
    doc: 'Returns which package a file belongs to.',
    varargs: 'paths',
    kwargs: 'kwargs',
    returns: 'text, empty when to none; of several files a mapping',
    examples: ["salt '*' pkg.owner /usr/bin/apachectl"],
    run: (ctx, _args, rest) => ownerOf(ctx, rest),
  }),
  file_list: defineFunction({
    doc: 'Lists the files of packages.',
    varargs: 'packages',
    kwargs: 'kwargs',
    returns: '`{errors: [], files: [paths]}`',
    examples: ["salt '*' pkg.file_list httpd postfix"],
    run: (ctx, _args, rest) => ctx.functions.call('lowpkg.file_list', rest),
  }),
  file_dict: defineFunction({
    doc: 'Lists the files of packages, by package.',
    varargs: 'packages',
    kwargs: 'kwargs',
    returns: '`{errors: [], packages: {package: [paths]}}`',
    examples: ["salt '*' pkg.file_dict httpd postfix"],
    run: (ctx, _args, rest) => ctx.functions.call('lowpkg.file_dict', rest),
  }),
  list_downloaded: defineFunction({
    doc: 'Lists the package files that apt keeps.',
    params: { root: param.textIfGiven({ default: null, doc: 'A folder that stands for the root folder.' }) },
    kwargs: 'kwargs',
    returns: 'mapping of package to version to `{path, size, creation_date_time_t, creation_date_time}`',
    examples: ["salt '*' pkg.list_downloaded"],
    run: (ctx, { root }) => downloaded(ctx, root),
  }),
  services_need_restart: defineFunction({
    doc: 'Lists services that use files which were replaced; needs the program checkrestart.',
    kwargs: 'kwargs',
    returns: 'list',
    examples: ["salt '*' pkg.services_need_restart"],
    run: async (ctx) => {
      if (findProgram('checkrestart') === undefined) {
        throw new CommandNotFoundError(
          "'checkrestart' is needed. It is part of the 'debian-goodies' package which can be installed from official repositories.",
        );
      }
      const output = await runStdout(ctx, ['checkrestart', '--machine', '--package']);
      const lines = splitLines(output).filter((line) => line.startsWith('SERVICE:'));
      return [...new Set(lines.map((line) => line.slice(8).split(',')[0] ?? ''))].sort(compareText);
    },
  }),
  normalize_name: defineFunction({
    doc: "Takes the architecture out of a package's name where it goes without saying.",
    params: { name: param.text({ doc: 'The name.' }) },
    returns: 'text',
    examples: ["salt '*' pkg.normalize_name zsh:amd64"],
    run: (ctx, { name }) => normalizeName(ctx, name),
  }),
  parse_arch: defineFunction({
    doc: "Parts a package's name from its architecture.",
    params: { name: param.text({ doc: 'The name.' }) },
    returns: '`{name, arch}`',
    examples: ["salt '*' pkg.parse_arch zsh:amd64"],
    run: (_ctx, { name }) => {
      const text = name;
      const at = text.lastIndexOf(':');
      return dict({ name: at < 0 ? text : text.slice(0, at), arch: at < 0 ? null : text.slice(at + 1) });
    },
  }),
  list_repos: defineFunction({
    doc: 'Lists the repositories that apt is configured with, those of `.sources` files (deb822) included: one for each type, address and suite.',
    kwargs: 'kwargs',
    returns:
      'mapping of address to list of `{file, comps, disabled, dist, type, uri, line, architectures, signedby}`, with `enabled`, `types`, `uris`, `suites` and `comments` for those of a `.sources` file',
    examples: ["salt '*' pkg.list_repos"],
    run: () => {
      const out: Dict = new Map();
      for (const source of aptSources()) {
        const known = out.get(source.uri);
        out.set(source.uri, [...(Array.isArray(known) ? known : []), sourceDict(source)]);
      }
      return out;
    },
  }),
  get_repo: defineFunction({
    doc: 'Finds the repository that a line of a source describes, in a `.sources` file, too. Keywords as of `pkg.mod_repo`.',
    params: { repo: param.text({ doc: 'The line.' }) },
    kwargs: 'kwargs',
    returns: 'a mapping as of pkg.list_repos; empty when there is none',
    examples: ["salt '*' pkg.get_repo 'deb http://deb.debian.org/debian stable main'"],
    run: (ctx, { repo }, _rest, keywords) => {
      const found = configuredSource(namedLine(ctx.grains, repo, keywords), keywords);
      return found === undefined ? new Map<Value, Value>() : sourceDict(found);
    },
  }),
};

const changing = {
  refresh_db: defineFunction({
    doc: 'Fetches the lists of packages.',
    params: {
      cache_valid_time: param.value({
        default: 0,
        type: 'int',
        doc: 'Only when they are older than so many seconds.',
      }),
      failhard: param.strictFlag({ default: false, doc: 'Fail when one cannot be fetched.' }),
    },
    kwargs: 'kwargs',
    returns: 'mapping of repository to true (fetched), None (nothing new) or false',
    examples: ["salt '*' pkg.refresh_db"],
    run: (ctx, { cache_valid_time, failhard }) => refreshLists(ctx, cache_valid_time, failhard),
  }),
  install: defineFunction({
    doc: 'Installs packages. Keywords: version, install_recommends, only_upgrade, force_conf_new, cache_valid_time, env.',
    params: INSTALL_PARAMS,
    kwargs: 'kwargs',
    returns: CHANGES,
    examples: [
      "salt '*' pkg.install <package name>",
      `salt '*' pkg.install pkgs='["foo", {"bar": "1.2.3-0ubuntu0"}]'`,
    ],
    run: (ctx, args, _rest, kwargs) => installPackages(ctx, args, kwargs),
  }),
  remove: defineFunction({
    doc: 'Removes packages; their configuration stays.',
    params: { name: INSTALL_PARAMS.name, pkgs: INSTALL_PARAMS.pkgs },
    kwargs: 'kwargs',
    returns: CHANGES,
    examples: ["salt '*' pkg.remove <package name>"],
    run: (ctx, args, _rest, kwargs) => removePackages(ctx, 'remove', args, kwargs),
  }),
  purge: defineFunction({
    doc: 'Removes packages with their configuration.',
    params: { name: INSTALL_PARAMS.name, pkgs: INSTALL_PARAMS.pkgs },
    kwargs: 'kwargs',
    returns: '`{removed, installed}`, each `{package: {old, new}}`',
    examples: ["salt '*' pkg.purge <package name>"],
    run: (ctx, args, _rest, kwargs) => removePackages(ctx, 'purge', args, kwargs),
  }),
  upgrade: defineFunction({
    doc: 'Upgrades everything.',
    params: {
      refresh: REFRESH,
      dist_upgrade: param.flag({ default: false, doc: 'Also what needs others installed or removed.' }),
    },
    kwargs: 'kwargs',
    returns: CHANGES,
    examples: ["salt '*' pkg.upgrade"],
    run: async (ctx, { refresh, dist_upgrade }, _rest, kwargs) => {
      if (refresh) await refreshLists(ctx, kwargs.get('cache_valid_time') ?? 0, false);
      return upgradeAll(ctx, dist_upgrade, kwargs);
    },
  }),
  autoremove: defineFunction({
    doc: 'Removes packages that nobody needs any more.',
    params: {
      list_only: param.flag({ default: false, doc: 'Only list them.' }),
      purge: param.flag({ default: false, doc: 'With their configuration.' }),
    },
    returns: `${CHANGES}; with list_only a list`,
    examples: ["salt '*' pkg.autoremove list_only=True"],
    run: (ctx, { list_only, purge }) => autoremove(ctx, list_only, purge),
  }),
  hold: defineFunction({
    doc: 'Has packages stay at their version.',
    params: { name: INSTALL_PARAMS.name, pkgs: INSTALL_PARAMS.pkgs, sources: INSTALL_PARAMS.sources },
    kwargs: 'kwargs',
    returns: 'mapping of package to `{name, changes, result, comment}`',
    examples: ["salt '*' pkg.hold <package name>"],
    run: (ctx, { name, pkgs, sources }) => hold(ctx, holdTargets(name, pkgs, sources), true),
  }),
  unhold: defineFunction({
    doc: 'Has packages not stay at their version any more.',
    params: { name: INSTALL_PARAMS.name, pkgs: INSTALL_PARAMS.pkgs, sources: INSTALL_PARAMS.sources },
    kwargs: 'kwargs',
    returns: 'mapping of package to `{name, changes, result, comment}`',
    examples: ["salt '*' pkg.unhold <package name>"],
    run: (ctx, { name, pkgs, sources }) => hold(ctx, holdTargets(name, pkgs, sources), false),
  }),
  get_selections: defineFunction({
    doc: 'Lists what dpkg is to do with packages.',
    params: {
      pattern: param.textOrNone({ default: null, doc: 'Only packages that fit this glob.' }),
      state: param.valueIfGiven({ default: null, type: 'str', doc: 'Only those in this state.' }),
    },
    returns: 'mapping of state to list of packages',
    examples: ["salt '*' pkg.get_selections", "salt '*' pkg.get_selections 'python-*' state=hold"],
    run: async (ctx, { pattern, state }) => {
      const found = new Map<Value, Value>(
        await selections(ctx, pattern === undefined ? null : packageName(pattern)),
      );
      return state === undefined ? found : new Map([[state, found.get(state) ?? []]]);
    },
  }),
  set_selections: defineFunction({
    doc: 'Instructs dpkg what to do with packages: install, hold, deinstall, purge.',
    params: {
      path: param.valueIfGiven({
        default: null,
        type: 'str',
        doc: 'A file as `dpkg --get-selections` writes it.',
      }),
      selection: param.valueIfGiven({ default: null, type: 'dict', doc: 'State to list of packages.' }),
      clear: param.flag({ default: false, doc: 'Forget all else first.' }),
      saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of the file server.' }),
    },
    returns: CHANGES,
    examples: [`salt '*' pkg.set_selections selection='{"hold": ["apt"]}'`],
    run: (ctx, args) => setSelections(ctx, args),
  }),
};

/** The module. */
export const aptModule = defineModule({
  name: 'pkg',
  file: 'aptpkg',
  order: 1,
  doc: 'Installs, removes and looks at packages with apt.',
  unavailable: ({ opts }) =>
    hasDpkg(opts) && findProgram('apt-get') !== undefined
      ? undefined
      : 'The pkg module could not be loaded: unsupported OS family',
  words: {
    lines: ['text', 'key_text', 'selection', 'signedby'],
    dashes: ['text', 'key_text', 'comments', 'selection', 'signedby'],
  },
  failsWith: { within: ['hold', 'unhold', 'refresh_db'], false: ['add_repo_key', 'del_repo_key'] },
  functions: { ...looking, ...changing, ...repositoryFunctions },
});
