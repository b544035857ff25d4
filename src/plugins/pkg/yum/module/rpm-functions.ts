/** The functions that `pkg` and `lowpkg` share on hosts with rpm. */
import { defineFunction } from '../../../../runtime/loader/module.ts';
import { pyStr } from '../../../../python/values/repr.ts';
import { dict, type Dict } from '../../../../python/values/value.ts';
import { namedRpms, rpmFiles, rpmOwners } from './rpm.ts';
import { modifiedRpms, verifyRpms } from './rpm-info.ts';

/** @param module under whose name the examples are */
export function rpmFileFunctions(module: 'pkg' | 'lowpkg') {
  const packages = { varargs: 'packages', kwargs: 'kwargs' } as const;
  return {
    file_list: defineFunction({
      doc: 'Lists the files of packages. Keyword `root`: the folder of the system.',
      ...packages,
      returns: '`{errors, files}`',
      examples: [`salt '*' ${module}.file_list httpd`],
      run: async (ctx, _args, rest, kwargs) =>
        dict({ errors: [], files: await rpmFiles(ctx, rest.map(pyStr), kwargs) }),
    }),
    file_dict: defineFunction({
      doc: 'Lists the files of packages, package by package. Keyword `root`: the folder of the system.',
      ...packages,
      returns: '`{errors, packages: {package: files}}`',
      examples: [`salt '*' ${module}.file_dict httpd`],
      run: async (ctx, _args, rest, kwargs) => {
        const { versions, missing } = await namedRpms(ctx, rest.map(pyStr), kwargs);
        const files: Dict = new Map();
        for (const name of versions.keys()) files.set(name, await rpmFiles(ctx, [pyStr(name)], kwargs));
        return dict({ errors: missing, packages: files });
      },
    }),
    owner: defineFunction({
      doc: 'Returns the packages that files belong to. Keyword `root`: the folder of the system.',
      varargs: 'paths',
      kwargs: 'kwargs',
      returns: 'text for one path, else mapping; empty where none has it',
      examples: [`salt '*' ${module}.owner /usr/bin/apachectl /etc/httpd/conf/httpd.conf`],
      run: (ctx, _args, rest, kwargs) => rpmOwners(ctx, rest, kwargs),
    }),
    verify: defineFunction({
      doc: 'Compares the files of packages with how they were installed. Keywords: `ignore_types` (config, doc, ghost, license, readme), `verify_options`, `root`.',
      ...packages,
      returns: 'mapping of file to `{mismatch: [facts], type}` or `{missing: true}`',
      examples: [
        `salt '*' ${module}.verify httpd`,
        `salt '*' ${module}.verify httpd ignore_types='[config, doc]'`,
      ],
      run: (ctx, _args, rest, kwargs) => verifyRpms(ctx, rest, kwargs),
    }),
    modified: defineFunction({
      doc: 'Lists the files that have changed since they were installed. Keywords such as `owner=True` or `time=False` filter by what has changed.',
      varargs: 'packages',
      kwargs: 'flags',
      returns: 'mapping of file to what has changed of it',
      examples: [`salt '*' ${module}.modified httpd owner=True`],
      run: (ctx, _args, rest, kwargs) => modifiedRpms(ctx, rest, kwargs),
    }),
  };
}
