/** A folder where a file of keys or of hosts is meant. */
import { isAbs, isDir } from '../../../python/paths.ts';

/** @returns why a `config` cannot be used; one below a home folder is looked at when its user is known */
export function folderRefusal(config: string | undefined): string | undefined {
  if (config === undefined || !isAbs(config) || !isDir(config)) return undefined;
  return `config must be the path of a file, and ${config} is a folder`;
}
