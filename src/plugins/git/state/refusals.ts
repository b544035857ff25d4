/**
 * What git never takes, whatever the repository is.
 * Salt compat: there, test mode promises it.
 */
import { dirName, isDir, normPath, pathExists } from '../../../python/paths.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { isInt, truthy, type Value } from '../../../python/values/value.ts';

/** Why a name is none of a branch or a remote (`git check-ref-format`). @param key the argument */
export function refRefusal(key: string, given: Value | undefined): string | undefined {
  if (!truthy(given ?? null)) return undefined;
  const name = pyStr(given ?? null);
  const isBad =
    /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|^@$/.test(name) ||
    name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'));
  return isBad ? `${key} is no name that git takes: ${pyRepr(name)}` : undefined;
}

/** Why a name is none of a setting. */
export function settingRefusal(name: string): string | undefined {
  const isName = /^[A-Za-z0-9-]+\.(?:[^\n\0]*\.)?[A-Za-z][A-Za-z0-9-]*$/.test(name);
  return isName
    ? undefined
    : `${pyRepr(name)} is no name of a setting: it is a section and a key with a dot between them, such as user.name`;
}

/** Why a repository cannot be shared so (`git init --shared`). */
export function sharedRefusal(shared: Value): string | undefined {
  if (shared === null || typeof shared === 'boolean' || isInt(shared)) return undefined;
  const isKnown = /^(?:umask|group|all|world|everybody|true|false|0?[0-7]{1,4}|0o[0-7]{1,4})$/i.test(
    pyStr(shared).trim(),
  );
  return isKnown
    ? undefined
    : `shared must be group, all, umask or a mode such as 0660, not ${pyRepr(shared)}`;
}

/** Why a folder cannot be made at a path: what is there, or above it, is a file. */
export function placeRefusal(path: string): string | undefined {
  for (let place = normPath(path); place !== '/' && place !== '.' && place !== ''; place = dirName(place)) {
    if (!pathExists(place)) continue;
    if (isDir(place)) return undefined;
    return place === normPath(path)
      ? `Target '${path}' exists and is a regular file, cannot proceed`
      : `Target '${path}' cannot be made: ${place} is a regular file`;
  }
  return undefined;
}
