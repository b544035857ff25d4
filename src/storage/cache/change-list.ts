/**
 * A file to which every program appends the name of what it has changed, so that who keeps things in memory need not
 * look at each of ten thousand files to know that nothing has happened. It begins anew when it has grown.
 */
import { appendFileSync, closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';

/** The file begins anew at this size. */
const SIZE_MAX_BYTES = 256 * 1024;

/** How far somebody has read. */
export interface ChangeMark {
  /** Which file it was. */
  readonly file: string;
  readonly offset: number;
}

/** What has changed, and the mark for the next time. */
export interface Changes {
  /** The names; undefined when nobody knows, because it is the first time, or the file began anew. */
  readonly names: readonly string[] | undefined;
  readonly mark: ChangeMark;
}

/** Appends names of what has changed, and says what was appended since an earlier look. */
export class ChangeList {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Notes a change. @param name without line feeds */
  add(name: string): void {
    try {
      const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > SIZE_MAX_BYTES) rmSync(this.#path, { force: true });
      appendFileSync(this.#path, `${name}\n`, { mode: 0o600 });
    } catch {
      // who may not write here has changed nothing either; readers look at everything now and then all the same
    }
  }

  /** What was noted since `mark`. */
  since(mark: ChangeMark | undefined): Changes {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    const file = stat === undefined ? 'none' : `${stat.ino}:${stat.birthtimeMs}`;
    const size = stat?.size ?? 0;
    const isSame = mark !== undefined && (mark.file === file || mark.file === 'none') && mark.offset <= size;
    const next = { file, offset: size };
    if (!isSame) return { names: undefined, mark: next };
    if (size === mark.offset) return { names: [], mark: next };
    const text = this.#read(mark.offset, size);
    // a line that is being written is left for the next time
    const end = text.lastIndexOf('\n') + 1;
    const names = text.slice(0, end).split('\n').slice(0, -1);
    return { names, mark: { file, offset: mark.offset + Buffer.byteLength(text.slice(0, end)) } };
  }

  #read(from: number, to: number): string {
    const bytes = Buffer.alloc(to - from);
    const file = openSync(this.#path, 'r');
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString('utf8');
    } finally {
      closeSync(file);
    }
  }
}
