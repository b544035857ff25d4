/**
 * What an earlier state of the run would have made by now. Test mode makes nothing, so that what is missing there is no
 * fault where the run itself will find it; what nothing in the run would make is missed in the run as well.
 * Salt compat: Salt either promises all the same, or fails all the same.
 */
import { isAbs, pathExists } from '../../python/paths.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { StateCall } from '../../runtime/loader/module.ts';

/** States that make no other file than the one that they name; all others may bring anything, as a package does. */
const ONLY_THEIR_OWN = new Set(
  (
    'at augeas beacon cron environ file grains group host ini keyboard locale logrotate schedule ssh_auth ' +
    'ssh_known_hosts sysctl test timezone'
  ).split(' '),
);
/** States of `file` with which more comes than what they name: all that is in the folder, or behind the link. */
const WHOLE_FOLDERS = new Set(['recurse', 'symlink', 'copy', 'rename']);

/**
 * Whether an earlier state of a run in test mode may make something that is not there.
 * @param path a path; without it something that is no file, such as a service or a user, which a file may bring, too
 */
export function mayBeMade({ state }: { readonly state?: StateCall }, path?: string): boolean {
  // a name of nothing is no path, and every path would lie below it
  if (state?.test !== true || path === '') return false;
  // whoever has this state for its `prereq` runs before it, and may bring what it needs
  if (truthy(state.low.get('__prereq__') ?? null)) return true;
  return [...state.running].some(
    ([tag, result]) => isDict(result) && result.get('result') === null && brings(tag, result, path),
  );
}

/**
 * Whether a file or folder is not there, and an earlier state of a run in test mode would make it: then what is to be
 * read or edited is no fault. Salt compat: Salt fails, so that a test of what would be good ends with an error.
 */
export function isToBeMade(ctx: Parameters<typeof mayBeMade>[0], path: string): boolean {
  return isAbs(path) && !pathExists(path) && mayBeMade(ctx, path);
}

function brings(tag: Value, result: Dict, path: string | undefined): boolean {
  const [module = '', , name = '', fun = ''] = pyStr(tag).split('_|-');
  if (!ONLY_THEIR_OWN.has(module)) return true;
  // a group is no file, and may be what is missing
  if (path === undefined) return module === 'file' || module === 'group';
  const changes = result.get('changes');
  const made = [name, ...(isDict(changes) ? [...changes.keys()].map(pyStr) : [])];
  return made.some(
    (one) =>
      one === path ||
      one.startsWith(`${path}/`) ||
      (WHOLE_FOLDERS.has(fun) && module === 'file' && path.startsWith(`${one}/`)),
  );
}
