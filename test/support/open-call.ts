/** Calls of functions that only a test has. */
import type { CheckedCall, OpenCall } from '../../src/runtime/loader/built-in-calls.ts';

/** A call with a name that the compiler does not know. */
export function openly(call: CheckedCall): OpenCall {
  return call;
}
