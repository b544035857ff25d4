/**
 * How a Python process ended, and in which line: the file to which it writes its last words, and the sentence made of
 * them.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** By these the process itself tells why it ended (`brine_host.py`, `brine_guest/link.py`). */
const TOO_OLD = 87;
const CLOSED = 86;
/** Longer last words are not read: many threads, each with a deep stack. */
const WORDS_BYTES_MAX = 256 * 1024;
const CRASH = 'Fatal Python error';
const FRAME = /^ {2}File "(.+)", line (\d+) in /gm;
/** Frames of our own programs, of which a site knows nothing. */
const OWN_FRAME = /\/brine_(?:guest\/\w+|host|own)\.py$|\/threading\.py$/;

/** How a process ended. */
export interface ProcessEnd {
  readonly interpreter: string;
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** Whether it had answered anything. */
  readonly wasAwake: boolean;
  /** What {@link LastWords} has. */
  readonly words: string;
}

/** An open file without a name, for the process to write to. */
export class LastWords {
  /** To be handed to the process; undefined where there is no folder for such files. */
  readonly descriptor: number | undefined;

  constructor() {
    this.descriptor = openNameless();
  }

  /** What was written so far, frames of a traceback by `faulthandler`. */
  read(): string {
    if (this.descriptor === undefined) return '';
    const size = Math.min(fstatSync(this.descriptor).size, WORDS_BYTES_MAX);
    const bytes = Buffer.alloc(size);
    return bytes.toString('latin1', 0, readSync(this.descriptor, bytes, 0, size, 0));
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }
}

function openNameless(): number | undefined {
  const path = join(tmpdir(), `brine-${randomBytes(12).toString('hex')}`);
  try {
    const descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return descriptor;
  } catch {
    return undefined;
  }
}

/**
 * The place in the site's code, ` (line 3)` or, in another file than the one that was called, ` (/path, line 3)`; empty
 * when it is not known.
 * @param path of the file whose function was called
 */
export function placeIn(words: string, path: string): string {
  const frames = [...words.slice(Math.max(0, words.lastIndexOf(CRASH))).matchAll(FRAME)];
  const own = frames.find(([, file]) => file === path);
  if (own !== undefined) return ` (line ${own[2]})`;
  const [, file, line] = frames.find(([, name = '']) => !OWN_FRAME.test(name)) ?? [];
  return file === undefined ? '' : ` (${file}, line ${line})`;
}

/** Why a process ended, to be read behind the name of what was called and before the place. */
export function endSentence({ interpreter, code, signal, wasAwake, words }: ProcessEnd): string {
  if (code === TOO_OLD)
    return `Python 3.8 or newer is needed, and ${interpreter} is older: name another with python_executable`;
  if (!wasAwake)
    return `Python 3.8 or newer is needed, and ${interpreter} ended with ${code === null ? String(signal) : `exit code ${code}`} before it did anything: repair it, or name another with python_executable`;
  if (code === CLOSED) return 'it closed the descriptor by which its Python process is reached';
  if (code !== null) return `it ended its Python process with exit code ${code}`;
  if (signal === 'SIGKILL')
    return 'its Python process was killed (SIGKILL), by somebody or by the kernel for want of memory';
  return words.includes(CRASH)
    ? `it made Python crash with ${String(signal)}`
    : `its Python process was ended by ${String(signal)}`;
}
