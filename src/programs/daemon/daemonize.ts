/**
 * `-d`: goes on in the background. Node cannot fork itself, so a second process of the same program is started in a
 * session of its own; the first waits for it to be up and ends with its verdict, so that `-d` tells of a start that
 * failed.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import { withAllocatorSettings } from '../../host/allocator.ts';
import type { Logger } from '../../host/log.ts';
import { systemRandom } from '../../host/random.ts';

/** Set for the process in the background. */
const MARK = 'BRINE_DAEMON';

/** The one thing that the daemon says to the process that has started it. */
const UP = 'up';

/** True in the process that is to stay in the background. */
export function isDaemonProcess(env: NodeJS.ProcessEnv): boolean {
  return env[MARK] === '1';
}

/**
 * Starts the program again in the background.
 * @returns the exit code for the process in the foreground: 0 when the daemon is up
 */
export function startInBackground(): Promise<number> {
  const words = new StartWords();
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: ['ignore', 'ignore', words.fd, 'ipc'],
    env: withAllocatorSettings({ ...process.env, [MARK]: '1' }),
  });
  return new Promise((resolve) => {
    const end = (code: number): void => {
      words.print();
      resolve(code);
    };
    child.on('message', (message) => {
      if (message !== UP) return;
      child.disconnect();
      child.unref();
      end(0);
    });
    child.once('exit', (code) => end(code ?? 1));
    child.once('error', (error) => {
      process.stderr.write(`The daemon could not be started: ${error.message}\n`);
      end(1);
    });
  });
}

/**
 * What a daemon says on standard error until it is up. It is a file without a name: a daemon that held the caller's own
 * standard error would keep waiting whoever reads that to its end (`ssh host salt-minion -d`), and one that held a pipe
 * would die of writing to it when the caller has gone.
 */
class StartWords {
  readonly fd: number;

  constructor() {
    const path = join(tmpdir(), `brine-${process.pid}-${systemRandom.bytes(8).toString('hex')}`);
    this.fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    unlinkSync(path);
  }

  print(): void {
    const bytes = Buffer.alloc(fstatSync(this.fd).size);
    readSync(this.fd, bytes, 0, bytes.length, 0);
    closeSync(this.fd);
    process.stderr.write(bytes);
  }
}

/**
 * Called by the daemon once it has read its configuration, which may be named from the caller's folder: it keeps no
 * folder busy.
 */
export function leaveFolder(env: NodeJS.ProcessEnv): void {
  if (isDaemonProcess(env)) process.chdir('/');
}

/** Called by the daemon when it is up: lets the process in the foreground go. */
export function reportDaemonUp(env: NodeJS.ProcessEnv): void {
  if (!isDaemonProcess(env) || process.send === undefined) return;
  process.send(UP, () => process.disconnect());
}

/** Why a daemon that was up ends, in its log: nobody reads the standard error of one in the background. */
export function sayLastWord(env: NodeJS.ProcessEnv, log: Logger, error: unknown): void {
  if (isDaemonProcess(env)) log.critical(`It cannot go on, and ends: ${messageOf(error)}`, error);
}
