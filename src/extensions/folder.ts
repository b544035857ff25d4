/**
 * Where modules of one's own lie: `<extension_modules>/<kind>`, filled by `saltutil.sync_*`, and the folders `<kind>` and `_<kind>` in
 * `module_dirs` (`salt-call -m`), and the folders of `runner_dirs`, `returner_dirs` …, which come first (salt/loader/__init__.py `_module_dirs`, 3006.16).
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pyStr } from '../values/repr.ts';
import type { Dict } from '../values/value.ts';

/** The kinds that are loaded here. The folder of the file server is the name behind an underscore. */
export type ExtensionKind =
  'modules' | 'grains' | 'states' | 'runners' | 'returners' | 'output' | 'renderers' | 'beacons' | 'utils';

/** Endings of the files that are loaded. */
export const SOURCE_ENDINGS: readonly string[] = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];

/** One file of a module. */
export interface ExtensionFile {
  /** Its name without folder and ending. */
  readonly name: string;
  readonly path: string;
  /** Changes with the file. */
  readonly version: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The files of a kind, by name; of two files of one name the first folder's counts.
 * @param opts of a minion or a master: `extension_modules`, `module_dirs`
 */
export function extensionFiles(opts: Dict, kind: ExtensionKind): ExtensionFile[] {
  const found = new Map<string, ExtensionFile>();
  for (const folder of foldersOf(opts, kind)) {
    for (const file of filesIn(folder)) if (!found.has(file.name)) found.set(file.name, file);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A text that changes when any file of one of the kinds does; empty when there is none. */
export function extensionsVersion(opts: Dict, kinds: readonly ExtensionKind[]): string {
  return kinds
    .flatMap((kind) => extensionFiles(opts, kind))
    .map(({ path, version }) => `${path} ${version}`)
    .join('\n');
}

/** Options with further folders, as Salt names them. */
const FURTHER: Readonly<Partial<Record<ExtensionKind, string>>> = {
  runners: 'runner_dirs',
  returners: 'returner_dirs',
  grains: 'grains_dirs',
  states: 'states_dirs',
  renderers: 'render_dirs',
  output: 'outputter_dirs',
};

function foldersOf(opts: Dict, kind: ExtensionKind): string[] {
  const dirs = opts.get('module_dirs');
  const given = Array.isArray(dirs)
    ? dirs.map(pyStr).flatMap((dir) => [join(dir, kind), join(dir, `_${kind}`)])
    : [];
  const further = opts.get(FURTHER[kind] ?? null);
  if (Array.isArray(further)) given.push(...further.map(pyStr));
  const synced = opts.get('extension_modules');
  return typeof synced === 'string' && synced !== '' ? [...given, join(synced, kind)] : given;
}

function filesIn(folder: string): ExtensionFile[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.sort().flatMap((file) => {
    const ending = SOURCE_ENDINGS.find((end) => file.endsWith(end) && !file.endsWith(`.d${end}`));
    const name = ending === undefined ? '' : file.slice(0, -ending.length);
    const path = join(folder, file);
    const stat = NAME.test(name) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    return stat?.isFile() === true
      ? [{ name, path, version: `${stat.mtimeMs}.${stat.size}.${stat.ino}` }]
      : [];
  });
}
