/**
 * Bringing what was written to the disk itself. Without it the kernel has what a program wrote, which outlives the
 * program and no failure of power.
 */
import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';

/** What brings files to the disk; tests hand in one that they hold back or let fail. */
export interface DiskSync {
  /** @returns when the disk has the content of an open file. @throws the operating system's error */
  data(fd: number): Promise<void>;
}

/** The disk of this machine. */
export const systemDisk: DiskSync = {
  data: (fd) =>
    new Promise((resolve, reject) => {
      fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    }),
};

/**
 * Brings the names in a folder to the disk: a file that was made, renamed or removed there is so after a failure of
 * power, too.
 * @throws the operating system's error, but not where a file system knows no such thing
 */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EINVAL' && code !== 'ENOTSUP') throw error;
  } finally {
    closeSync(fd);
  }
}

/** One flush at a time, which serves all who asked for it before it began. */
export class SharedFlush {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** @returns when a flush is over that began after this call; rejects as it does */
  done(): Promise<void> {
    return (this.#next ??= this.rest().then(() => {
      this.#next = undefined;
      return (this.#running = this.#flush());
    }));
  }

  /** @returns when the flush that runs now is over, whatever became of it */
  rest(): Promise<void> {
    return this.#running.catch(() => undefined);
  }

  /** @returns when none runs and none waits, whatever became of them */
  async idle(): Promise<void> {
    await this.#next?.catch(() => undefined);
    await this.rest();
  }
}
