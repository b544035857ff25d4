/** Loading the files of a kind in this process, each on its own: one that fails is reported and left out. */
import type { LoadContext } from '../loader/module.ts';
import type { Tried } from './description.ts';
import type { ExtensionFile } from './folder.ts';
import type { FileLoader } from './load-file.ts';
import { faultOf } from './faults.ts';
import { readOwnModule, whyUnavailable } from './read-module.ts';
import { toModuleSpec } from './to-module-spec.ts';

/** Loads one file of functions; never throws. */
export function tryModule(loader: FileLoader, file: ExtensionFile, { opts, grains }: LoadContext): Tried {
  try {
    const own = readOwnModule(loader.load(file.path));
    const unavailable = whyUnavailable(own, opts, grains);
    if (unavailable !== undefined) return { file: file.name, name: own.name ?? file.name, unavailable };
    return { file: file.name, path: file.path, module: toModuleSpec(file.name, own) };
  } catch (error) {
    return { file: file.name, broken: `${file.path} cannot be loaded: ${faultOf(error)}` };
  }
}
