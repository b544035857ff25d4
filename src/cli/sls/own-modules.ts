/** The site's own modules that lie beside its SLS, by name. */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * The names of the modules in folders of one kind.
 * @param folders with modules of all kinds
 * @param kind `_states`
 */
export function ownModules(folders: readonly string[], kind: string): Set<string> {
  const files = folders
    .filter((folder) => basename(folder) === kind)
    .flatMap((folder) => readdirSync(folder));
  return new Set(files.map((file) => file.replace(/\.(?:py|ts|js|mjs|cjs)$/, '')));
}
