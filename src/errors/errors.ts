/**
 * The errors that cross layers. Each message says what happened, to which thing and, where there is one, the next
 * step; the class tells callers what kind it is, so that nobody matches on text.
 */

/** Base of every error whose message is meant for the person at the terminal: shown without a stack trace. */
export class BrineError extends Error {
  override readonly name: string = 'BrineError';
  /** Exit code a command ends with when this reaches the top; see docs/reference/exit-codes.md. */
  readonly exitCode: number = 1;
}

/** A function ran and could not do its work. On a minion: `ERROR: <text>` (Salt's CommandExecutionError). */
export class CommandExecutionError extends BrineError {
  override readonly name = 'CommandExecutionError';
}

/** A function was called in a way it does not understand. On a minion: `ERROR executing '<fun>': <text>`. */
export class SaltInvocationError extends BrineError {
  override readonly name = 'SaltInvocationError';
}

/** A program of the operating system is missing. On a minion: `Command required for '<fun>' not found: <text>`. */
export class CommandNotFoundError extends BrineError {
  override readonly name = 'CommandNotFoundError';
}

/** Arguments do not fit a function's parameters, in Python's words (`echo() missing 1 required …`). */
export class ArgumentError extends BrineError {
  override readonly name = 'ArgumentError';
}

/** A configuration file cannot be used: names the file, the line and what was expected. */
export class ConfigError extends BrineError {
  override readonly name = 'ConfigError';
}

/** A command line that cannot be understood: exit 64, `PROG: error: <text>`. */
export class UsageError extends BrineError {
  override readonly name = 'UsageError';
  override readonly exitCode = 64;
}

/** The other side could not be reached or did not answer in time. */
export class UnreachableError extends BrineError {
  override readonly name = 'UnreachableError';
}

/** The other side answered, but not as who it claims to be, or it refused us. */
export class AuthenticationError extends BrineError {
  override readonly name = 'AuthenticationError';
}

/** A path built from outside data would leave its folder. */
export class UnsafePathError extends BrineError {
  override readonly name = 'UnsafePathError';
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
