/** A bound for what a driver may leave unanswered for ever. */
import { UnreachableError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';

/**
 * Waits for something, but not longer than this.
 * @param what what is waited for, as the beginning of a sentence: `Redis at db1:6379`
 * @throws UnreachableError `<what> did not answer within 10 s.`; whatever comes of the promise later is dropped
 */
export async function within<T>(
  clock: Clock,
  timeoutMs: number,
  what: string,
  promise: Promise<T>,
): Promise<T> {
  let giveUp: (error: Error) => void = () => undefined;
  const late = new Promise<never>((_, reject) => (giveUp = reject));
  const timer = clock.after(timeoutMs, () =>
    giveUp(new UnreachableError(`${what} did not answer within ${timeoutMs / 1000} s.`)),
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer.cancel();
    promise.catch(() => undefined);
  }
}
