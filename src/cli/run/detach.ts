/** `--async`: the run goes on in a second process of this program, which knows its job id. */
import { isDaemonProcess, reportDaemonUp, startInBackground } from '../../programs/daemon/daemonize.ts';

const JID = 'BRINE_ASYNC_JID';

/** Starts the run in the background. @returns the exit code of the process in the foreground */
export function detach(jid: string): Promise<number> {
  process.env[JID] = jid;
  return startInBackground();
}

/**
 * In the process in the background: lets the one in the foreground end.
 * @returns the job id; undefined in any other process
 */
export function detachedJid(env: NodeJS.ProcessEnv): string | undefined {
  const jid = env[JID];
  if (jid === undefined || !isDaemonProcess(env)) return undefined;
  reportDaemonUp(env);
  for (const name of [JID, 'BRINE_DAEMON']) delete process.env[name];
  return jid;
}
