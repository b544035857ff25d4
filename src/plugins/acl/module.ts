/** `acl`: access control lists of files. Follows 3006.16 salt/modules/linux_acl.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict, type DictInit, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { aclsIn } from './module/parse.ts';
import { runText } from '../shared/program.ts';

const TYPE = {
  acl_type: param.text({
    doc: 'user, group, mask or other, or a letter of them; with `default:` or `d:` in front what new files get.',
  }),
  acl_name: param.textOrEmpty({ default: '', doc: 'The user or group; empty for the owner.' }),
} as const;

/** @throws CommandExecutionError without any file */
function filesOf(files: readonly Value[]): string[] {
  if (files.length === 0)
    throw new CommandExecutionError('You need to specify at least one file or directory to work with!');
  return files.map(pyStr);
}

/** The kind of an entry as setfacl takes it. */
function prefixOf(type: string): string {
  const isDefault = type.startsWith('d');
  const kind = isDefault ? type.replaceAll('default:', '').replaceAll('d:', '') : type;
  const letter =
    ['user', 'group', 'mask', 'other'].find((word) => kind === word || kind === word[0])?.[0] ?? '';
  return `${isDefault ? 'd:' : ''}${letter}`;
}

const recursion = (kwargs: Dict): string[] => (truthy(kwargs.get('recursive') ?? null) ? ['-R'] : []);

/** Runs setfacl; failures are seen where `raise_err` is said. */
async function change(ctx: ModuleContext, words: readonly string[], keywords: DictInit = {}): Promise<true> {
  await runText(ctx, ['setfacl', ...words], keywords);
  return true;
}

/** The module. */
export const aclModule = defineModule({
  name: 'acl',
  file: 'linux_acl',
  doc: 'Access control lists of files (`getfacl`, `setfacl`).',
  words: {},
  unavailable: () =>
    findProgram('getfacl') === undefined
      ? 'The linux_acl execution module cannot be loaded: the getfacl binary is not in the path.'
      : undefined,
  functions: {
    version: defineFunction({
      doc: 'Returns the version of getfacl.',
      returns: 'text',
      examples: ["salt '*' acl.version"],
      run: async (ctx) =>
        (await runText(ctx, ['getfacl', '--version'])).split('\n')[0]?.split(/\s+/)[1] ?? '',
    }),
    getfacl: defineFunction({
      doc: 'Returns the access control lists of files.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'mapping of path to comment, user, group, mask, other and defaults',
      examples: ["salt '*' acl.getfacl /tmp/house/kitchen", "salt '*' acl.getfacl /tmp/house recursive=True"],
      run: async (ctx, _args, files, kwargs) => {
        const words = ['--absolute-names', ...recursion(kwargs), ...filesOf(files)];
        return aclsIn(await runText(ctx, ['getfacl', ...words]));
      },
    }),
    wipefacls: defineFunction({
      doc: 'Removes all entries of access control lists but those of owner, group and others.',
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'true',
      examples: ["salt '*' acl.wipefacls /tmp/house/kitchen recursive=True"],
      run: (ctx, _args, files, kwargs) => change(ctx, ['-b', ...recursion(kwargs), ...filesOf(files)]),
    }),
    modfacl: defineFunction({
      doc: 'Adds or changes an entry.',
      params: { ...TYPE, perms: param.textOrEmpty({ default: '', doc: 'The rights: rwx, r-x.' }) },
      varargs: 'args',
      kwargs: 'kwargs',
      words: { dashes: ['perms'] },
      returns: 'true',
      examples: ["salt '*' acl.modfacl user myuser rwx /tmp/house/kitchen"],
      run: (ctx, { acl_type, acl_name, perms }, files, kwargs) => {
        const entry = `${prefixOf(acl_type)}:${acl_name}:${perms}`;
        const words = [...recursion(kwargs), '-m', entry, ...filesOf(files)];
        return change(ctx, words, { raise_err: kwargs.get('raise_err') ?? false });
      },
    }),
    delfacl: defineFunction({
      doc: 'Removes an entry.',
      params: TYPE,
      varargs: 'args',
      kwargs: 'kwargs',
      returns: 'true',
      examples: ["salt '*' acl.delfacl user myuser /tmp/house/kitchen"],
      run: (ctx, { acl_type, acl_name }, files, kwargs) =>
        change(ctx, [...recursion(kwargs), '-x', `${prefixOf(acl_type)}:${acl_name}`, ...filesOf(files)]),
    }),
  },
});
