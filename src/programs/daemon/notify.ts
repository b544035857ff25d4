/**
 * Telling systemd that a daemon is up. Node has no unix datagram sockets, so the program `systemd-notify` speaks for
 * us; the unit needs `NotifyAccess=all`.
 */
import type { Logger } from '../../host/log.ts';
import { runProcess } from '../../host/process.ts';

/** Sends `READY=1` when the service manager asked for it. */
export async function notifyReady(env: NodeJS.ProcessEnv, log: Logger): Promise<void> {
  const socket = env['NOTIFY_SOCKET'];
  if (socket === undefined || socket === '') return;
  try {
    const argv = ['systemd-notify', `--pid=${process.pid}`, 'READY=1'];
    const { retcode, stderr } = await runProcess(argv, {
      env: new Map([
        ['NOTIFY_SOCKET', socket],
        ['PATH', env['PATH'] ?? '/usr/bin:/bin'],
      ]),
    });
    if (retcode !== 0) log.warning(`systemd-notify failed: ${stderr.toString('utf8').trim()}`);
  } catch (error) {
    log.warning(`The service manager could not be told that the daemon is up: ${(error as Error).message}`);
  }
}
