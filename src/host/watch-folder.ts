/** Being told which files of a folder have changed. */
import { watch } from 'node:fs';

/**
 * Watches a folder that exists, without those below it.
 * @param changed told the name of each file that has come, gone or changed, perhaps more than once; undefined when the
 *   system does not say
 * @throws the system's error when the folder cannot be watched
 */
export function watchFolder(path: string, changed: (name: string | undefined) => void): { close(): void } {
  const watcher = watch(path, { persistent: false }, (_kind, name) => changed(name ?? undefined));
  watcher.on('error', () => undefined);
  return watcher;
}
