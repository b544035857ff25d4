/**
 * The errors that cross layers. Each message says what happened, to which thing and, where there is one, the next
 * step; the class tells callers what kind it is, so that nobody matches on text.
 */
import type { ErrorCode } from './codes.ts';

/** Base of every error whose message is meant for the person at the terminal: shown without a stack trace. */
export class BrineError extends Error {
  /** The code of errors of this class that are given none of their own. */
  static readonly errorCode: ErrorCode = 'failed';
  override readonly name: string = 'BrineError';
  /** The stable code that programs look at, in place of the message. */
  readonly errorCode: ErrorCode;
  /** Exit code a command ends with when this reaches the top; see docs/reference/exit-codes.md. */
  readonly exitCode: number = 1;

  constructor(message?: string, options: BrineErrorOptions = {}) {
    super(message, options);
    this.errorCode = options.code ?? new.target.errorCode;
  }
}

/** What an error may be given besides its message. */
export interface BrineErrorOptions extends ErrorOptions {
  /** A code of its own, where that of its class says too little. */
  readonly code?: ErrorCode;
}

/** The code of anything thrown. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof BrineError ? error.errorCode : 'unexpected-error';
}

/** A function ran and could not do its work. On a minion: `ERROR: <text>` (Salt's CommandExecutionError). */
export class CommandExecutionError extends BrineError {
  static override readonly errorCode: ErrorCode = 'function-failed';
  override readonly name = 'CommandExecutionError';
}

/** A function was called in a way it does not understand. On a minion: `ERROR executing '<fun>': <text>`. */
export class SaltInvocationError extends BrineError {
  static override readonly errorCode: ErrorCode = 'function-call-invalid';
  override readonly name = 'SaltInvocationError';
}

/** A program of the operating system is missing. On a minion: `Command required for '<fun>' not found: <text>`. */
export class CommandNotFoundError extends BrineError {
  static override readonly errorCode: ErrorCode = 'command-not-found';
  override readonly name = 'CommandNotFoundError';
}

/** Arguments do not fit a function's parameters, in Python's words (`echo() missing 1 required …`). */
export class ArgumentError extends BrineError {
  static override readonly errorCode: ErrorCode = 'arguments-invalid';
  override readonly name = 'ArgumentError';
}

/** A configuration file cannot be used: names the file, the line and what was expected. */
export class ConfigError extends BrineError {
  static override readonly errorCode: ErrorCode = 'config-invalid';
  override readonly name = 'ConfigError';
}

/** A configuration asks for what is not served and would be missed: exit 78 (EX_CONFIG), and nothing was started. */
export class UnservedOptionError extends BrineError {
  static override readonly errorCode: ErrorCode = 'config-option-unserved';
  override readonly name = 'UnservedOptionError';
  override readonly exitCode = 78;
}

/** A command line that cannot be understood: exit 64, `PROG: error: <text>`. */
export class UsageError extends BrineError {
  static override readonly errorCode: ErrorCode = 'usage-invalid';
  override readonly name = 'UsageError';
  override readonly exitCode = 64;
}

/** The other side could not be reached or did not answer in time. */
export class UnreachableError extends BrineError {
  static override readonly errorCode: ErrorCode = 'not-reachable';
  override readonly name: string = 'UnreachableError';
}

/** What is needed went away while something started, which has been said: it is to be started again, and waits then. */
export class NotYetError extends UnreachableError {
  override readonly name: string = 'NotYetError';
}

/** The other side answered, but not as who it claims to be, or it refused us. */
export class AuthenticationError extends BrineError {
  static override readonly errorCode: ErrorCode = 'authentication-failed';
  override readonly name = 'AuthenticationError';
}

/**
 * A file cannot be written: no room, a quota, a file system that is read only, a disk that fails. It is still the
 * system's error for those who look at its number (Python's `OSError`).
 */
export class DiskRefusesError extends BrineError {
  static override readonly errorCode: ErrorCode = 'disk-refuses';
  override readonly name = 'DiskRefusesError';
  readonly path: string;
  readonly code: string | undefined;
  readonly errno: number | undefined;
  readonly syscall: string | undefined;

  constructor(message: string, { path, cause }: { readonly path: string; readonly cause: unknown }) {
    super(message, { cause });
    const { code, errno, syscall } = cause as NodeJS.ErrnoException;
    this.path = path;
    this.code = code;
    this.errno = errno;
    this.syscall = syscall;
  }

  /** The same, with what could not be done because of it. @param what a sentence without its full stop */
  keepingFrom(what: string): DiskRefusesError {
    return new DiskRefusesError(`${what}: ${this.message}`, { path: this.path, cause: this });
  }
}

/** The user of this process may not use a file or folder: exit 77 (EX_NOPERM). The message says which, and who may. */
export class NotPermittedError extends BrineError {
  static override readonly errorCode: ErrorCode = 'not-permitted';
  override readonly name = 'NotPermittedError';
  override readonly exitCode = 77;
}

/** A path built from outside data would leave its folder. */
export class UnsafePathError extends BrineError {
  static override readonly errorCode: ErrorCode = 'path-unsafe';
  override readonly name = 'UnsafePathError';
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
