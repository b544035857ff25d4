/** How many files this process may have open at once. */
import { readFileSync } from 'node:fs';

/** Infinity where that cannot be found out. */
export function openFilesMax(): number {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return line === null ? Infinity : Number(line[1]);
  } catch {
    return Infinity;
  }
}
