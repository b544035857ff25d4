/**
 * `-d`: goes on in the background. Node cannot fork itself, so a second process of the same program is started in a session
 * of its own; the first waits for it to be up and ends with its verdict, so that `-d` tells of a start that failed.
 */
import { spawn } from 'node:child_process';

/** Set for the process in the background. */
const MARK = 'BRINE_DAEMON';

/** True in the process that is to stay in the background. */
export function isDaemonProcess(env: NodeJS.ProcessEnv): boolean {
  return env[MARK] === '1';
}

/**
 * Starts the program again in the background.
 * @returns the exit code for the process in the foreground: 0 when the daemon is up
 */
export function startInBackground(): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, [MARK]: '1' },
  });
  return new Promise((resolve) => {
    child.once('message', () => {
      child.disconnect();
      child.unref();
      resolve(0);
    });
    child.once('exit', (code) => resolve(code ?? 1));
    child.once('error', (error) => {
      process.stderr.write(`The daemon could not be started: ${error.message}\n`);
      resolve(1);
    });
  });
}

/** Called by the daemon once it has read its command line, whose paths are those of the caller's folder: keeps no folder busy. */
export function leaveFolder(env: NodeJS.ProcessEnv): void {
  if (isDaemonProcess(env)) process.chdir('/');
}

/** Called by the daemon when it is up: lets the process in the foreground go. */
export function reportDaemonUp(env: NodeJS.ProcessEnv): void {
  if (!isDaemonProcess(env) || process.send === undefined) return;
  process.send('up', () => process.disconnect());
}
