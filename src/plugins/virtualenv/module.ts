/** `virtualenv`: virtual environments of Python. Follows 3006.16 salt/modules/virtualenv_mod.py. */
import { CommandExecutionError, SaltInvocationError } from '../../errors/errors.ts';
import { joinPath, pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { createEnvironment, virtualenvVersion } from './module/create.ts';
import { CREATE } from './module/params.ts';

/** Words that names of packages must not have, since they make code of them. */
const CODE = ['import', ';', 'subprocess', 'eval', 'open', 'file', 'exec', 'input'];

function checkedName(name: string): string {
  if (CODE.some((word) => name.includes(word)))
    throw new SaltInvocationError(`Unsafe python code detected in '${name}'`);
  return name;
}

/** What code prints that runs in an environment. @param args what it finds in `sys.argv` */
async function printedIn(
  ctx: ModuleContext,
  venv: string,
  code: string,
  args: readonly string[] = [],
): Promise<Value> {
  const python = joinPath(venv, 'bin', 'python');
  if (!pathExists(python))
    throw new CommandExecutionError(
      `Path '${venv}' does not appear to be a virtualenv: '${python}' not found.`,
    );
  const ended = await ctx.functions.call('cmd.exec_code_all', [python, code], { args: [...args] });
  const field = (name: string): Value => (isDict(ended) ? (ended.get(name) ?? '') : '');
  if (field('retcode') !== 0)
    throw new CommandExecutionError(`${pyStr(field('stdout'))}\n${pyStr(field('stderr'))}`);
  return field('stdout');
}

const VENV = { venv: param.text({ doc: 'The path of the virtual environment.' }) } as const;
const RESOURCE = {
  ...VENV,
  package: param.text({ default: null, doc: 'The package in which the resource is.' }),
  resource: param.text({ default: null, doc: 'The name of the resource: my/resource.xml.' }),
} as const;

function resource(call: string) {
  return (
    ctx: ModuleContext,
    args: { readonly venv: string; readonly package: string; readonly resource: string },
  ) => {
    const names = [checkedName(args.package), checkedName(args.resource)];
    const code = `import sys, pkg_resources; print(pkg_resources.${call}(sys.argv[1], sys.argv[2]))`;
    return printedIn(ctx, args.venv, code, names);
  };
}

/** The module. */
export const virtualenvModule = defineModule({
  name: 'virtualenv',
  file: 'virtualenv_mod',
  doc: 'Virtual environments of Python.',
  words: { dashes: ['prompt', 'extra_search_dir'] },
  functions: {
    virtualenv_ver: defineFunction({
      doc: 'Returns the version of the program virtualenv.',
      params: {
        venv_bin: param.text({ doc: 'The name or the path of the program.' }),
        user: param.value({ default: null, type: 'str', doc: 'Who runs it.' }),
      },
      kwargs: 'kwargs',
      returns: 'a list of numbers',
      examples: ["salt '*' virtualenv.virtualenv_ver virtualenv"],
      run: (ctx, { venv_bin, user }, _rest, kwargs) =>
        virtualenvVersion(ctx, venv_bin, new Map([...kwargs, ['runas', user]])),
    }),
    create: defineFunction({
      doc: 'Makes a virtual environment. Further keywords are those of cmd.run_all.',
      params: CREATE,
      kwargs: 'kwargs',
      returns: 'as cmd.run_all',
      examples: ["salt '*' virtualenv.create /srv/app/venv venv_bin=venv"],
      run: (ctx, args, _rest, kwargs) => createEnvironment(ctx, args, kwargs),
    }),
    get_site_packages: defineFunction({
      doc: 'Returns the folder of the packages of a virtual environment.',
      params: VENV,
      returns: 'a path',
      examples: ["salt '*' virtualenv.get_site_packages /srv/app/venv"],
      run: (ctx, { venv }) => printedIn(ctx, venv, 'import sysconfig; print(sysconfig.get_path("purelib"))'),
    }),
    get_distribution_path: defineFunction({
      doc: 'Returns the folder of a distribution that is installed in a virtual environment.',
      params: { ...VENV, distribution: param.text({ doc: 'The name of the distribution.' }) },
      returns: 'a path',
      examples: ["salt '*' virtualenv.get_distribution_path /srv/app/venv my_distribution"],
      run: (ctx, { venv, distribution }) => {
        const code = 'import sys, pkg_resources; print(pkg_resources.get_distribution(sys.argv[1]).location)';
        return printedIn(ctx, venv, code, [checkedName(distribution)]);
      },
    }),
    get_resource_path: defineFunction({
      doc: 'Returns the path of a resource of a package in a virtual environment.',
      params: RESOURCE,
      returns: 'a path',
      examples: ["salt '*' virtualenv.get_resource_path /srv/app/venv my_package my/resource.xml"],
      run: resource('resource_filename'),
    }),
    get_resource_content: defineFunction({
      doc: 'Returns the content of a resource of a package in a virtual environment, as Python writes bytes.',
      params: RESOURCE,
      returns: 'a text',
      examples: ["salt '*' virtualenv.get_resource_content /srv/app/venv my_package my/resource.xml"],
      run: resource('resource_string'),
    }),
  },
});
