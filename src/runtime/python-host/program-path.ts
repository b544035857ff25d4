/** Where the programs in Python are: beside the bundles or, in tests, beside this file. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['python', 'guest'];

/** @param name of the file */
export function programPath(name: string): string {
  const paths = FOLDERS.map((folder) => join(import.meta.dirname, folder, name));
  return paths.find((path) => existsSync(path)) ?? (paths[0] as string);
}
