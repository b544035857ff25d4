/** Whether what a function gave back means success (3006.16 salt/states/module.py `_get_result`). */
import { isDict, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';

/** False for false, and for mappings that say `result: false` or a `retcode` other than zero, at any depth. */
export function resultOf(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  return isDict(value) ? mappingResult(value) : true;
}

function mappingResult(node: Dict): boolean {
  for (const [key, value] of node) {
    if (key === 'result' && value === false) return false;
    if (key === 'retcode' && !valuesEqual(value, 0)) return false;
    if (isDict(value) && !mappingResult(value)) return false;
  }
  return true;
}
