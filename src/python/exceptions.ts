/** Errors that carry the name of a Python exception class, because Salt's users see it in tracebacks. */
import { errnoOf, osErrorText, strerror } from './os-errors.ts';
import type { Value } from './values/value.ts';

/** What a process of Python tells of an exception, to be raised there again. */
export interface ThrownByPython {
  /** The very class, where `type` is an ancestor of it. */
  readonly own?: string;
  /** Of Salt's CommandExecutionError with `info`: the message without it, and what it is. */
  readonly about?: readonly Value[];
}

/** An exception that Salt would not turn into a sentence of its own: it arrives as the last line of a traceback. */
export class PythonError extends Error {
  override readonly name = 'PythonError';
  /** The class as a traceback prints it: `ValueError`, `salt.exceptions.MinionError`. */
  readonly type: string;
  /** The whole text of a traceback that Python itself has made. */
  readonly trace: string | undefined;
  /** What Python itself knows besides of what it has raised. */
  readonly thrown: ThrownByPython | undefined;
  constructor(type: string, message = '', trace?: string, thrown?: ThrownByPython) {
    super(message);
    this.type = type;
    this.trace = trace;
    this.thrown = thrown;
  }
}

/** The text of `traceback.format_exc()` without its frames. Python's own messages keep their class name. */
export function formatTraceback(type: string, message: string): string {
  return `Traceback (most recent call last):\n${type}${message === '' ? '' : `: ${message}`}\n`;
}

/** The classes that Python makes of OSError by its number (Linux). */
export const OS_ERROR_CLASSES: ReadonlyMap<number, string> = new Map([
  [1, 'PermissionError'],
  [2, 'FileNotFoundError'],
  [3, 'ProcessLookupError'],
  [4, 'InterruptedError'],
  [10, 'ChildProcessError'],
  [11, 'BlockingIOError'],
  [13, 'PermissionError'],
  [17, 'FileExistsError'],
  [20, 'NotADirectoryError'],
  [21, 'IsADirectoryError'],
  [32, 'BrokenPipeError'],
  [103, 'ConnectionAbortedError'],
  [104, 'ConnectionResetError'],
  [110, 'TimeoutError'],
  [111, 'ConnectionRefusedError'],
]);

/** An error of the operating system as Python would show it: `FileNotFoundError`, `[Errno 2] No such file…: 'x'`. */
export function describeOsError(error: Error): { type: string; message: string } | undefined {
  const { errno } = error as NodeJS.ErrnoException;
  if (errno === undefined || strerror(error) === undefined) return undefined;
  const type = errnoOf(error) < 0 ? 'socket.gaierror' : OS_ERROR_CLASSES.get(-errno);
  return { type: type ?? 'OSError', message: osErrorText(error) };
}
