/** `lowpkg` with rpm. Follows 3006.16 salt/modules/rpm_lowpkg.py. */
import { isTrue } from '../loader/coerce.ts';
import { defineFunction, defineModule } from '../loader/module.ts';
import { pyStr } from '../values/repr.ts';
import { dict, type Dict, type Value } from '../values/value.ts';
import { hasRpm, installedRpms, rpmFiles, rpmOwner } from './pkg/rpm.ts';
import { compareRpm, withoutEpoch } from './pkg/versions.ts';

const FAMILIES: readonly Value[] = ['RedHat', 'Suse', 'Mandriva'];
const PACKAGES = { varargs: 'packages', kwargs: 'kwargs' } as const;

/** The module. */
export const rpmModule = defineModule({
  name: 'lowpkg',
  file: 'rpm_lowpkg',
  doc: 'Asks the database of installed packages.',
  unavailable: ({ grains }) =>
    FAMILIES.includes(grains.get('os_family') ?? '') && hasRpm()
      ? undefined
      : 'The rpm execution module failed to load: rpm binary is not in the path or the system is not of its family.',
  functions: {
    list_pkgs: defineFunction({
      doc: 'Lists installed packages, all or those named.',
      ...PACKAGES,
      returns: 'mapping of package to version',
      examples: ["salt '*' lowpkg.list_pkgs"],
      run: async (ctx, _args, rest) => {
        const out: Dict = new Map();
        for (const [name, versions] of await installedRpms(ctx))
          if (rest.length === 0 || rest.includes(name)) out.set(name, versions.join(','));
        return out;
      },
    }),
    file_list: defineFunction({
      doc: 'Lists the files of packages.',
      ...PACKAGES,
      returns: '`{errors, files}`',
      examples: ["salt '*' lowpkg.file_list httpd"],
      run: (ctx, _args, rest) => rpmFiles(ctx, rest.map(pyStr)),
    }),
    file_dict: defineFunction({
      doc: 'Lists the files of packages, package by package.',
      ...PACKAGES,
      returns: '`{errors, packages: {package: files}}`',
      examples: ["salt '*' lowpkg.file_dict httpd"],
      run: async (ctx, _args, rest) => {
        const [errors, packages]: [Value[], Dict] = [[], new Map()];
        for (const name of rest.map(pyStr)) {
          const found = await rpmFiles(ctx, [name]);
          errors.push(...(found.get('errors') as Value[]));
          packages.set(name, found.get('files') ?? []);
        }
        return dict({ errors, packages });
      },
    }),
    owner: defineFunction({
      doc: 'Tells the packages that files belong to.',
      varargs: 'paths',
      kwargs: 'kwargs',
      returns: 'text for one path, else mapping',
      examples: ["salt '*' lowpkg.owner /usr/bin/apachectl"],
      run: async (ctx, _args, rest) => {
        if (rest.length === 0) return '';
        const out: Dict = new Map();
        for (const path of rest) out.set(path, await rpmOwner(ctx, pyStr(path)));
        return rest.length === 1 ? ([...out.values()][0] ?? '') : out;
      },
    }),
    version_cmp: defineFunction({
      doc: 'Compares two versions.',
      params: {
        ver1: { type: 'str', doc: 'One.' },
        ver2: { type: 'str', doc: 'The other.' },
        ignore_epoch: { default: false, type: 'bool', doc: 'Leave out epochs.' },
      },
      returns: '-1, 0 or 1',
      examples: ["salt '*' lowpkg.version_cmp '0.2-001' '0.2.0.1-002'"],
      run: (_ctx, { ver1, ver2, ignore_epoch }) => {
        const shown = (text: Value): string =>
          isTrue(ignore_epoch) ? withoutEpoch(pyStr(text)) : pyStr(text);
        return compareRpm(shown(ver1), shown(ver2));
      },
    }),
  },
});
