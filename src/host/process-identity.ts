/** Telling a process from a later one with the same id, and how much memory it has, as Linux says. */
import { readFileSync } from 'node:fs';

const PAGE_BYTES = 4096;
const START_FIELD = 19;

/** When a process began, in the kernel's ticks since the machine did; undefined when there is no such process. */
export function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name of the program, in brackets, may hold anything
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // a zombie has ended
    return fields[0] === 'Z' ? undefined : fields[START_FIELD];
  } catch {
    return undefined;
  }
}

/** The memory that a process holds of the machine; undefined when it is gone. */
export function residentBytes(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return Number.isInteger(pages) ? pages * PAGE_BYTES : undefined;
  } catch {
    return undefined;
  }
}
