/** What the errors of a database's driver mean for who wrote. */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError, CommandExecutionError, messageOf, UnreachableError } from '../../errors/errors.ts';
import { tlsFault, type TlsPeer } from '../tls/fault.ts';

/**
 * Nothing can be written now, whatever it is: the server is away, cannot be logged in to, has no such table, no room or
 * only lets read. No return is at fault, so none may be given up for it.
 */
export class StoreUnavailableError extends UnreachableError {
  static override readonly errorCode: ErrorCode = 'database-not-reachable';
}

/** The code of a driver's error; empty when it has none. */
export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/**
 * The error that a store throws.
 * @param text where it happened, what, and what to do
 * @param isRefused whether the server does not take this, so that trying again is of no use; else nothing can be
 *   written now
 */
export function storeError(
  text: string,
  isRefused: boolean,
  cause: unknown,
): CommandExecutionError | StoreUnavailableError {
  return isRefused ? new CommandExecutionError(text, { cause }) : new StoreUnavailableError(text, { cause });
}

/** What one kind of database says of its errors. */
export interface ErrorWords {
  /** The database and where it is, as a sentence begins with it. */
  readonly place: string;
  /** Whether an error with this code says that the server does not take what is written. */
  isRefused(code: string): boolean;
  /** The options for TLS. */
  readonly tls: Omit<TlsPeer, 'address'>;
  /** What to do; begins with what divides it from the text before it, or is empty. */
  hint(code: string, text: string): string;
}

/** An error of a driver that gives its errors codes, as a store throws it; an error of ours stays as it is. */
export function driverError(error: unknown, words: ErrorWords): unknown {
  if (error instanceof BrineError) return error;
  const code = codeOf(error);
  const message = messageOf(error);
  const text =
    tlsFault(error, { address: words.place, ...words.tls }) ??
    `${words.place}: ${message || code}${words.hint(code, message)}`;
  return storeError(text, words.isRefused(code), error);
}
