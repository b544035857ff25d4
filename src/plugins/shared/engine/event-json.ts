/** The data of events as JSON: what JSON has no form for stands in Python's. */
import { toJson } from '../../../formats/json/text.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** @returns one line; never throws, whatever a minion has put into the event */
export function eventJson(data: Dict): string {
  try {
    return toJson(data, { fallback: pyRepr });
  } catch {
    return toJson(withTextKeys(data), { fallback: pyRepr });
  }
}

/** Keys that JSON cannot have become texts. */
function withTextKeys(value: Value): Value {
  if (Array.isArray(value)) return value.map(withTextKeys);
  if (!isDict(value)) return value;
  return new Map([...value].map(([key, item]): [Value, Value] => [pyStr(key), withTextKeys(item)]));
}
