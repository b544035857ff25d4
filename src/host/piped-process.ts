/** A program whose output is read while it runs. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { SpawnError } from './process-error.ts';

/** A running program. */
export interface PipedProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its exit status, or the name of the signal that ended it. */
  readonly exited: Promise<number | string>;
  /** Ends it and all that it has started. */
  kill(): void;
}

/**
 * Starts a program in a process group of its own, without input and without a shell.
 * @param argv the program and its arguments
 * @throws SpawnError when it cannot be started
 */
export function startPiped(argv: readonly string[]): Promise<PipedProcess> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = new Promise<number | string>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'an unknown end')),
  );
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new SpawnError(program, error.code ?? 'EINVAL', error)),
    );
    child.once('spawn', () => {
      const pid = child.pid as number;
      resolve({
        pid,
        stdout: child.stdout,
        stderr: child.stderr,
        exited,
        kill: () => {
          try {
            process.kill(-pid, 'SIGKILL');
          } catch {
            // it has ended by itself
          }
        },
      });
    });
  });
}
