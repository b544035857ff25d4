/** A file that says which process works on something, so that no second one begins while it lives. */
import { readFileSync, rmSync } from 'node:fs';
import { createFile, readTextIfExists } from './files.ts';

/** Takes the lock. @returns the number of the process that has it; undefined when it is ours now */
export function takeLock(path: string): number | undefined {
  const owner = ownerIn(readTextIfExists(path));
  if (owner !== undefined && isAlive(owner)) return owner.pid;
  rmSync(path, { force: true });
  try {
    createFile(path, `${process.pid} ${startOf(process.pid) ?? ''}`, { mode: 0o600 });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return ownerIn(readTextIfExists(path))?.pid ?? 0; // somebody was quicker
  }
}

/** Gives the lock back. */
export function dropLock(path: string): void {
  rmSync(path, { force: true });
}

interface Owner {
  readonly pid: number;
  /** When it began, in ticks since the machine did; tells it from a later process of the same number. */
  readonly start: string;
}

function ownerIn(text: string | undefined): Owner | undefined {
  const [pid = '', start = ''] = (text ?? '').split(' ');
  return /^[1-9]\d{0,9}$/.test(pid) ? { pid: Number(pid), start } : undefined;
}

function isAlive({ pid, start }: Owner): boolean {
  const now = startOf(pid);
  if (now !== undefined) return start === '' || now === start;
  return false;
}

/**
 * Field 22 of /proc/<pid>/stat, behind the name in brackets; undefined for a process that is not there, or is dead and
 * not buried.
 */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
