/** Errors of the operating system that reach the end of a program, as sentences with the path and what to do. */
import type { BrineError } from '../../errors/errors.ts';
import { notPermitted } from '../../host/not-permitted.ts';
import { diskRefusal } from '../../host/disk-refusal.ts';

/** @returns undefined for an error that does not say enough: it has no path, or is of another kind */
export function systemFailure(error: unknown): BrineError | undefined {
  return notPermitted(error) ?? diskRefusal(error);
}
