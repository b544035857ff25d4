/** Python's `str()` and `repr()` of what templates work with. */
import { orderedRepr, pyRepr, pyStr, textRepr } from '../../python/values/repr.ts';
import { OrderedDict, PyObject } from '../../python/values/value.ts';
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
  return reprWithin(value, [], false);
}

/** What `{{ value }}` writes: `str(value)`, but mappings of every type as plain ones (Salt's PrintableDict). */
export function printed(value: TValue): string {
  return Array.isArray(value) || value instanceof Map ? reprWithin(value, [], true) : str(value);
}

function reprWithin(value: TValue, above: readonly TValue[], plain: boolean): string {
  if (typeof value === 'string') return textRepr(value);
  if (value instanceof TObject) return value.repr();
  const isTuple = value instanceof PyTuple;
  if (Array.isArray(value)) {
    if (above.includes(value)) return isTuple ? '(...)' : '[...]';
    const inner = [...above, value];
    const items = value.map((item) => reprWithin(item, inner, plain)).join(', ');
    if (!isTuple) return `[${items}]`;
    return value.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (value instanceof Map) {
    if (above.includes(value)) return '{...}';
    const inner = [...above, value];
    const within = (item: TValue): string => reprWithin(item, inner, plain);
    if (value instanceof OrderedDict && !plain) return orderedRepr<TValue>(value, within);
    // Salt's PrintableDict (salt/utils/jinja.py, 3006.16) shows what is no text by its str()
    const shown = (item: TValue): string => (plain && item instanceof PyObject ? item.str : within(item));
    return `{${[...value].map(([k, v]) => `${within(k)}: ${shown(v)}`).join(', ')}}`;
  }
  return pyRepr(value);
}
