/** `lowpkg` with rpm. Follows 3006.16 salt/modules/rpm_lowpkg.py. */
import { defineFunction, defineModule } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { hasRpm, isRpmHost, namedRpms } from './module/rpm.ts';
import { rpmFileFunctions } from './module/rpm-functions.ts';
import { checkRpms, diffPackageFile, rpmFileInfo, rpmInfo } from './module/rpm-info.ts';
import { compareRpm, withoutEpoch } from '../module/versions.ts';
import { param } from '../../../runtime/loader/params.ts';

const PACKAGES = { varargs: 'packages', kwargs: 'kwargs' } as const;

/** The module. */
export const rpmModule = defineModule({
  name: 'lowpkg',
  file: 'rpm_lowpkg',
  doc: 'Asks the database of installed packages.',
  unavailable: ({ grains }) =>
    !hasRpm()
      ? 'The rpm execution module failed to load: rpm binary is not in the path.'
      : isRpmHost(grains, ['RedHat', 'Suse'])
        ? undefined
        : 'The rpm execution module failed to load: only available on redhat/suse type systems or amazon, xcp, xenserver, virtuozzolinux, virtuozzo, issabel pbx or openeuler.',
  words: {},
  functions: {
    list_pkgs: defineFunction({
      doc: 'Lists installed packages, all or those named, with their bare versions. Keyword `root`: the folder of the system.',
      ...PACKAGES,
      returns: 'mapping of package to version',
      examples: ["salt '*' lowpkg.list_pkgs"],
      run: async (ctx, _args, rest, kwargs) => (await namedRpms(ctx, rest.map(pyStr), kwargs)).versions,
    }),
    info: defineFunction({
      doc: 'Returns all that is known about installed packages. Keywords: `attr` (attributes with commas between), `all_versions`, `root`.',
      ...PACKAGES,
      returns: 'mapping of package to a mapping; to a list of them with `all_versions`',
      examples: ["salt '*' lowpkg.info bash", "salt '*' lowpkg.info bash attr=version,build_date,size"],
      run: (ctx, _args, rest, kwargs) => rpmInfo(ctx, rest, kwargs),
    }),
    bin_pkg_info: defineFunction({
      doc: 'Returns name, version and architecture of a package file.',
      params: {
        path: param.text({ doc: 'The file, or an address.' }),
        saltenv: param.text({ default: 'base', doc: 'The environment of the file server.' }),
      },
      returns:
        '`{name, version, arch, repoid, install_date, install_date_time_t}`, None when rpm cannot read it',
      examples: ["salt '*' lowpkg.bin_pkg_info /root/salt-2015.5.1-2.el7.noarch.rpm"],
      run: (ctx, { path, saltenv }) => rpmFileInfo(ctx, path, saltenv),
    }),
    checksum: defineFunction({
      doc: 'Returns whether digests and signatures of package files are right. Keyword `root`: the folder of the system.',
      varargs: 'paths',
      kwargs: 'kwargs',
      returns: 'mapping of path to bool',
      examples: ["salt '*' lowpkg.checksum /path/to/package.rpm"],
      run: (ctx, _args, rest, kwargs) => checkRpms(ctx, rest, kwargs),
    }),
    diff: defineFunction({
      doc: 'Shows how a file differs from how it is in a package file.',
      params: {
        package_path: param.text({ doc: 'The package file.' }),
        path: param.text({ doc: 'The installed file.' }),
      },
      returns: 'the difference; empty when there is none',
      examples: ["salt '*' lowpkg.diff /path/to/apache2.rpm /etc/apache2/httpd.conf"],
      run: (ctx, args) => diffPackageFile(ctx, args.package_path, args.path),
    }),
    ...rpmFileFunctions('lowpkg'),
    version_cmp: defineFunction({
      doc: 'Compares two versions.',
      params: {
        ver1: param.text({ doc: 'One.' }),
        ver2: param.text({ doc: 'The other.' }),
        ignore_epoch: param.strictFlag({ default: false, doc: 'Leave out epochs.' }),
      },
      returns: '-1, 0 or 1',
      examples: ["salt '*' lowpkg.version_cmp '0.2-001' '0.2.0.1-002'"],
      run: (_ctx, { ver1, ver2, ignore_epoch }) => {
        const shown = (text: string): string => (ignore_epoch ? withoutEpoch(text) : text);
        return compareRpm(shown(ver1), shown(ver2));
      },
    }),
  },
});
