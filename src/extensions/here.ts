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
    if ('broken' in one) return { ...one, name: one.file };
    if ('unavailable' in one) return one;
    return { file: one.file, path: one.path, name: one.module.name };
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
    return known.map((one) => {
      if (!('path' in one)) return one;
      const { file, path, name } = one;
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
  const packed = known.map((one): Value => {
    if ('path' in one) return [one.file, one.name, 'path', one.path];
    if ('broken' in one) return [one.file, one.name, 'broken', one.broken];
    return [one.file, one.name, 'unavailable', one.unavailable];
  });
  return [version, packed];
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
    const [file, name, what, said] = (Array.isArray(item) ? item : []).map(String);
    const words = { file: file ?? '', name: name ?? '' };
    if (what === 'path') return { ...words, path: said ?? '' };
    return what === 'broken' ? { ...words, broken: said ?? '' } : { ...words, unavailable: said ?? '' };
  });
}
