/** `pkg` with dnf and yum. Follows 3006.16 salt/modules/yumpkg.py. */
import { isTrue } from '../../../python/conversions.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../../runtime/loader/module.ts';
import { dict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { holdTargets, packageName, versionOf } from '../../shared/packages.ts';
import {
  hasRpm,
  installedRpms,
  isRpmHost,
  listRpms,
  normalRpmName,
  splitArchitecture,
} from './module/rpm.ts';
import { CHANGES, name, off, pkgs, rpmVersionComparison } from '../module/shared-params.ts';
import { rpmFileFunctions } from './module/rpm-functions.ts';
import {
  callYum,
  checkVersionlock,
  heldName,
  HOLD_PATTERN,
  latestYum,
  lockedPackages,
  refreshYum,
  removeYum,
  upgradableYum,
  upgradeYum,
  yumProgram,
} from './module/yum.ts';
import { yumGroupFunctions } from './module/yum-groups.ts';
import { installYum } from './module/yum-install.ts';
import {
  advisories,
  diffRpms,
  downloadedRpms,
  downloadRpms,
  infoInstalled,
  listRepositoryRpms,
  servicesToRestart,
} from './module/yum-lists.ts';
import { yumRepositoryFunctions } from './module/yum-repositories.ts';
import { param } from '../../../runtime/loader/params.ts';

const KEYWORDS = 'Keywords: `fromrepo`, `enablerepo`, `disablerepo`, `disableexcludes`, `branch`, `setopt`.';
const refresh = param.strictFlag({ default: true, doc: 'Fetch the lists of packages first.' });
const normalize = param.flag({
  default: true,
  doc: 'Leave out an architecture that goes without saying.',
});
const NAMES = { varargs: 'names', kwargs: 'kwargs' } as const;

/** How `pkg.hold` and `pkg.unhold` differ. */
const HOLDING = {
  hold: { done: 'is now being held', already: 'is already set to be held', old: '', new: 'hold' },
  unhold: { done: 'is no longer held', already: 'is not being held', old: 'hold', new: '' },
} as const;

/** `pkg.hold` and `pkg.unhold` with the plugin `versionlock`. */
async function setHold(
  ctx: ModuleContext,
  names: () => readonly string[],
  verb: keyof typeof HOLDING,
): Promise<Dict> {
  await checkVersionlock(ctx);
  const texts = HOLDING[verb];
  const out: Dict = new Map();
  const targets = names();
  const locked = await lockedPackages(ctx, verb === 'unhold' && yumProgram() === 'yum');
  const pattern = yumProgram() === 'yum' ? locked : undefined;
  for (const target of targets) {
    const entry = dict({ name: target, changes: {}, result: false, comment: '' });
    out.set(target, entry);
    const locks =
      pattern?.filter((lock) => heldName(lock) === target) ?? locked.filter((lock) => lock === target);
    if (locks.length > 0 === (verb === 'hold')) {
      entry.set('result', true).set('comment', `Package ${target} ${texts.already}.`);
      continue;
    }
    if (truthy(ctx.opts.get('test'))) {
      entry
        .set('result', null)
        .set('comment', `Package ${target} is set to be ${verb === 'hold' ? 'held' : 'unheld'}.`);
      continue;
    }
    const words = verb === 'hold' ? [packageName(target)] : ['delete', ...locks];
    const { retcode } = await callYum(ctx, ['versionlock', ...words]);
    if (retcode !== 0) {
      entry.set('comment', `Package ${target} was unable to be ${verb === 'hold' ? 'held' : 'unheld'}.`);
      continue;
    }
    entry.set('changes', dict({ new: texts.new, old: texts.old })).set('result', true);
    entry.set('comment', `Package ${target} ${texts.done}.`);
  }
  return out;
}

const latest = defineFunction({
  doc: `Returns the version that would be installed where it is newer than the installed one. ${KEYWORDS}`,
  ...NAMES,
  returns: 'text for one name, else mapping; empty where there is nothing newer',
  examples: ["salt '*' pkg.latest_version <package name>"],
  run: (ctx, _args, rest, kwargs) => latestYum(ctx, rest, kwargs),
});

const upgrades = defineFunction({
  doc: `Lists packages that could be upgraded. ${KEYWORDS}`,
  params: { refresh },
  kwargs: 'kwargs',
  returns: 'mapping of package to version',
  examples: ["salt '*' pkg.list_upgrades"],
  run: (ctx, args, _rest, kwargs) => upgradableYum(ctx, args.refresh, kwargs),
});

const removal = (verb: 'remove' | 'purge') =>
  defineFunction({
    doc:
      verb === 'remove'
        ? 'Removes packages.'
        : 'Removes packages; there is nothing more to take away than with remove.',
    params: { name, pkgs },
    kwargs: 'kwargs',
    returns: CHANGES,
    examples: [`salt '*' pkg.${verb} <package name>`],
    run: (ctx, args, _rest, kwargs) => removeYum(ctx, args, kwargs),
  });

const holding = (verb: 'hold' | 'unhold') =>
  defineFunction({
    doc:
      verb === 'hold'
        ? 'Keeps packages at their version (`versionlock`).'
        : 'No longer keeps packages at their version.',
    params: {
      name,
      pkgs,
      sources: param.value({ default: null, type: 'list', doc: 'Packages as `{name: file}`.' }),
    },
    kwargs: 'kwargs',
    returns: '`{package: {name, changes, result, comment}}`',
    examples: [`salt '*' pkg.${verb} <package name>`],
    run: (ctx, args) => setHold(ctx, () => holdTargets(args.name, args.pkgs, args.sources), verb),
  });

const upgrading = (doc: string, obsoletes: boolean) =>
  defineFunction({
    doc: `${doc} ${KEYWORDS} Others go to the program as options of their name.`,
    params: {
      name,
      pkgs,
      refresh,
      skip_verify: off('Do not check signatures.'),
      normalize,
      minimal: off('Only what mends a fault.'),
      obsoletes: param.flag({ default: obsoletes, doc: 'Replace packages by those that say they do.' }),
      diff_attr: param.value({ default: null, type: 'list', doc: 'The parts of versions to show.' }),
    },
    kwargs: 'kwargs',
    returns: CHANGES,
    examples: [`salt '*' pkg.${obsoletes ? 'upgrade' : 'update'}`],
    run: (ctx, args, _rest, kwargs) => upgradeYum(ctx, args, kwargs),
  });

const holds = defineFunction({
  doc: 'Lists the packages that are kept at their version.',
  params: {
    pattern: param.text({ default: HOLD_PATTERN, doc: 'What the name of a package looks like.' }),
    full: param.strictFlag({ default: true, doc: 'With version and architecture.' }),
  },
  returns: 'list',
  examples: ["salt '*' pkg.list_holds", "salt '*' pkg.list_holds full=False"],
  run: (ctx, { full, pattern }) => lockedPackages(ctx, full, pattern),
});

const patches = (doc: string, onlyInstalled: boolean) =>
  defineFunction({
    doc,
    ...(onlyInstalled ? {} : { params: { refresh: { ...refresh, default: false } } }),
    kwargs: 'kwargs',
    returns: 'mapping of advisory to `{installed, summary: [packages]}`',
    run: async (ctx, args: { readonly refresh?: boolean }) => {
      if (args.refresh === true) await refreshYum(ctx, new Map());
      return advisories(ctx, onlyInstalled);
    },
  });

/** The module. */
export const yumModule = defineModule({
  name: 'pkg',
  file: 'yumpkg',
  order: 2,
  doc: 'Installs, removes and looks at packages with dnf or yum.',
  unavailable: ({ grains }) =>
    !isRpmHost(grains, ['RedHat'])
      ? 'Module yumpkg: no yum based system detected'
      : hasRpm() && yumProgram() !== undefined
        ? undefined
        : 'DNF nor YUM found',
  words: { dashes: ['comments', 'setopt'] },
  failsWith: { within: ['hold', 'unhold'], false: ['refresh_db'] },
  functions: {
    list_pkgs: defineFunction({
      doc: 'Lists installed packages. Keyword `attr`: the parts of versions to show (`epoch`, `version`, `release`, `arch`, `install_date`, `install_date_time_t`, or `all`).',
      params: { versions_as_list: param.strictFlag(off('Versions as lists.')) },
      kwargs: 'kwargs',
      returns: 'mapping of package to version',
      examples: ["salt '*' pkg.list_pkgs"],
      run: (ctx, { versions_as_list }, _rest, kwargs) =>
        isTrue(kwargs.get('removed')) || isTrue(kwargs.get('purge_desired'))
          ? new Map<Value, Value>()
          : listRpms(ctx, { asList: versions_as_list, attr: kwargs.get('attr') ?? null }),
    }),
    version: defineFunction({
      doc: 'Returns the version of installed packages.',
      ...NAMES,
      returns: 'text for one name, else mapping; empty where it is not installed',
      examples: ["salt '*' pkg.version <package name>"],
      run: async (ctx, _args, rest, kwargs) =>
        versionOf(await installedRpms(ctx), rest, isTrue(kwargs.get('versions_as_list'))),
    }),
    version_cmp: rpmVersionComparison('pkg1', 'pkg2'),
    latest_version: latest,
    available_version: latest,
    upgrade_available: defineFunction({
      doc: 'Returns whether there is a newer version of a package.',
      params: { name: param.value({ type: 'str', doc: 'The package.' }) },
      kwargs: 'kwargs',
      returns: 'bool',
      examples: ["salt '*' pkg.upgrade_available <package name>"],
      run: async (ctx, args, _rest, kwargs) => (await latestYum(ctx, [args.name], kwargs)) !== '',
    }),
    list_upgrades: upgrades,
    list_updates: upgrades,
    refresh_db: defineFunction({
      doc: `Fetches the lists of packages. ${KEYWORDS}`,
      kwargs: 'kwargs',
      returns: 'true when there are upgrades, None when there are none, false when it fails',
      examples: ["salt '*' pkg.refresh_db"],
      run: (ctx, _args, _rest, kwargs) => refreshYum(ctx, kwargs, truthy(kwargs.get('check_update') ?? true)),
    }),
    clean_metadata: defineFunction({
      doc: 'Fetches the lists of packages anew.',
      kwargs: 'kwargs',
      returns: 'as of refresh_db',
      run: (ctx, _args, _rest, kwargs) => refreshYum(ctx, kwargs),
    }),
    install: defineFunction({
      doc: `Installs packages. ${KEYWORDS} \`version\`.`,
      params: {
        name,
        refresh: { ...refresh, default: false },
        skip_verify: off('Do not check signatures.'),
        pkgs,
        sources: param.value({ default: null, type: 'list', doc: 'Package files as `{name: address}`.' }),
        downloadonly: off('Only fetch.'),
        reinstall: off('Also what is installed in that version.'),
        normalize,
        update_holds: off('Also what is held; it is held again afterwards.'),
        saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of the file server.' }),
        ignore_epoch: off('Compare versions without their epoch.'),
      },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: [
        "salt '*' pkg.install <package name>",
        `salt '*' pkg.install pkgs='["foo", {"bar": "1.2.3-4.el9"}]'`,
      ],
      run: (ctx, args, _rest, kwargs) => installYum(ctx, args, kwargs),
    }),
    remove: removal('remove'),
    purge: removal('purge'),
    upgrade: upgrading('Upgrades all packages, or those named.', true),
    update: upgrading(
      'Upgrades all packages, or those named, and leaves obsolete ones where they are.',
      false,
    ),
    hold: holding('hold'),
    unhold: holding('unhold'),
    list_holds: holds,
    get_locked_packages: holds,
    list_repo_pkgs: defineFunction({
      doc: 'Lists the versions that the repositories have. Keywords: `fromrepo`, `enablerepo`, `disablerepo`, `byrepo`, `cacheonly`.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'mapping of package to versions, newest first; with `byrepo` of repository to such a mapping',
      examples: [
        "salt '*' pkg.list_repo_pkgs foo bar baz",
        "salt '*' pkg.list_repo_pkgs 'python3-*' byrepo=True",
      ],
      run: (ctx, _args, rest, kwargs) => listRepositoryRpms(ctx, rest, kwargs),
    }),
    list_downloaded: defineFunction({
      doc: 'Lists the package files in the cache.',
      kwargs: 'kwargs',
      returns: 'package to version to `{path, size, creation_date_time, creation_date_time_t}`',
      examples: ["salt '*' pkg.list_downloaded"],
      run: (ctx) => downloadedRpms(ctx),
    }),
    info_installed: defineFunction({
      doc: 'Returns all that is known about installed packages. Keywords: `attr`, `all_versions`, `root`.',
      ...NAMES,
      returns: 'mapping of package to a mapping',
      examples: ["salt '*' pkg.info_installed <package1> <package2>"],
      run: (ctx, _args, rest, kwargs) => infoInstalled(ctx, rest, kwargs),
    }),
    download: defineFunction({
      doc: 'Fetches package files with `yumdownloader`.',
      varargs: 'packages',
      kwargs: 'kwargs',
      returns: 'mapping of package to file',
      examples: ["salt '*' pkg.download httpd postfix"],
      run: (ctx, _args, rest) => downloadRpms(ctx, rest),
    }),
    diff: defineFunction({
      doc: 'Shows what has changed in files since their packages were installed.',
      varargs: 'paths',
      kwargs: 'kwargs',
      returns: 'mapping of path to difference, `Unchanged`, `Not managed` or `N/A`',
      examples: ["salt '*' pkg.diff /etc/sudoers"],
      run: (ctx, _args, rest) => diffRpms(ctx, rest),
    }),
    list_patches: patches('Lists the advisories of the repositories.', false),
    list_installed_patches: patches('Lists the advisories whose packages are all installed.', true),
    services_need_restart: defineFunction({
      doc: 'Lists the services that run with files of packages that have been replaced.',
      kwargs: 'kwargs',
      returns: 'list',
      examples: ["salt '*' pkg.services_need_restart"],
      run: (ctx) => servicesToRestart(ctx),
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
    ...yumGroupFunctions,
    ...yumRepositoryFunctions,
  },
});
