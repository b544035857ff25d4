/** Errors that carry the name of a Python exception class, because Salt's users see it in tracebacks. */

/** An exception that Salt would not turn into a sentence of its own: it arrives as the last line of a traceback. */
export class PythonError extends Error {
  override readonly name = 'PythonError';
  /** The class as a traceback prints it: `ValueError`, `salt.exceptions.MinionError`. */
  readonly type: string;
  constructor(type: string, message = '') {
    super(message);
    this.type = type;
  }
}

/** The text of `traceback.format_exc()` without its frames. Python's own messages keep their class name. */
export function formatTraceback(type: string, message: string): string {
  return `Traceback (most recent call last):\n${type}${message === '' ? '' : `: ${message}`}\n`;
}
