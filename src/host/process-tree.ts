/** Signals for a process and all that it has started (3006.16 salt/modules/saltutil.py `signal_job`). */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The process ids of all that a process has started, directly or not; those that others took over are not among them.
 */
function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of processIds()) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const own = (children.get(next) ?? []).filter((child) => !found.includes(child));
    found.push(...own);
    open.push(...own);
  }
  return found;
}

const SIGTERM = 15;
const SIGCONT = 18;

/**
 * Signals the process and what it has started. What is stopped takes SIGTERM only when it goes on, so it is told to.
 * @returns false when the process itself is gone
 */
export function signalTree(pid: number, signal: number): boolean {
  const started = descendantsOf(pid);
  const isThere = signalOne(pid, signal);
  for (const each of started) signalOne(each, signal);
  if (signal === SIGTERM) for (const each of [...started, pid]) signalOne(each, SIGCONT);
  return isThere;
}

function signalOne(pid: number, signal: number): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

function processIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // no Linux: only the process itself can be signalled
  }
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name of the program, in brackets, may hold anything
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
