/**
 * `progress`: a bar instead of returns. The program that waits for returns draws {@link progressLine} after each one;
 * as an outputter it prints nothing (3006.16 salt/output/progress.py, which needs Python's progressbar).
 */
import type { Outputter } from './outputter.ts';

/** The `progress` outputter. */
export const outputter: Outputter = { name: 'progress', render: () => '' };

/** How far a job is. */
export interface Progress {
  readonly returned: number;
  /** Minions expected; fewer than have returned when some are behind a syndic. */
  readonly expected: number;
  readonly elapsedMs: number;
}

/** The bar as one line of this width: ` 50% |####    | Elapsed Time: 0:00:02 Returns: [1/2]`. */
export function progressLine({ returned, expected, elapsedMs }: Progress, width: number): string {
  const total = Math.max(expected, returned, 1);
  const percent = `${Math.floor((returned / total) * 100)}%`.padStart(4);
  const seconds = Math.floor(elapsedMs / 1000);
  const pad = (part: number): string => String(part).padStart(2, '0');
  const time = `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
  const tail = ` Elapsed Time: ${time} Returns: [${returned}/${expected}]`;
  const room = Math.max(0, width - percent.length - tail.length - 3);
  const bar = '#'.repeat(Math.floor((returned / total) * room)).padEnd(room);
  return `${percent} |${bar}|${tail}`;
}
