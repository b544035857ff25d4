/** The system's errors in Python's words. */
import { errnoOf, strerror } from '../../python/os-errors.ts';

/** `[Errno 111] Connection refused` for an error of the system, else its message. */
export function describeSystemError(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  const cause = inner ?? error;
  const text = strerror(cause);
  return text === undefined ? error.message : `[Errno ${errnoOf(cause)}] ${text}`;
}
