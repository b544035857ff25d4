/** Halting a process for a test, and knowing that it stands. */
import { readdirSync, readFileSync } from 'node:fs';

const LIMIT_MS = 5_000;

/**
 * Sends SIGSTOP and comes back once every thread has stopped: the signal alone is only on its way, and a server's other
 * threads may still answer meanwhile.
 * @throws Error when there is no such process, or it still runs after five seconds
 */
export function halt(pid: number | undefined): void {
  if (pid === undefined) throw new Error('the process to halt was never started');
  process.kill(pid, 'SIGSTOP');
  const end = performance.now() + LIMIT_MS;
  while (threadStates(pid).some((state) => !'TtZX'.includes(state)))
    if (performance.now() > end) throw new Error(`process ${pid} goes on after SIGSTOP`);
}

/** The letters of `/proc/<pid>/task/<tid>/stat`; what follows the name, which may hold anything, in parentheses. */
function threadStates(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).map((tid) => {
      const stat = readFileSync(`${tasks}/${tid}/stat`, 'utf8');
      return stat.charAt(stat.lastIndexOf(')') + 2);
    });
  } catch {
    return []; // it has ended
  }
}
