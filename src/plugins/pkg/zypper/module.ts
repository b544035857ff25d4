/** `pkg` with zypper. Follows 3006.16 salt/modules/zypperpkg.py. */
import { findProgram } from '../../../host/which.ts';
import { isTrue } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Value } from '../../../python/values/value.ts';
import { defineFunction, defineModule } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { versionOf } from '../../shared/packages.ts';
import { rpmFileFunctions } from '../yum/module/rpm-functions.ts';
import { fullVersion, normalRpmName, rpmRecords, splitArchitecture } from '../yum/module/rpm.ts';
import { CHANGES, name, off, pkgs, root, rpmVersionComparison } from '../module/shared-params.ts';
import { infoInstalled } from '../yum/module/yum-lists.ts';
import { installZypper, removeZypper, upgradeZypper } from './module/zypper-changes.ts';
import {
  diffZypper,
  downloadedZypper,
  downloadZypper,
  flagOf,
  infoAvailable,
  infoKeywords,
  installedPatterns,
  latestZypper,
  listPatches,
  listProducts,
  listZypper,
  providesOf,
  refreshZypper,
  repositoryPackages,
  resolvedCapabilities,
  searchZypper,
  servicesOfZypper,
  upgradesZypper,
  visiblePatterns,
} from './module/zypper-lists.ts';
import { cleanLocks, holdZypper, listHolds, listLocks, unholdZypper } from './module/zypper-locks.ts';
import {
  deleteZypperRepository,
  modifyZypperRepository,
  zypperRepositories,
  zypperRepository,
} from './module/zypper-repositories.ts';

const refresh = param.strictFlag({ default: true, doc: 'Fetch the lists of packages first.' });
const noRefresh = { ...refresh, default: false } as const;
const fromrepo = param.value({ default: null, type: 'str', doc: 'The repository to take from.' });
const NAMES = { varargs: 'names', kwargs: 'kwargs' } as const;

const latest = defineFunction({
  doc: 'Returns the version that would be installed where it is newer than the installed one. Keywords: `refresh`, `root`.',
  ...NAMES,
  returns: 'text for one name, else mapping; empty where there is nothing newer',
  examples: ["salt '*' pkg.latest_version <package name>"],
  run: (ctx, _args, rest, kwargs) => (rest.length === 0 ? dict() : latestZypper(ctx, rest, kwargs)),
});

const upgrades = defineFunction({
  doc: 'Lists packages that could be upgraded. Keyword `fromrepo`: a repository, or a list of them.',
  params: { refresh, root },
  kwargs: 'kwargs',
  returns: 'mapping of package to version',
  examples: ["salt '*' pkg.list_upgrades"],
  run: (ctx, args, _rest, kwargs) => upgradesZypper(ctx, { ...args, fromrepo: kwargs.get('fromrepo') }),
});

const removal = (verb: 'remove' | 'purge') =>
  defineFunction({
    doc:
      verb === 'remove'
        ? 'Removes packages, and those that need them.'
        : 'Removes packages; there is nothing more to take away than with remove.',
    params: { name, pkgs, root },
    kwargs: 'kwargs',
    returns: CHANGES,
    examples: [`salt '*' pkg.${verb} <package name>`],
    run: (ctx, args) => removeZypper(ctx, args),
  });

const holding = (verb: 'hold' | 'unhold') =>
  defineFunction({
    doc: verb === 'hold' ? 'Has zypper leave packages alone.' : 'No longer has zypper leave packages alone.',
    params: { name, pkgs, root },
    kwargs: 'kwargs',
    returns: '`{package: {name, changes, result, comment}}`',
    examples: [`salt '*' pkg.${verb} <package name>`],
    run: (ctx, args) => (verb === 'hold' ? holdZypper : unholdZypper)(ctx, args.name, args.pkgs, args.root),
  });

/** The module. */
export const zypperModule = defineModule({
  name: 'pkg',
  file: 'zypperpkg',
  order: 4,
  doc: 'Installs, removes and looks at packages with zypper.',
  unavailable: ({ grains }) =>
    pyStr(grains.get('os_family') ?? '') !== 'Suse'
      ? 'Module zypper: non SUSE OS not supported by zypper package manager'
      : findProgram('zypper') === undefined
        ? 'Module zypper: zypper package manager not found'
        : undefined,
  words: {},
  failsWith: { within: ['hold', 'unhold'] },
  functions: {
    list_pkgs: defineFunction({
      doc: 'Lists installed packages. Keyword `attr`: the parts of versions to show (`epoch`, `version`, `release`, `arch`, `install_date`, `install_date_time_t`, or `all`).',
      params: {
        versions_as_list: param.strictFlag(off('Versions as lists.')),
        root,
        includes: param.textsIfGiven({ default: null, doc: 'Also of these kinds: product, pattern, patch.' }),
      },
      kwargs: 'kwargs',
      returns: 'mapping of package to version',
      examples: ["salt '*' pkg.list_pkgs"],
      run: (ctx, args, _rest, kwargs) =>
        flagOf(kwargs, 'removed') || flagOf(kwargs, 'purge_desired')
          ? dict()
          : listZypper(ctx, {
              asList: args.versions_as_list,
              attr: kwargs.get('attr') ?? null,
              root: args.root,
              includes: args.includes ?? [],
            }),
    }),
    version: defineFunction({
      doc: 'Returns the version of installed packages.',
      ...NAMES,
      returns: 'text for one name, else mapping; an empty mapping where it is not installed',
      examples: ["salt '*' pkg.version <package name>"],
      run: async (ctx, _args, rest, kwargs) => {
        const records = [...(await rpmRecords(ctx))].filter(([known]) => !known.startsWith('gpg-pubkey'));
        const versions = new Map(records.map(([known, each]) => [known, each.map(fullVersion)]));
        const found = versionOf(versions, rest, isTrue(kwargs.get('versions_as_list') ?? false));
        return truthy(found) ? found : dict();
      },
    }),
    version_cmp: rpmVersionComparison('ver1', 'ver2'),
    latest_version: latest,
    available_version: latest,
    upgrade_available: defineFunction({
      doc: 'Returns whether there is a newer version of a package.',
      params: { name: param.value({ type: 'str', doc: 'The package.' }) },
      kwargs: 'kwargs',
      returns: 'bool',
      examples: ["salt '*' pkg.upgrade_available <package name>"],
      run: async (ctx, args, _rest, kwargs) => truthy(await latestZypper(ctx, [args.name], kwargs)),
    }),
    list_upgrades: upgrades,
    list_updates: upgrades,
    refresh_db: defineFunction({
      doc: 'Fetches the lists of packages.',
      params: {
        force: param.value({
          default: null,
          type: 'bool',
          doc: 'Also what is up to date; without it pillar `zypper:refreshdb_force`.',
        }),
        root,
      },
      returns: 'mapping of repository to true when it was fetched, false when it was up to date',
      examples: ["salt '*' pkg.refresh_db"],
      run: (ctx, args) => refreshZypper(ctx, args.force, args.root),
    }),
    install: defineFunction({
      doc: 'Installs packages. Keywords: `resolve_capabilities`, `advisory_ids`, `diff_attr`, `normalize`.',
      params: {
        name,
        refresh: noRefresh,
        fromrepo,
        pkgs,
        sources: param.value({ default: null, type: 'list', doc: 'Package files as `{name: address}`.' }),
        downloadonly: param.flag({ default: null, doc: 'Only fetch.' }),
        skip_verify: off('Do not check signatures.'),
        version: param.value({
          default: null,
          type: 'str',
          doc: 'The version; may be a glob, with an operator before it.',
        }),
        ignore_repo_failure: off('An error of zypper is none.'),
        no_recommends: off('Without what is only recommended.'),
        root,
      },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: [
        "salt '*' pkg.install <package name>",
        `salt '*' pkg.install pkgs='["foo", {"bar": "1.2.3-4"}]'`,
      ],
      run: (ctx, args, _rest, kwargs) => installZypper(ctx, args, kwargs),
    }),
    remove: removal('remove'),
    purge: removal('purge'),
    upgrade: defineFunction({
      doc: 'Upgrades all packages, or those named.',
      params: {
        name,
        pkgs,
        refresh,
        dryrun: off('Only tell what would be done.'),
        dist_upgrade: off('Move to another release, where packages may go and change their vendor.'),
        fromrepo: param.valueIfGiven({ default: null, type: 'list', doc: 'The repositories to take from.' }),
        novendorchange: off('Packages keep their vendor, with dist_upgrade.'),
        skip_verify: off('Do not check signatures.'),
        no_recommends: off('Without what is only recommended, with dist_upgrade.'),
        root,
        diff_attr: param.value({ default: null, type: 'list', doc: 'The parts of versions to show.' }),
      },
      kwargs: 'kwargs',
      returns: `${CHANGES}; zypper's words with dryrun`,
      examples: ["salt '*' pkg.upgrade", "salt '*' pkg.upgrade dist_upgrade=True"],
      run: (ctx, args, _rest, kwargs) => upgradeZypper(ctx, args, kwargs),
    }),
    hold: holding('hold'),
    unhold: holding('unhold'),
    list_holds: defineFunction({
      doc: 'Lists the installed packages that zypper leaves alone.',
      params: {
        pattern: param.textIfGiven({ default: null, doc: 'A regular expression of their names.' }),
        full: param.strictFlag({ default: true, doc: 'With epoch and version.' }),
        root,
      },
      kwargs: 'kwargs',
      returns: 'list',
      examples: ["salt '*' pkg.list_holds", "salt '*' pkg.list_holds full=False"],
      run: (ctx, args) => listHolds(ctx, args),
    }),
    list_locks: defineFunction({
      doc: 'Lists what zypper leaves alone.',
      params: { root },
      returns: 'mapping of name to what else the lock says',
      examples: ["salt '*' pkg.list_locks"],
      run: (_ctx, args) => new Map<Value, Value>(listLocks(args.root)),
    }),
    clean_locks: defineFunction({
      doc: 'Removes locks that mean nothing.',
      params: { root },
      returns: '`{removed}`',
      examples: ["salt '*' pkg.clean_locks"],
      run: (ctx, args) => cleanLocks(ctx, args.root),
    }),
    info_installed: defineFunction({
      doc: 'Returns all that is known about installed packages. Keywords: `attr`, `all_versions`, `root`.',
      ...NAMES,
      returns: 'mapping of package to a mapping',
      examples: ["salt '*' pkg.info_installed <package1> <package2>"],
      run: (ctx, _args, rest, kwargs) => infoInstalled(ctx, rest, kwargs),
    }),
    info_available: defineFunction({
      doc: 'Returns what repositories say of packages. Keywords: `refresh`, `root`.',
      ...NAMES,
      returns: 'mapping of package to a mapping',
      examples: ["salt '*' pkg.info_available <package1> <package2>"],
      run: (ctx, _args, rest, kwargs) => infoAvailable(ctx, rest.map(pyStr), infoKeywords(kwargs)),
    }),
    list_repo_pkgs: defineFunction({
      doc: 'Lists the versions that the repositories have. Keywords: `fromrepo`, `byrepo`, `root`.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'mapping of package to versions, newest first; with `byrepo` of repository to such a mapping',
      examples: [
        "salt '*' pkg.list_repo_pkgs foo bar",
        "salt '*' pkg.list_repo_pkgs 'python3-*' byrepo=True",
      ],
      run: (ctx, _args, rest, kwargs) => repositoryPackages(ctx, rest.map(pyStr), kwargs),
    }),
    search: defineFunction({
      doc: 'Looks for packages. Keywords: `match` (exact, words, substrings), `provides`, `recommends`, `requires`, `suggests`, `conflicts`, `obsoletes`, `file_list`, `search_descriptions`, `case_sensitive`, `installed_only`, `not_installed_only`, `details`, `root`.',
      params: { criteria: param.text({ doc: 'What to look for.' }), refresh: noRefresh },
      kwargs: 'kwargs',
      returns: 'mapping of package to what was found of it',
      examples: ["salt '*' pkg.search <criteria>"],
      run: async (ctx, args, _rest, kwargs) => {
        if (args.refresh) await refreshZypper(ctx, kwargs.get('root') ?? null);
        return searchZypper(ctx, args.criteria, kwargs);
      },
    }),
    list_patterns: defineFunction({
      doc: 'Lists the patterns of the repositories.',
      params: { refresh: noRefresh, root },
      returns: 'mapping of pattern to `{installed, summary}`',
      examples: ["salt '*' pkg.list_patterns"],
      run: async (ctx, args) => {
        if (args.refresh) await refreshZypper(ctx, args.root);
        return visiblePatterns(ctx, args.root);
      },
    }),
    list_installed_patterns: defineFunction({
      doc: 'Lists the installed patterns.',
      params: { root },
      returns: 'mapping of pattern to `{installed, summary}`',
      examples: ["salt '*' pkg.list_installed_patterns"],
      run: (ctx, args) => installedPatterns(ctx, args.root),
    }),
    list_products: defineFunction({
      doc: 'Lists the products that are installed, or all.',
      params: { all: param.flag(off('Also those that are not installed.')), refresh: noRefresh, root },
      returns: 'list of mappings',
      examples: ["salt '*' pkg.list_products", "salt '*' pkg.list_products all=True"],
      run: async (ctx, args) => {
        if (args.refresh) await refreshZypper(ctx, args.root);
        return listProducts(ctx, { all: args.all, root: args.root });
      },
    }),
    list_patches: defineFunction({
      doc: 'Lists the advisories of the repositories.',
      params: { refresh: noRefresh, root },
      kwargs: 'kwargs',
      returns: 'mapping of advisory to `{installed, summary}`',
      examples: ["salt '*' pkg.list_patches"],
      run: async (ctx, args) => {
        if (args.refresh) await refreshZypper(ctx, args.root);
        return listPatches(ctx, false, args.root);
      },
    }),
    list_installed_patches: defineFunction({
      doc: 'Lists the installed advisories.',
      params: { root },
      kwargs: 'kwargs',
      returns: 'mapping of advisory to `{installed, summary}`',
      examples: ["salt '*' pkg.list_installed_patches"],
      run: (ctx, args) => listPatches(ctx, true, args.root),
    }),
    list_provides: defineFunction({
      doc: 'Lists what installed packages provide.',
      params: { root },
      kwargs: 'kwargs',
      returns: 'mapping of what is provided to the packages',
      examples: ["salt '*' pkg.list_provides"],
      run: (ctx, args) => providesOf(ctx, args.root),
    }),
    resolve_capabilities: defineFunction({
      doc: 'Replaces what only one package provides by its name, with the keyword `resolve_capabilities`.',
      params: {
        pkgs: param.list({ doc: 'Packages, also as `{name: version}`.' }),
        refresh: noRefresh,
        root,
      },
      kwargs: 'kwargs',
      returns: 'list',
      examples: ["salt '*' pkg.resolve_capabilities resolve_capabilities=True '[w3m_ssl]'"],
      run: (ctx, args, _rest, kwargs) =>
        resolvedCapabilities(ctx, args.pkgs, {
          refresh: args.refresh,
          root: args.root,
          resolves: truthy(kwargs.get('resolve_capabilities') ?? false),
        }),
    }),
    download: defineFunction({
      doc: 'Fetches package files. Keywords: `refresh`, `root`.',
      varargs: 'packages',
      kwargs: 'kwargs',
      returns: 'mapping of package to `{repository-name, repository-alias, path}`',
      examples: ["salt '*' pkg.download httpd postfix"],
      run: (ctx, _args, rest, kwargs) => downloadZypper(ctx, rest, kwargs),
    }),
    list_downloaded: defineFunction({
      doc: 'Lists the package files in the cache.',
      params: { root },
      kwargs: 'kwargs',
      returns: 'package to version to `{path, size, creation_date_time, creation_date_time_t}`',
      examples: ["salt '*' pkg.list_downloaded"],
      run: (ctx, args) => downloadedZypper(ctx, args.root),
    }),
    diff: defineFunction({
      doc: 'Shows what has changed in files since their packages were installed. Keyword: `root`.',
      varargs: 'paths',
      kwargs: 'kwargs',
      returns: 'mapping of path to difference, `Unchanged`, `Not managed` or `N/A`',
      examples: ["salt '*' pkg.diff /etc/apache2/httpd.conf"],
      run: (ctx, _args, rest, kwargs) => diffZypper(ctx, rest, kwargs),
    }),
    services_need_restart: defineFunction({
      doc: 'Lists the services that run with files of packages that have been replaced.',
      params: { root },
      kwargs: 'kwargs',
      returns: 'list',
      examples: ["salt '*' pkg.services_need_restart"],
      run: (ctx, args) => servicesOfZypper(ctx, args.root),
    }),
    list_repos: defineFunction({
      doc: 'Lists the repositories.',
      params: { root },
      kwargs: 'kwargs',
      returns: 'mapping of alias to options',
      examples: ["salt '*' pkg.list_repos"],
      run: (_ctx, args) => new Map<Value, Value>(zypperRepositories(args.root)),
    }),
    get_repo: defineFunction({
      doc: 'Returns a repository.',
      params: { repo: param.text({ doc: 'Its alias.' }), root },
      kwargs: 'kwargs',
      returns: 'mapping of options; empty when there is none',
      examples: ["salt '*' pkg.get_repo alias"],
      run: (_ctx, args) => zypperRepository(args.repo, args.root),
    }),
    mod_repo: defineFunction({
      doc: 'Adds a repository, or changes one. Keywords: `baseurl` (`url`, `mirrorlist`), `enabled`, `refresh`, `cache`, `gpgcheck`, `gpgautoimport`, `priority`, `name`, `humanname`, `root`.',
      params: { repo: param.text({ doc: 'Its alias.' }) },
      kwargs: 'kwargs',
      returns: 'mapping of options',
      examples: ["salt '*' pkg.mod_repo alias baseurl=http://host/path enabled=True"],
      run: (ctx, args, _rest, kwargs) => modifyZypperRepository(ctx, args.repo, kwargs),
    }),
    del_repo: defineFunction({
      doc: 'Removes a repository.',
      params: { repo: param.text({ doc: 'Its alias.' }), root },
      returns: '`{alias: true, message}`',
      examples: ["salt '*' pkg.del_repo alias"],
      run: (ctx, args) => deleteZypperRepository(ctx, args.repo, args.root),
    }),
    normalize_name: defineFunction({
      doc: 'Leaves out an architecture that goes without saying.',
      params: { name: param.text({ doc: 'The name.' }) },
      returns: 'the name',
      examples: ["salt '*' pkg.normalize_name zsh.x86_64"],
      run: (ctx, args) => normalRpmName(ctx, args.name),
    }),
    parse_arch: defineFunction({
      doc: "Parts a package's name from its architecture.",
      params: { name: param.text({ doc: 'The name.' }) },
      returns: '`{name, arch}`',
      examples: ["salt '*' pkg.parse_arch zsh.x86_64"],
      run: (_ctx, args) => {
        const parts = splitArchitecture(args.name);
        return dict({ name: parts.name, arch: parts.arch ?? null });
      },
    }),
    ...rpmFileFunctions('pkg'),
  },
});
