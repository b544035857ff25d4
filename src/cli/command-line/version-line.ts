/** The one line of `--version`. */
import { brineVersion, saltCompatVersion } from '../../version.ts';

/** `salt 3006.16 (Brine 0.1.0)`: Salt's number first, because scripts read it there. */
export function versionLine(program: string): string {
  return `${program} ${saltCompatVersion} (Brine ${brineVersion})`;
}
