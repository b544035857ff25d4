/** The system's errors in Python's words. */
import { getSystemErrorMap } from 'node:util';

/** `[Errno 111] Connection refused` for an error of the system, else its message. */
export function describeSystemError(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  const { errno } = (inner ?? error) as NodeJS.ErrnoException;
  const [, text] = (errno === undefined ? undefined : getSystemErrorMap().get(errno)) ?? [];
  if (errno === undefined || text === undefined) return error.message;
  return `[Errno ${-errno}] ${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
