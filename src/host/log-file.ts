/** A log file: appended to, safe to rotate from outside, never half a line of another process in between. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from './clock.ts';

/** Permission bits of a new log file: readable for the group, as Salt's umask of 027 leaves it. */
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;
const PARENT_MODE = 0o755;
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
/** Lines waiting longer than these are written at once. */
const MAX_WAITING_LINES = 64;
const MAX_WAITING_CHARS = 64 * 1024;

/** When a file is put aside and a new one begun: Python's RotatingFileHandler, which needs both numbers. */
export interface LogRotation {
  /** `log_rotate_max_bytes`; 0 for never. */
  readonly maxBytes: number;
  /** `log_rotate_backup_count`: how many are kept as `<path>.1` and so on; 0 for never. */
  readonly backups: number;
}

/** A process that has died while it rotated must not stop the others for ever. */
const STALE_LOCK_MS = 10_000;

/** What is said when the system refuses a write. */
export interface LogFileNotices {
  /** Told of the first refusal, and of the next one after a write that succeeded. @returns its reason, as a sentence */
  readonly refused: (error: unknown) => string;
  /** @returns the line that stands where `count` lines are missing */
  readonly missing: (count: number, reason: string) => string;
}

/** Lines that the system refused. */
interface Loss {
  count: number;
  readonly reason: string | undefined;
}

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
  readonly #rotation: LogRotation;
  readonly #notices: LogFileNotices | undefined;
  #loss: Loss | undefined;

  /**
   * Opens the file, with its folder.
   * @throws the operating system's error
   */
  constructor(path: string, rotation: LogRotation = { maxBytes: 0, backups: 0 }, notices?: LogFileNotices) {
    this.path = path;
    this.#notices = notices;
    this.#rotation = rotation;
    makeFolder(dirname(path));
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
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    try {
      this.#write(lines);
      this.#loss = undefined;
    } catch (error) {
      // a full disk must not stop the program
      this.#lose(lines.length, error);
    }
  }

  #write(lines: readonly string[]): void {
    const loss = this.#loss;
    this.#reopenIfReplaced();
    const bytes = Buffer.from(`${loss === undefined ? '' : this.#resumed(loss)}${lines.join('\n')}\n`);
    if (this.#isFull(bytes.length)) this.#rotate(bytes.length);
    if (this.#fd === undefined) return;
    for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done);
  }

  /**
   * What comes before the first lines after a loss: the end of a line of which only the beginning was written, and what
   * is missing.
   */
  #resumed({ count, reason }: Loss): string {
    const missing = reason === undefined ? '' : `${this.#notices?.missing(count, reason) ?? ''}\n`;
    return `${endsWithinLine(this.path) ? '\n' : ''}${missing}`;
  }

  #lose(count: number, error: unknown): void {
    this.failures++;
    if (this.#loss !== undefined) {
      this.#loss.count += count;
      return;
    }
    this.#loss = { count, reason: this.#notices?.refused(error) };
  }

  /** Writes all that waits and closes the file. */
  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #isFull(moreBytes: number): boolean {
    const { maxBytes, backups } = this.#rotation;
    if (maxBytes <= 0 || backups <= 0 || this.#fd === undefined) return false;
    const { size } = fstatSync(this.#fd);
    return size > 0 && size + moreBytes > maxBytes;
  }

  /**
   * Several processes write to the file: the one that gets the lock rotates, the others find a new file with their next
   * line.
   */
  #rotate(moreBytes: number): void {
    const lock = `${this.path}.lock`;
    if (!takeLock(lock)) return;
    try {
      this.#reopenIfReplaced();
      if (!this.#isFull(moreBytes)) return; // another process was faster
      for (let number = this.#rotation.backups - 1; number > 0; number--)
        moveIfThere(`${this.path}.${number}`, `${this.path}.${number + 1}`);
      moveIfThere(this.path, `${this.path}.1`);
      this.#reopenIfReplaced();
    } finally {
      rmSync(lock, { force: true });
    }
  }

  #reopenIfReplaced(): void {
    if (this.#fd !== undefined) {
      const named = statSync(this.path, { throwIfNoEntry: false });
      const open = fstatSync(this.#fd);
      if (named && named.ino === open.ino && named.dev === open.dev) return;
      closeSync(this.#fd);
      this.#fd = undefined;
    }
    makeFolder(dirname(this.path));
    this.#fd = openForAppend(this.path);
  }
}

function endsWithinLine(path: string): boolean {
  const { size } = statSync(path);
  if (size === 0) return false;
  const fd = openSync(path, 'r');
  try {
    const last = Buffer.alloc(1);
    return readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 10;
  } finally {
    closeSync(fd);
  }
}

/** Those above it are not for logs alone: the master's sockets and users' keys may lie below them, too. */
function makeFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: PARENT_MODE });
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
}

function takeLock(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
    return true;
  } catch {
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && systemClock.nowMs() - since > STALE_LOCK_MS) rmSync(path, { force: true });
    return false;
  }
}

function moveIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to);
}

function isLinkOfRoot(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.isSymbolicLink() && stat.uid === 0;
}

/**
 * Opens a file for appending. Root follows a link only when root has made it: a log folder may belong to the account
 * that a daemon becomes later, and a link there would have root write into any file of the system.
 */
function openForAppend(path: string): number {
  const follows = process.getuid?.() !== 0 || isLinkOfRoot(path);
  const umask = process.umask(0);
  try {
    return openSync(path, follows ? APPEND : APPEND | constants.O_NOFOLLOW, FILE_MODE);
  } finally {
    process.umask(umask);
  }
}
