/** Python's `str()` and `repr()` of what templates work with. */
import { pyRepr, pyStr, textRepr } from '../../python/values/repr.ts';
import { PyTuple, TObject, type TValue } from './model.ts';

/** `str(value)`. @throws UndefinedError for strict undefined values */
export function str(value: TValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) {
    if (value instanceof TObject) return value.str();
    if (Array.isArray(value) || value instanceof Map) return repr(value);
  }
  return pyStr(value);
}

/** `repr(value)`. */
export function repr(value: TValue): string {
  return reprWithin(value, []);
}

function reprWithin(value: TValue, above: readonly TValue[]): string {
  if (typeof value === 'string') return textRepr(value);
  if (value instanceof TObject) return value.repr();
  const isTuple = value instanceof PyTuple;
  if (Array.isArray(value)) {
    if (above.includes(value)) return isTuple ? '(...)' : '[...]';
    const inner = [...above, value];
    const items = value.map((item) => reprWithin(item, inner)).join(', ');
    if (!isTuple) return `[${items}]`;
    return value.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (value instanceof Map) {
    if (above.includes(value)) return '{...}';
    const inner = [...above, value];
    return `{${[...value].map(([k, v]) => `${reprWithin(k, inner)}: ${reprWithin(v, inner)}`).join(', ')}}`;
  }
  return pyRepr(value);
}
