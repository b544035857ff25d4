/** Errors of fetching files. */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';

/** A URL or a file that cannot be had; arrives as Salt's `MinionError`. */
export class FileClientError extends BrineError {
  static override readonly errorCode: ErrorCode = 'file-not-fetched';
  override readonly name = 'MinionError';
}
