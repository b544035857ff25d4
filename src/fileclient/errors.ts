/** Errors of fetching files. */
import { BrineError } from '../errors/errors.ts';

/** A URL or a file that cannot be had; arrives as Salt's `MinionError`. */
export class FileClientError extends BrineError {
  override readonly name = 'MinionError';
}
