/**
 * Files and folders that a configuration names and that are not there: each is said once at the start, and not only to
 * whoever misses what is in it.
 */
import { statSync } from 'node:fs';
import type { OptionTable, Options } from '../../config/option.ts';
import type { Logger } from '../../host/log.ts';
import { isDict, valuesEqual, type Value } from '../../python/values/value.ts';

/** An option that names a file or folders, and what comes of their absence. */
interface NamedPath {
  readonly option: string;
  readonly kind: 'file' | 'folder';
  readonly without: string;
}

/** Of the master alone: who is accepted or rejected by its configuration. */
const KEY_PATHS: readonly NamedPath[] = [
  { option: 'autosign_file', kind: 'file', without: 'no minion is accepted by it' },
  { option: 'autoreject_file', kind: 'file', without: 'no minion is rejected by it' },
  { option: 'autosign_grains_dir', kind: 'folder', without: 'no minion is accepted by its grains' },
];

const MODULE_FOLDERS: readonly NamedPath[] = [
  ['module_dirs', 'execution modules'],
  ['states_dirs', 'state modules'],
  ['grains_dirs', 'grains'],
  ['returner_dirs', 'returners'],
  ['render_dirs', 'renderers'],
  ['outputter_dirs', 'outputters'],
  ['beacons_dirs', 'beacons'],
  ['engines_dirs', 'engines'],
  ['runner_dirs', 'runners'],
  ['wheel_dirs', 'wheel modules'],
  ['auth_dirs', 'authentication modules'],
].map(([option = '', what = '']) => ({ option, kind: 'folder', without: `no ${what} come from it` }));

const PILLAR_ROOTS: NamedPath = {
  option: 'pillar_roots',
  kind: 'folder',
  without: 'no pillar comes from it',
};
const FILE_ROOTS: NamedPath = { option: 'file_roots', kind: 'folder', without: 'no file is served from it' };

/** Says of each path in a master's configuration that it is not there. */
export function sayMissingOfMaster<T extends OptionTable>(opts: Options<T>, log: Logger): void {
  const backends = opts.raw('fileserver_backend');
  const servesRoots = !Array.isArray(backends) || backends.includes('roots');
  const roots = servesRoots ? [FILE_ROOTS, PILLAR_ROOTS] : [PILLAR_ROOTS];
  sayMissing([...KEY_PATHS, ...roots, ...MODULE_FOLDERS], opts, log);
}

/** The same for a minion, which has roots of its own with `file_client: local` only. */
export function sayMissingOfMinion<T extends OptionTable>(opts: Options<T>, log: Logger): void {
  const roots = opts.raw('file_client') === 'local' ? [FILE_ROOTS, PILLAR_ROOTS] : [];
  sayMissing([...roots, ...MODULE_FOLDERS], opts, log);
}

function sayMissing<T extends OptionTable>(named: readonly NamedPath[], opts: Options<T>, log: Logger): void {
  for (const { option, kind, without } of named) {
    const value = opts.raw(option);
    // what nobody has written may be missing: a new machine has no /srv/salt yet
    if (value === undefined || valuesEqual(value, opts.table[option]?.default ?? null)) continue;
    for (const path of pathsIn(value)) {
      if (isThere(path, kind)) continue;
      log.warning(
        `The option ${option} names ${path}, and there is no such ${kind}: ${without}. ` +
          `Make the ${kind}, or correct ${option} in ${String(opts.raw('conf_file'))}.`,
      );
    }
  }
}

/**
 * Paths of this machine in a text, a list, or lists by environment; not those of which an environment's name is a part.
 */
function pathsIn(value: Value): string[] {
  if (typeof value === 'string') return value.startsWith('/') && !value.includes('__env__') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(pathsIn);
  return isDict(value) ? [...value.values()].flatMap(pathsIn) : [];
}

function isThere(path: string, kind: NamedPath['kind']): boolean {
  try {
    const stat = statSync(path);
    return kind === 'file' ? !stat.isDirectory() : stat.isDirectory();
  } catch (error) {
    // what may not be looked at is there for somebody else
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
