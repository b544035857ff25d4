/** Modules of one's own in this process, each loaded when it is first used: in worker processes of a minion and in commands. */
import type { LoadContext } from '../loader/module.ts';
import type { CustomModule } from '../loader/registry.ts';
import type { Dict, Value } from '../values/value.ts';
import type { Tried } from './description.ts';
import { extensionsVersion, type ExtensionKind } from './folder.ts';
import { FileLoader } from './load-file.ts';
import { tryModule } from './load-modules.ts';

/** Kinds whose files may import each other. */
const TOGETHER: readonly ExtensionKind[] = ['modules', 'utils', 'states', 'runners', 'returners'];

/** What is known of a module before it is loaded here. */
export interface KnownModule {
  /** Name of the file. */
  readonly file: string;
  readonly path: string;
  /** Virtual name. */
  readonly name: string;
  /** Why it cannot be used here. */
  readonly unavailable?: string;
}

/** The modules that were found to be usable, or not to be here; those that cannot be loaded are left out. */
export function knownModules(tried: readonly Tried[]): KnownModule[] {
  return tried.flatMap((one) => {
    if ('broken' in one) return [];
    if ('unavailable' in one) return [{ ...one, path: '' }];
    return [{ file: one.file, path: one.path, name: one.module.name }];
  });
}

/** Loads files once, and all of them again when one has changed. */
export class ExtensionsHere {
  #loader: FileLoader | undefined;
  #version = '';

  /** The modules for the loader. */
  modules(known: readonly KnownModule[], context: LoadContext): CustomModule[] {
    if (known.length === 0) return [];
    const version = extensionsVersion(context.opts, TOGETHER);
    if (this.#loader === undefined || version !== this.#version) this.#loader = new FileLoader();
    this.#version = version;
    const loader = this.#loader;
    return known.map(({ file, path, name, unavailable }) => {
      if (unavailable !== undefined) return { file, name, unavailable };
      const load = async (): Promise<Extract<Tried, { readonly path: string }>['module']> => {
        const tried = tryModule(loader, { name: file, path, version: '' }, context);
        if ('module' in tried) return tried.module;
        throw new Error('broken' in tried ? tried.broken : tried.unavailable);
      };
      return { file, name, load };
    });
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

/** Packs findings, for another process. */
export function packFindings({ known, version }: Findings): Value {
  return [version, known.map(({ file, path, name, unavailable }) => [file, path, name, unavailable ?? null])];
}

/** Reads what {@link packFindings} has packed; undefined when there is nothing. */
export function readFindings(value: Value | undefined): Findings | undefined {
  if (!Array.isArray(value)) return undefined;
  const [version, known] = value;
  return { version: String(version), known: readKnown(known) };
}

function readKnown(value: Value | undefined): KnownModule[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => {
    const [file, path, name, unavailable] = Array.isArray(item) ? item : [];
    const words = { file: String(file), path: String(path), name: String(name) };
    return typeof unavailable === 'string' ? { ...words, unavailable } : words;
  });
}
