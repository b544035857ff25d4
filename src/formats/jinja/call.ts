/** Calls from inside native functions, which cannot wait. */
import { TemplateRuntimeError } from './errors.ts';
import type { CallScope, Later, TValue } from './model.ts';
import { callValue } from './operators.ts';

/** The value itself. @throws TemplateRuntimeError when it is only promised */
export function now(value: Later): TValue {
  if (value instanceof Promise) {
    value.catch(() => undefined);
    throw new TemplateRuntimeError('a function that takes its time cannot be called from inside a filter');
  }
  return value;
}

/** Calls a value that must answer at once. */
export function callValueSync(f: TValue, args: readonly TValue[], scope: CallScope): TValue {
  return now(callValue(f, args, undefined, scope));
}
