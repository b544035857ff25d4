/** Values out of an SLS as Python writes them: their mappings are OrderedDicts there. */
import { pyRepr } from '../../python/values/repr.ts';
import { isDict, type Value } from '../../python/values/value.ts';

/** Python's `str` of an argument of a state: `OrderedDict([('x', 1)])` for a mapping, also inside a list. */
export function slsText(value: Value): string {
  return typeof value === 'string' ? value : slsRepr(value);
}

function slsRepr(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(slsRepr).join(', ')}]`;
  if (!isDict(value)) return pyRepr(value);
  if (value.size === 0) return 'OrderedDict()';
  const pairs = [...value].map(([key, item]) => `(${pyRepr(key)}, ${slsRepr(item)})`);
  return `OrderedDict([${pairs.join(', ')}])`;
}
