/** `pkg` with apk. Follows 3006.16 salt/modules/apkpkg.py. */
import { isTrue } from '../../../python/conversions.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict } from '../../../python/values/value.ts';
import { defineFunction, defineModule } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import {
  filesApk,
  installApk,
  installedApk,
  latestApk,
  ownersApk,
  refreshApk,
  removeApk,
  upgradeApk,
  upgradesApk,
} from './module/apk.ts';
import { versionOf, versionsDict } from '../../shared/packages.ts';
import { CHANGES, name, off, pkgs } from '../module/shared-params.ts';

const refresh = param.strictFlag({ default: true, doc: 'Fetch the lists of packages first.' });
const FILES = {
  varargs: 'packages',
  kwargs: 'kwargs',
  returns: '`{errors, packages: {package: files}}`',
} as const;

/** The module. */
export const apkModule = defineModule({
  name: 'pkg',
  file: 'apkpkg',
  order: 5,
  doc: 'Installs, removes and looks at packages with apk.',
  unavailable: ({ grains }) =>
    pyStr(grains.get('os_family') ?? '') === 'Alpine'
      ? undefined
      : 'Module apk only works on Alpine Linux based systems',
  words: {},
  functions: {
    version: defineFunction({
      doc: 'Returns the version of installed packages.',
      varargs: 'names',
      kwargs: 'kwargs',
      returns: 'text for one name, else mapping; empty where it is not installed',
      examples: ["salt '*' pkg.version <package name>"],
      run: async (ctx, _args, rest, kwargs) =>
        versionOf(await installedApk(ctx), rest, isTrue(kwargs.get('versions_as_list') ?? false)),
    }),
    refresh_db: defineFunction({
      doc: 'Fetches the lists of packages.',
      kwargs: 'kwargs',
      returns: 'true',
      examples: ["salt '*' pkg.refresh_db"],
      run: (ctx) => refreshApk(ctx),
    }),
    list_pkgs: defineFunction({
      doc: 'Lists installed packages.',
      params: { versions_as_list: param.strictFlag({ default: false, doc: 'Versions as lists.' }) },
      kwargs: 'kwargs',
      returns: 'mapping of package to version',
      examples: ["salt '*' pkg.list_pkgs"],
      run: async (ctx, { versions_as_list }, _rest, kwargs) =>
        isTrue(kwargs.get('removed') ?? false) || isTrue(kwargs.get('purge_desired') ?? false)
          ? dict()
          : versionsDict(await installedApk(ctx), versions_as_list),
    }),
    latest_version: defineFunction({
      doc: 'Returns the version that would be installed where it is newer than the installed one. Keyword: `refresh`.',
      varargs: 'names',
      kwargs: 'kwargs',
      returns: 'text for one name, else mapping; empty where there is nothing newer',
      examples: ["salt '*' pkg.latest_version <package name>"],
      run: (ctx, _args, rest, kwargs) => latestApk(ctx, rest, kwargs),
    }),
    install: defineFunction({
      doc: 'Installs packages.',
      params: {
        name,
        refresh: param.strictFlag(off('Fetch the lists of packages first.')),
        pkgs,
        sources: param.flag({
          default: null,
          type: 'list',
          doc: 'Has no effect but that `name` has none, as with Salt.',
        }),
      },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: ["salt '*' pkg.install <package name>", `salt '*' pkg.install pkgs='["foo", "bar"]'`],
      run: (ctx, args) => installApk(ctx, args),
    }),
    purge: defineFunction({
      doc: 'Removes packages and their configuration.',
      params: { name, pkgs },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: ["salt '*' pkg.purge <package name>"],
      run: (ctx, args) => removeApk(ctx, args, true),
    }),
    remove: defineFunction({
      doc: 'Removes packages.',
      params: { name, pkgs, purge: param.flag(off('Their configuration, too.')) },
      kwargs: 'kwargs',
      returns: CHANGES,
      examples: ["salt '*' pkg.remove <package name>"],
      run: (ctx, args) => removeApk(ctx, args, args.purge),
    }),
    upgrade: defineFunction({
      doc: 'Upgrades all packages, or those that are named.',
      params: { name, pkgs, refresh },
      kwargs: 'kwargs',
      returns: '`{changes, result, comment}`',
      examples: ["salt '*' pkg.upgrade"],
      run: (ctx, args) => upgradeApk(ctx, args, args.refresh),
    }),
    list_upgrades: defineFunction({
      doc: 'Lists packages that could be upgraded.',
      params: { refresh },
      kwargs: 'kwargs',
      returns: 'mapping of package to version',
      examples: ["salt '*' pkg.list_upgrades"],
      run: (ctx, args) => upgradesApk(ctx, args.refresh),
    }),
    file_list: defineFunction({
      doc: 'Lists the files of packages.',
      ...FILES,
      examples: ["salt '*' pkg.file_list httpd"],
      run: (ctx, _args, rest) => filesApk(ctx, rest),
    }),
    file_dict: defineFunction({
      doc: 'Lists the files of packages, package by package.',
      ...FILES,
      examples: ["salt '*' pkg.file_dict httpd"],
      run: (ctx, _args, rest) => filesApk(ctx, rest),
    }),
    owner: defineFunction({
      doc: 'Returns the packages that files belong to.',
      varargs: 'paths',
      kwargs: 'kwargs',
      returns: 'mapping of path to package',
      examples: ["salt '*' pkg.owner /usr/bin/apachectl"],
      run: (ctx, _args, rest) => ownersApk(ctx, rest),
    }),
  },
});
