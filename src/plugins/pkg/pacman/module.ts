/** `pkg` with pacman. Follows 3006.16 salt/modules/pacmanpkg.py. */
import { isTrue } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, defineModule } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { versionOf, versionsDict } from '../../shared/packages.ts';
import {
  filesPacman,
  groupDiffPacman,
  groupPacman,
  groupsPacman,
  installedPacman,
  installPacman,
  latestPacman,
  ownersPacman,
  refreshPacman,
  removePacman,
  repositoryPacman,
  upgradePacman,
  upgradesPacman,
} from './module/pacman.ts';
import { CHANGES, name, pkgs, root } from '../module/shared-params.ts';

const refresh = param.value({ default: false, type: 'bool', doc: 'Fetch the lists of packages first.' });
const group = { name: param.text({ doc: 'The group.' }) } as const;

const latest = defineFunction({
  doc: 'Returns the version that would be installed where it is newer than the installed one. Keywords: `refresh`, `root`.',
  varargs: 'names',
  kwargs: 'kwargs',
  returns: 'text for one name, else mapping; empty where there is nothing newer',
  examples: ["salt '*' pkg.latest_version <package name>"],
  run: (ctx, _args, rest, kwargs) => latestPacman(ctx, rest, kwargs),
});

const removal = (verb: 'remove' | 'purge') =>
  defineFunction({
    doc:
      verb === 'remove'
        ? 'Removes packages.'
        : 'Removes packages with what needs them, what they alone need, and changed configuration.',
    params: { name, pkgs },
    kwargs: 'kwargs',
    returns: CHANGES,
    examples: [`salt '*' pkg.${verb} <package name>`],
    run: (ctx, args) => removePacman(ctx, verb, args),
  });

/** The module. */
export const pacmanModule = defineModule({
  name: 'pkg',
  file: 'pacmanpkg',
  order: 3,
  doc: 'Installs, removes and looks at packages with pacman.',
  unavailable: ({ grains }) =>
    pyStr(grains.get('os_family') ?? '') === 'Arch'
      ? undefined
      : 'The pacman module could not be loaded: unsupported OS family.',
  words: {},
  functions: {
    list_pkgs: defineFunction({
      doc: 'Lists installed packages. Keyword: `root`.',
      params: {
        versions_as_list: param.strictFlag({ default: false, doc: 'Versions as lists.' }),
      },
      kwargs: 'kwargs',
      returns: 'mapping of package to version',
      examples: ["salt '*' pkg.list_pkgs"],
      run: async (ctx, { versions_as_list }, _rest, kwargs) =>
        isTrue(kwargs.get('removed') ?? false) || isTrue(kwargs.get('purge_desired') ?? false)
          ? dict()
          : versionsDict(await installedPacman(ctx, kwargs.get('root')), versions_as_list),
    }),
    version: defineFunction({
      doc: 'Returns the version of installed packages.',
      varargs: 'names',
      kwargs: 'kwargs',
      returns: 'text for one name, else mapping; empty where it is not installed',
      examples: ["salt '*' pkg.version <package name>"],
      run: async (ctx, _args, rest, kwargs) =>
        versionOf(await installedPacman(ctx), rest, isTrue(kwargs.get('versions_as_list') ?? false)),
    }),
    latest_version: latest,
    available_version: latest,
    upgrade_available: defineFunction({
      doc: 'Returns whether there is a newer version of a package.',
      params: { name: param.value({ type: 'str', doc: 'The package.' }) },
      kwargs: 'kwargs',
      returns: 'bool',
      examples: ["salt '*' pkg.upgrade_available <package name>"],
      run: async (ctx, args) => (await latestPacman(ctx, [args.name], new Map())) !== '',
    }),
    list_upgrades: defineFunction({
      doc: 'Lists packages that could be upgraded.',
      params: { refresh: param.flag(refresh), root },
      kwargs: 'kwargs',
      returns: 'mapping of package to version',
      examples: ["salt '*' pkg.list_upgrades"],
      run: (ctx, args) => upgradesPacman(ctx, args.refresh, args.root),
    }),
    refresh_db: defineFunction({
      doc: 'Fetches the lists of packages.',
      params: { root },
      kwargs: 'kwargs',
      returns: 'mapping of repository to true when it was fetched, false when it was up to date',
      examples: ["salt '*' pkg.refresh_db"],
      run: (ctx, args) => refreshPacman(ctx, args.root),
    }),
    install: defineFunction({
      doc: 'Installs packages. Keywords: `version`, `root`.',
      params: {
        name,
        refresh,
        sysupgrade: param.trueOnly({ default: null, doc: 'Upgrade everything else with it.' }),
        pkgs,
        sources: param.value({ default: null, type: 'list', doc: 'Package files as `{name: address}`.' }),
      },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: [
        "salt '*' pkg.install <package name>",
        `salt '*' pkg.install pkgs='["foo", {"bar": "1.2.3-4"}]'`,
      ],
      run: (ctx, args, _rest, kwargs) => installPacman(ctx, args, kwargs),
    }),
    upgrade: defineFunction({
      doc: 'Upgrades all packages.',
      params: { refresh, root },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: ["salt '*' pkg.upgrade"],
      run: (ctx, args) => upgradePacman(ctx, args.refresh, args.root),
    }),
    remove: removal('remove'),
    purge: removal('purge'),
    group_list: defineFunction({
      doc: 'Lists the groups of packages.',
      returns: '`{installed, partially_installed, available}`',
      examples: ["salt '*' pkg.group_list"],
      run: (ctx) => groupsPacman(ctx),
    }),
    group_info: defineFunction({
      doc: 'Lists the packages of a group.',
      params: group,
      returns: '`{mandatory, optional, default, conditional}`, of which pacman knows `default`',
      examples: ["salt '*' pkg.group_info 'xorg'"],
      run: (ctx, args) => groupPacman(ctx, args.name),
    }),
    group_diff: defineFunction({
      doc: 'Lists which packages of a group are installed.',
      params: group,
      returns: 'mapping of kind to `{installed, not installed}`',
      examples: ["salt '*' pkg.group_diff 'xorg'"],
      run: (ctx, args) => groupDiffPacman(ctx, args.name),
    }),
    list_repo_pkgs: defineFunction({
      doc: 'Lists the versions that the repositories have. Keywords: `fromrepo`, `byrepo`, `refresh`.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'mapping of package to versions, newest first; with `byrepo` of repository to such a mapping',
      examples: [
        "salt '*' pkg.list_repo_pkgs foo bar",
        "salt '*' pkg.list_repo_pkgs 'samba4*' fromrepo=base",
      ],
      run: (ctx, _args, rest, kwargs) => repositoryPacman(ctx, rest, kwargs),
    }),
    file_list: defineFunction({
      doc: 'Lists the files of packages. A first word that is a path is the folder of another system.',
      varargs: 'packages',
      kwargs: 'kwargs',
      returns: '`{errors, files}`',
      examples: ["salt '*' pkg.file_list httpd"],
      run: async (ctx, _args, rest) => {
        const { errors, files } = await filesPacman(ctx, rest);
        return dict({ errors, files: [...files.values()].flat() });
      },
    }),
    file_dict: defineFunction({
      doc: 'Lists the files of packages, package by package. A first word that is a path is the folder of another system.',
      varargs: 'packages',
      kwargs: 'kwargs',
      returns: '`{errors, packages: {package: files}}`',
      examples: ["salt '*' pkg.file_dict httpd"],
      run: async (ctx, _args, rest) => {
        const { errors, files } = await filesPacman(ctx, rest);
        return dict({ errors, packages: new Map<Value, Value>(files) });
      },
    }),
    owner: defineFunction({
      doc: 'Returns the packages that files belong to.',
      varargs: 'paths',
      kwargs: 'kwargs',
      returns: 'text for one path, else mapping; empty where none has it',
      examples: ["salt '*' pkg.owner /usr/bin/apachectl"],
      run: (ctx, _args, rest) => ownersPacman(ctx, rest),
    }),
  },
});
