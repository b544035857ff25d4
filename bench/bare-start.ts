/**
 * Node's own start: what no command of ours can be faster than, and what tells how fast the machine is at the moment.
 */
import type { ProcessGroups } from './processes.ts';

const STARTS = 5;

/** Seconds from start to end of a Node that does nothing, several times. */
export async function bareStarts(groups: ProcessGroups, count = STARTS): Promise<number[]> {
  const seconds: number[] = [];
  for (let done = 0; done < count; done++) {
    const { elapsedMs } = await groups.run([process.execPath, '-e', '0'], 20_000);
    seconds.push(elapsedMs / 1000);
  }
  return seconds;
}
