/** `lowpkg` on Debian: what dpkg knows. Follows 3006.16 salt/modules/dpkg_lowpkg.py. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { isAbs, pathExists } from '../../../python/paths.ts';
import { refuseKeywords } from '../../../runtime/loader/bind.ts';
import { defineFunction, defineModule } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import {
  debFileInfo,
  debPackages,
  fileDict,
  fileList,
  hasDpkg,
  listLow,
  packageInfo,
} from '../../shared/dpkg.ts';
import { packageChanges, packageName } from '../../shared/packages.ts';
import { runText } from '../../shared/program.ts';
import { param } from '../../../runtime/loader/params.ts';
import { isFileAddress, neededFile } from '../../shared/served-files.ts';

const PACKAGES = { varargs: 'packages', kwargs: 'kwargs' } as const;
const names = (rest: readonly Value[]): string[] => rest.map((name) => packageName(pyStr(name)));

/** The module. */
export const dpkgModule = defineModule({
  name: 'lowpkg',
  file: 'dpkg_lowpkg',
  doc: 'Asks the database of installed packages.',
  unavailable: ({ opts }) =>
    hasDpkg(opts)
      ? undefined
      : 'The dpkg execution module cannot be loaded: only works on Debian family systems.',
  words: {},
  functions: {
    list_pkgs: defineFunction({
      doc: 'Lists installed packages, all or those of the given names and globs.',
      ...PACKAGES,
      returns: 'mapping of package to version',
      examples: ["salt '*' lowpkg.list_pkgs", "salt '*' lowpkg.list_pkgs hostname mount"],
      run: (ctx, _args, rest) => listLow(ctx, names(rest)),
    }),
    info: defineFunction({
      doc: 'Returns all that is known about installed packages. Keyword failhard=False leaves out those that are not there.',
      ...PACKAGES,
      returns: 'mapping of package to a mapping',
      examples: ["salt '*' lowpkg.info", "salt '*' lowpkg.info apache2 bash"],
      run: (ctx, _args, rest, kwargs) => {
        refuseKeywords(kwargs, ['failhard']);
        return packageInfo(ctx, names(rest), truthy(kwargs.get('failhard') ?? true));
      },
    }),
    file_list: defineFunction({
      doc: 'Lists the files of packages.',
      ...PACKAGES,
      returns: '`{errors: [], files: [paths]}`',
      examples: ["salt '*' lowpkg.file_list hostname"],
      run: (ctx, _args, rest) => fileList(ctx, names(rest)),
    }),
    file_dict: defineFunction({
      doc: 'Lists the files of packages, by package.',
      ...PACKAGES,
      returns: '`{errors: [], packages: {package: [paths]}}`',
      examples: ["salt '*' lowpkg.file_dict hostname mount"],
      run: (ctx, _args, rest) => fileDict(ctx, names(rest)),
    }),
    bin_pkg_info: defineFunction({
      doc: 'Returns name, version and architecture of a package file.',
      params: {
        path: param.text({ doc: 'The file, or an address.' }),
        saltenv: param.text({ default: 'base', doc: 'The environment of the file server.' }),
      },
      returns: '`{name, version, arch}`',
      examples: ["salt '*' lowpkg.bin_pkg_info /root/foo-1.2.3-1ubuntu1_all.deb"],
      run: async (ctx, { path, saltenv }) => {
        const source = path;
        if (await isFileAddress(ctx, [source]))
          return debFileInfo(ctx, await neededFile(ctx, source, saltenv));
        if (!pathExists(source)) throw new CommandExecutionError(`${source} does not exist on minion`);
        if (!isAbs(source)) throw new SaltInvocationError(`${source} does not exist on minion`);
        return debFileInfo(ctx, source);
      },
    }),
    unpurge: defineFunction({
      doc: 'Has packages that are to be purged stay installed.',
      varargs: 'packages',
      returns: '`{package: {old, new}}`',
      examples: ["salt '*' lowpkg.unpurge curl"],
      run: async (ctx, _args, rest) => {
        if (rest.length === 0) return new Map();
        const before = (await debPackages(ctx)).purgeDesired;
        const stdin = names(rest)
          .map((name) => `${name} install`)
          .join('\n');
        await runText(ctx, ['dpkg', '--set-selections'], { stdin, output_loglevel: 'trace' });
        return packageChanges(before, (await debPackages(ctx)).purgeDesired);
      },
    }),
  },
});
