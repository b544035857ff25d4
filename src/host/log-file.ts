/** A log file: appended to, safe to rotate from outside, never half a line of another process in between. */
import { closeSync, fstatSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Permission bits of a new log file: readable for the group, as Salt's umask of 027 leaves it. */
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;
/** Lines waiting longer than these are written at once. */
const MAX_WAITING_LINES = 64;
const MAX_WAITING_CHARS = 64 * 1024;

/** Appends lines to a file, several at a time. */
export class LogFile {
  readonly path: string;
  /** writes the system refused; their lines are lost */
  failures = 0;
  #fd: number | undefined;
  #waiting: string[] = [];
  #waitingChars = 0;
  #flushPlanned = false;
  #closed = false;

  /**
   * Opens the file, with its folder.
   * @throws the operating system's error
   */
  constructor(path: string) {
    this.path = path;
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
    this.#fd = openForAppend(path);
  }

  /**
   * Takes a line, without its line end.
   * @param urgent write at once, with all that waits before it; other lines wait for the end of the current turn
   */
  append(line: string, urgent: boolean): void {
    if (this.#closed) return;
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    if (urgent || this.#waiting.length >= MAX_WAITING_LINES || this.#waitingChars >= MAX_WAITING_CHARS) {
      this.flush();
    } else if (!this.#flushPlanned) {
      this.#flushPlanned = true;
      setImmediate(() => this.flush());
    }
  }

  /** Writes all that waits. A file that was moved or deleted is opened anew. */
  flush(): void {
    this.#flushPlanned = false;
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.from(`${this.#waiting.join('\n')}\n`);
    this.#waiting = [];
    this.#waitingChars = 0;
    try {
      this.#reopenIfReplaced();
      if (this.#fd !== undefined)
        for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
    } catch {
      // a full disk must not stop the program, and there is nowhere left to say so
      this.failures++;
    }
  }

  /** Writes all that waits and closes the file. */
  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #reopenIfReplaced(): void {
    if (this.#fd !== undefined) {
      const named = statSync(this.path, { throwIfNoEntry: false });
      const open = fstatSync(this.#fd);
      if (named && named.ino === open.ino && named.dev === open.dev) return;
      closeSync(this.#fd);
      this.#fd = undefined;
    }
    mkdirSync(dirname(this.path), { recursive: true, mode: FOLDER_MODE });
    this.#fd = openForAppend(this.path);
  }
}

function openForAppend(path: string): number {
  const umask = process.umask(0);
  try {
    return openSync(path, 'a', FILE_MODE);
  } finally {
    process.umask(umask);
  }
}
