/**
 * A site's execution modules, for the files of a master's pillar: those of its `extension_modules` and `module_dirs`,
 * in Python (3006.16 salt/pillar/__init__.py: `minion_mods` with the master's options).
 */
import { extensionFiles, pythonFileNames, pythonFiles } from '../extensions/folder.ts';
import type { LoadContext } from '../loader/module.ts';
import type { CustomModule, RegistryOptions } from '../loader/registry.ts';
import type { PythonModules } from '../python-host/python-modules.ts';
import type { PythonSingleDeps } from './python-single.ts';

/** Where the functions of a pillar come from besides this program. */
export type PillarModules = Required<Pick<RegistryOptions, 'custom' | 'customFiles'>>;

/**
 * Finds them, and starts nothing where there are none. They run in the process of the pillar's other Python, never in a
 * master's, and no longer than `python_seconds_max`.
 */
export function pillarModules(deps: PythonSingleDeps): PillarModules {
  return {
    customFiles: (opts) => pythonFileNames(opts, 'modules'),
    custom: async (context, only) => {
      const isWanted = (file: string): boolean => only === undefined || file === only;
      const refused = extensionFiles(context.opts, 'modules').filter(({ name }) => isWanted(name));
      const files = pythonFiles(context.opts, 'modules').filter(({ file }) => isWanted(file));
      const found = [...refused.map(refusal), ...(await described(files, context, deps))];
      for (const one of found) if ('broken' in one) deps.log.error(one.broken);
      return found;
    },
  };
}

function refusal({ name, path }: { readonly name: string; readonly path: string }): CustomModule {
  const broken = `${path} cannot be used: for pillar a master runs modules of the site in Python only`;
  return { file: name, name, broken };
}

async function described(
  files: ReturnType<typeof pythonFiles>,
  context: LoadContext,
  { owner, clock, log }: PythonSingleDeps,
): Promise<CustomModule[]> {
  if (files.length === 0) return [];
  const { pythonTemplatesOf } = await import('./python-templates.ts');
  return pythonTemplatesOf(owner, { clock, log }).use(async (python) => {
    const found: CustomModule[] = [];
    for (const one of files) found.push(...(await describedFile(python, one, context)));
    return found;
  });
}

async function describedFile(
  python: PythonModules,
  { file, name, path }: ReturnType<typeof pythonFiles>[number],
  context: LoadContext,
): Promise<CustomModule[]> {
  const tried = await python.tryFile('modules', { file, path }, context);
  if ('broken' in tried) return [{ file, name, broken: tried.broken }];
  if ('unavailable' in tried) return [{ file, ...tried }];
  const { module, aliases } = tried;
  return [module.name, ...aliases].map((known) => ({
    ...{ file, name: known, isPython: true },
    load: () => Promise.resolve({ ...module, name: known }),
  }));
}
