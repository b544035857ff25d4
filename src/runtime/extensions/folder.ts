/**
 * Where custom modules lie: the folder `<kind>` or `_<kind>` of each in `module_dirs` (`salt-call -m`),
 * `<extension_modules>/<kind>`, filled by `saltutil.sync_*`, the folders of `runner_dirs`, `returner_dirs` …, and those
 * of installed packages (salt/loader/__init__.py `_module_dirs`, 3006.16).
 */
import { existsSync, readdirSync, readFileSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** The kinds that are loaded here. The folder of the file server is the name behind an underscore. */
export type ExtensionKind =
  | 'modules'
  | 'grains'
  | 'states'
  | 'runners'
  | 'wheel'
  | 'returners'
  | 'output'
  | 'renderers'
  | 'beacons'
  | 'engines'
  | 'auth'
  | 'sdb'
  | 'queues'
  | 'pillar'
  | 'tops'
  | 'matchers'
  | 'utils';

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

/** Endings of modules that only Salt can load (salt/utils/extmods.py, 3006.16). */
const PYTHON_ENDINGS: readonly string[] = ['.py', '.pyx', '.so'];
/** A folder with this file is a module. */
const PACKAGE_FILE = '__init__.py';
/** The name that a module gives itself stands near its beginning. */
const PYTHON_LOOK_CHARS = 65_536;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Salt loads whatever it does not take for private (salt/loader/lazy.py `_refresh_file_mapping`, 3006.16). */
const PYTHON_NAME = /^[A-Za-z0-9][^.]*$/;

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

/** A module that Salt has synced here, or that was synced for Salt, and that does not run here. */
export interface PythonFile {
  /** Its name without folder and ending. */
  readonly file: string;
  /** The name it gives itself, else that of the file. */
  readonly name: string;
  readonly path: string;
}

/** The modules in Python of a kind, but for those beside which there is a source of the same name. */
export function pythonFiles(opts: Dict, kind: string): PythonFile[] {
  return pythonPaths(opts, kind).map(({ file, path }) => ({ file, name: virtualName(path) ?? file, path }));
}

/** The same, of which none is read. */
function pythonPaths(opts: Dict, kind: string): Omit<PythonFile, 'name'>[] {
  const sources = new Set(extensionFiles(opts, kind as ExtensionKind).map(({ name }) => name));
  const found = new Map<string, Omit<PythonFile, 'name'>>();
  for (const folder of foldersOf(opts, kind as ExtensionKind))
    for (const entry of namesIn(folder)) {
      const ending = PYTHON_ENDINGS.find((end) => entry.endsWith(end));
      const file = ending === undefined ? entry : entry.slice(0, -ending.length);
      if (!PYTHON_NAME.test(file) || sources.has(file)) continue;
      const path = ending === undefined ? packageIn(folder, entry) : join(folder, entry);
      // Salt compat: a package comes before a file of the same name
      if (path === undefined || (found.has(file) && ending !== undefined)) continue;
      found.set(file, { file, path });
    }
  return [...found.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** The file that makes a folder a package; undefined when it is none. */
function packageIn(folder: string, entry: string): string | undefined {
  const path = join(folder, entry, PACKAGE_FILE);
  return existsSync(path) ? path : undefined;
}

/** Whether there is anything of a kind to look at, be it usable or not. */
export function hasExtensions(opts: Dict, kind: ExtensionKind): boolean {
  return extensionFiles(opts, kind).length + pythonPaths(opts, kind).length > 0;
}

/**
 * The names of the files in Python of a kind, of which Salt's order holds; undefined when there are others: of those
 * the modules may have any name, and come first.
 */
export function pythonFileNames(opts: Dict, kind: ExtensionKind): ReadonlySet<string> | undefined {
  if (extensionFiles(opts, kind).length > 0) return undefined;
  return new Set(pythonPaths(opts, kind).map(({ file }) => file));
}

/** Why a module in Python is not used. */
export function pythonReason(path: string): string {
  return `${path} is in Python, and of this kind Brine runs only files in TypeScript and JavaScript; minions of Salt go on using it`;
}

/** Kinds whose files in Python are run (`runtime/python-host`). */
const PYTHON_SERVED: ReadonlySet<string> = new Set([
  'modules',
  'states',
  'grains',
  'runners',
  'wheel',
  'returners',
  'renderers',
  'pillar',
  'output',
  'auth',
  'beacons',
  'engines',
  'sdb',
  'queues',
  'tops',
  'matchers',
  'utils',
]);

/** Whether a file is in Python. */
export function isPython(path: string): boolean {
  return PYTHON_ENDINGS.some((end) => path.endsWith(end));
}

/** Whether files in Python of a kind are run. */
export function isPythonServed(kind: string): boolean {
  return PYTHON_SERVED.has(kind);
}

/** The name that a module gives itself (`__virtualname__`), read without running it. */
function virtualName(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').slice(0, PYTHON_LOOK_CHARS);
    return /^__virtualname__\s*=\s*['"](\w+)['"]/m.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/** A text that changes when any file of one of the kinds does; empty when there is none. */
export function extensionsVersion(opts: Dict, kinds: readonly ExtensionKind[]): string {
  return kinds
    .flatMap((kind) => [...extensionFiles(opts, kind), ...pythonVersions(opts, kind)])
    .map(({ path, version }) => `${path} ${version}`)
    .join('\n');
}

function pythonVersions(opts: Dict, kind: ExtensionKind): Omit<ExtensionFile, 'name'>[] {
  return foldersOf(opts, kind).flatMap((folder) => pythonVersionsIn(folder));
}

/** The files in Python of a folder and of the packages in it. */
function pythonVersionsIn(folder: string): Omit<ExtensionFile, 'name'>[] {
  return namesIn(folder).flatMap((entry) => {
    if (packageIn(folder, entry) !== undefined) return pythonVersionsIn(join(folder, entry));
    if (!PYTHON_ENDINGS.some((end) => entry.endsWith(end))) return [];
    const path = join(folder, entry);
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, version: versionOf(stat) }];
  });
}

function versionOf({ mtimeMs, size, ino }: Stats): string {
  return `${mtimeMs}.${size}.${ino}`;
}

/** Options with further folders, as Salt names them. */
const FURTHER: Readonly<Record<ExtensionKind, string>> = {
  modules: 'module_dirs',
  runners: 'runner_dirs',
  returners: 'returner_dirs',
  grains: 'grains_dirs',
  states: 'states_dirs',
  renderers: 'render_dirs',
  output: 'outputter_dirs',
  engines: 'engines_dirs',
  auth: 'auth_dirs',
  beacons: 'beacons_dirs',
  tops: 'top_dirs',
  wheel: 'wheel_dirs',
  pillar: 'pillar_dirs',
  sdb: 'sdb_dirs',
  queues: 'queue_dirs',
  matchers: 'matchers_dirs',
  utils: 'utils_dirs',
};

/** Where a program that has started keeps the folders of installed packages in its options: kind to list of folders. */
export const PACKAGE_FOLDERS = '__package_dirs';

function foldersOf(opts: Dict, kind: ExtensionKind): string[] {
  const synced = opts.get('extension_modules');
  const own = typeof synced === 'string' && synced !== '' ? [join(synced, kind)] : [];
  const packages = opts.get(PACKAGE_FOLDERS);
  const further = [
    ...listed(opts.get(FURTHER[kind])),
    ...listed(isDict(packages) ? packages.get(kind) : undefined),
  ];
  const named = namedFolders(listed(opts.get('module_dirs')), kind);
  return isFurtherFirst(opts) ? [...named, ...further, ...own] : [...named, ...own, ...further];
}

/** The folder of a kind in each: the last of them counts first, as Salt has it. */
function namedFolders(dirs: readonly string[], kind: ExtensionKind): string[] {
  return dirs
    .flatMap((dir) => [join(dir, kind), join(dir, `_${kind}`)].filter((path) => isFolder(path)).slice(0, 1))
    .reverse();
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Salt's order of before 3006.10, where it is asked for. */
function isFurtherFirst(opts: Dict): boolean {
  const features = opts.get('features');
  return isDict(features) && features.get('enable_deprecated_module_search_path_priority') === true;
}

function listed(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(pyStr) : [];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function filesIn(folder: string): ExtensionFile[] {
  return namesIn(folder).flatMap((file) => {
    const ending = SOURCE_ENDINGS.find((end) => file.endsWith(end) && !file.endsWith(`.d${end}`));
    const name = ending === undefined ? '' : file.slice(0, -ending.length);
    const path = join(folder, file);
    const stat = NAME.test(name) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    return stat?.isFile() === true ? [{ name, path, version: versionOf(stat) }] : [];
  });
}
