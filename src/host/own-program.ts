/** How our processes start our own commands. */
import { dirname, join } from 'node:path';

/**
 * The words that start a command of ours as its users do, with its code cache.
 * @param name of a program in `bin`
 */
export function ownProgram(name: 'salt-run'): string[] {
  // what runs is in `dist` or in `bin`, which lie side by side
  return [process.execPath, join(dirname(process.argv[1] ?? ''), '..', 'bin', name)];
}
