/** Modules of an installed Salt (`salt_python`), where Brine has none of that name. */
import { CommandExecutionError, UnservedOptionError } from '../../errors/errors.ts';
import type { Dict } from '../../python/values/value.ts';
import type { LoadContext, ModuleSpec } from '../loader/module.ts';
import { UnavailableModule, type CustomModule } from '../loader/registry.ts';
import {
  installedFiles,
  type InstalledFile,
  type InstalledFiles,
  type InstalledKind,
} from '../python-host/installed-salt.ts';
import type { PythonModules } from '../python-host/python-modules.ts';
import { interpreterOf } from '../python-host/python-process.ts';

/** Loads one file. */
export type LoadInstalled = (
  kind: InstalledKind,
  file: InstalledFile,
  context: LoadContext,
) => Promise<ModuleSpec>;

/** Whether a Salt's own modules are to be used. */
function isSaltPython(opts: Dict): boolean {
  return opts.get('salt_python') === true;
}

/** Knows which files there are; asks once for each interpreter and kind, when a name is first looked for. */
export class InstalledModules {
  readonly #load: LoadInstalled;
  readonly #asked = new Map<string, Promise<InstalledFiles>>();

  constructor(load: LoadInstalled) {
    this.#load = load;
  }

  /**
   * The modules that may have this name, in the order in which they are tried; what is wrong when no Salt can be
   * imported.
   */
  async named(name: string, context: LoadContext, kind: InstalledKind): Promise<readonly CustomModule[]> {
    if (!isSaltPython(context.opts)) return [];
    const found = await this.#files(interpreterOf(context.opts), kind);
    if ('fault' in found) return [{ file: name, name, broken: `salt_python is set, and ${found.fault}` }];
    return found.files
      .filter(({ names, file }) => names.includes(name) || file === name)
      .map((file) => ({ file: file.file, name, load: () => this.#load(kind, file, context) }));
  }

  /** Throws UnservedOptionError when modules of a Salt are asked for and none can be imported. */
  async refuse(opts: Dict): Promise<void> {
    if (!isSaltPython(opts)) return;
    const found = await this.#files(interpreterOf(opts), 'modules');
    if ('fault' in found)
      throw new UnservedOptionError(
        `salt_python is set, and ${found.fault}: name an interpreter that can with python_executable, or leave salt_python out.`,
      );
  }

  #files(interpreter: string, kind: InstalledKind): Promise<InstalledFiles> {
    const key = `${kind} ${interpreter}`;
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const asked = installedFiles(interpreter, kind);
    this.#asked.set(key, asked);
    return asked;
  }
}

/** Loads a file in a process. Throws what is wrong with it. */
export async function loadInstalled(
  python: PythonModules,
  kind: InstalledKind,
  { file, path }: InstalledFile,
  context: LoadContext,
): Promise<ModuleSpec> {
  const tried = await python.tryFile(kind, { file, path }, context);
  if ('module' in tried) return tried.module;
  if ('unavailable' in tried) throw new UnavailableModule(tried.unavailable);
  throw new CommandExecutionError(tried.broken);
}
