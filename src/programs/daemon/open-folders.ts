/** Folders of code, states and pillar that every user may write: who does decides what daemons run as root. */
import { looseText, mayAllWrite } from '../../host/loose-modes.ts';
import type { Logger } from '../../host/log.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** Options that name folders, and what is in them. */
const FOLDERS: readonly (readonly [option: string, what: string])[] = [
  ['file_roots', 'The file root'],
  ['pillar_roots', 'The pillar root'],
  ['extension_modules', 'The folder of extension modules'],
  ['module_dirs', 'The folder of execution modules'],
  ['states_dirs', 'The folder of state modules'],
  ['grains_dirs', 'The folder of grains modules'],
  ['returner_dirs', 'The folder of returners'],
  ['render_dirs', 'The folder of renderers'],
  ['outputter_dirs', 'The folder of outputters'],
  ['beacons_dirs', 'The folder of beacons'],
];

/** Warns of each of them that every user may write, with the command that closes it. */
export function warnOfOpenFolders(opts: Dict, log: Logger): void {
  for (const [option, what] of FOLDERS)
    for (const path of foldersOf(opts.get(option))) if (mayAllWrite(path)) log.warning(looseText(what, path));
}

/** A folder, a list of them, or lists by environment. */
function foldersOf(value: Value | undefined): string[] {
  if (typeof value === 'string') return value.startsWith('/') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(foldersOf);
  return value !== undefined && isDict(value) ? [...value.values()].flatMap(foldersOf) : [];
}
