/** What ends a takeover. */
import { BrineError } from '../../errors/errors.ts';
import type { ErrorCode } from '../../errors/codes.ts';

/** A takeover, or the way back, did not come to its end. */
export class TakeoverError extends BrineError {
  static override readonly errorCode: ErrorCode = 'takeover-failed';
  override readonly name = 'TakeoverError';
}
