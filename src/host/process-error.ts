/** Why a program could not be started, with the number and words that Python users know from `OSError`. */
import { constants } from 'node:os';
import { CommandExecutionError } from '../errors/errors.ts';
import { textRepr } from '../python/values/repr.ts';
import { strerrorOf } from '../python/os-errors.ts';

/** A program could not be started. */
export class SpawnError extends CommandExecutionError {
  /** The error's symbolic name: `ENOENT`, `EACCES`… */
  readonly code: string;
  readonly program: string;
  /** Python's `str(OSError)`: `[Errno 2] No such file or directory: 'prog'`. */
  readonly reason: string;

  constructor(program: string, code: string, cause?: unknown) {
    const reason = pythonReason(program, code, cause);
    super(`Unable to run ${textRepr(program)}: ${reason}`, { cause });
    this.code = code;
    this.program = program;
    this.reason = reason;
  }
}

function pythonReason(program: string, code: string, cause: unknown): string {
  const errno = Object.hasOwn(constants.errno, code)
    ? constants.errno[code as keyof typeof constants.errno]
    : undefined;
  if (errno === undefined) return cause instanceof Error ? cause.message : code;
  return `[Errno ${errno}] ${strerrorOf(errno) ?? code}: ${textRepr(program)}`;
}
