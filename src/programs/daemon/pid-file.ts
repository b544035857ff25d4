/** The pid file of a daemon. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';

/** Writes the pid; a file that cannot be written is a warning, not the end. */
export function writePidFile(path: string, log: Logger, manager: { readonly isThere: boolean }): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, String(process.pid), { mode: 0o644 });
  } catch (error) {
    // systemd, which has started us as an account that may not write there, knows the process itself
    log[manager.isThere ? 'info' : 'warning'](
      `The pid file ${path} cannot be written: ${(error as Error).message}`,
    );
  }
}

/** Removes the pid file if it is still ours. */
export function removePidFile(path: string): void {
  try {
    if (readFileSync(path, 'utf8').trim() === String(process.pid)) rmSync(path);
  } catch {
    // it is gone already
  }
}

/** The running process that a pid file names, if its command line names this program. */
export function runningFromPidFile(path: string, program: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim());
    if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid || pid === process.ppid) return undefined;
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return line.includes(program) ? pid : undefined;
  } catch {
    return undefined;
  }
}
