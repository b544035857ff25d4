/** A master with one worker starts the second when the first is at something for longer; tests of both make it so. */
import type { Daemon } from './fleet.ts';

const FIRST = 'salt-master ReqServer MWorker-0';

/** Has the first worker stand still until the second is there. @param ask sends a request that a worker serves */
export async function startBothWorkers(master: Daemon, ask: () => Promise<unknown>): Promise<void> {
  const pid = master.children().get(FIRST);
  if (pid === undefined) throw new Error(`there is no ${FIRST}`);
  process.kill(pid, 'SIGSTOP');
  const asked = ask();
  try {
    await master.logged('Worker 1 is ready');
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await asked;
}
