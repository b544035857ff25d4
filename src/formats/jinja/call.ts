/** Calls from inside native functions, which cannot wait. */
import { atOnce } from './asking.ts';
import type { CallScope, TValue } from './model.ts';
import { callValue } from './operators.ts';

/** Calls a value that must answer at once. */
export function callValueSync(f: TValue, args: readonly TValue[], scope: CallScope): TValue {
  return atOnce(callValue(f, args, undefined, scope));
}
