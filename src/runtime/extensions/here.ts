/**
 * Custom modules in this process, each loaded when it is first used: in worker processes of a minion and in commands.
 */
import type { LoadContext, ModuleSpec } from '../loader/module.ts';
import type { CustomModule } from '../loader/registry.ts';
import type { FoundModules } from '../../network/ipc/contracts/job-worker.ts';
import type { Dict } from '../../python/values/value.ts';
import type { Tried } from './description.ts';
import type { PythonKind } from '../../network/ipc/contracts/python-host.ts';
import { systemClock } from '../../host/clock.ts';
import type { InstalledKind } from '../python-host/installed-salt.ts';
import { PythonModules, type PythonSource } from '../python-host/python-modules.ts';
import { extensionsVersion, isPython, pythonFiles, type ExtensionKind } from './folder.ts';
import { InstalledModules, loadInstalled } from './installed-modules.ts';
import { FileLoader } from './load-file.ts';
import { tryModule } from './load-modules.ts';

/** Kinds whose files may import each other. */
const TOGETHER: readonly ExtensionKind[] = ['modules', 'utils', 'states', 'runners', 'wheel', 'returners'];

/** What is known of a module before it is loaded here; `file` is the name of the file, `name` that of the module. */
export type KnownModule =
  | { readonly file: string; readonly name: string; readonly path: string }
  /** Why it cannot be used here. */
  | { readonly file: string; readonly name: string; readonly unavailable: string }
  /** Why it cannot be loaded. */
  | { readonly file: string; readonly name: string; readonly broken: string };

/** The modules without their functions. */
export function knownModules(tried: readonly Tried[]): KnownModule[] {
  return tried.map((one) => {
    if ('broken' in one) return { ...one, name: one.name ?? one.file };
    if ('unavailable' in one) return one;
    return { file: one.file, path: one.path, name: one.module.name };
  });
}

/** Loads files once, and all of them again when one has changed. */
export class ExtensionsHere {
  #loader: FileLoader | undefined;
  #version = '';
  readonly #prints: boolean;
  #python: PythonModules | undefined;
  #installed: InstalledModules | undefined;

  /** @param options `prints`: what modules in Python print goes to the standard output of this program */
  constructor({ prints = false }: { readonly prints?: boolean } = {}) {
    this.#prints = prints;
  }

  /** What runs files in Python in this program. */
  get python(): PythonModules {
    const prints = this.#prints;
    return (this.#python ??= new PythonModules({ clock: systemClock, files: pythonFiles, prints }));
  }

  /** The modules for the loader. */
  modules(known: readonly KnownModule[], context: LoadContext, kind: ExtensionKind): CustomModule[] {
    if (known.length === 0) return [];
    const version = extensionsVersion(context.opts, TOGETHER);
    if (this.#loader === undefined || version !== this.#version) this.#loader = new FileLoader();
    this.#version = version;
    const loader = this.#loader;
    return known.map((one) => {
      if (!('path' in one)) return one;
      const { file, path, name } = one;
      const load = async (): Promise<ModuleSpec> => {
        if (isPython(path)) return { ...(await this.#pythonModule(kind, { file, path }, context)), name };
        const tried = tryModule(loader, { name: file, path, version: '' }, context);
        if ('module' in tried) return tried.module;
        throw new Error('broken' in tried ? tried.broken : tried.unavailable);
      };
      return { file, name, load, isPython: isPython(path) };
    });
  }

  /** Modules of a name of an installed Salt. */
  installed(name: string, context: LoadContext, kind: InstalledKind): Promise<readonly CustomModule[]> {
    this.#installed ??= new InstalledModules((...wanted) => loadInstalled(this.python, ...wanted));
    return this.#installed.named(name, context, kind);
  }

  async #pythonModule(kind: ExtensionKind, source: PythonSource, context: LoadContext): Promise<ModuleSpec> {
    const tried = await this.python.tryFile(kind as PythonKind, source, context);
    if ('module' in tried) return tried.module;
    throw new Error('broken' in tried ? tried.broken : tried.unavailable);
  }
}

/** What was found out about the modules of a kind, and when that no longer holds. */
export interface Findings {
  readonly known: readonly KnownModule[];
  /** {@link findingsVersion} when it was found out. */
  readonly version: string;
}

/** A text that changes when what is known of a kind has to be found out again. */
export function findingsVersion(opts: Dict, kind: ExtensionKind): string {
  return extensionsVersion(opts, [kind, 'utils']);
}

/** Findings as another process has told them. */
export function findingsOf({ version, known }: FoundModules): Findings {
  return { version, known: known.map(knownOf) };
}

function knownOf({ file, name, path, unavailable, broken }: FoundModules['known'][number]): KnownModule {
  if (path !== undefined) return { file, name, path };
  return unavailable === undefined ? { file, name, broken: broken ?? '' } : { file, name, unavailable };
}
