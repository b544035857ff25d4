/** `json`: each return one JSON document (3006.16 salt/output/json_out.py). */
import { toJson } from '../../formats/json/text.ts';
import { pyRepr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import type { Outputter, OutputOptions } from './outputter.ts';

/** The `json` outputter. */
export const outputter: Outputter = { name: 'json', render: renderJson };

/** Four columns per level unless told otherwise; negative or null puts everything on one line. */
function renderJson(data: Value, options: OutputOptions): string {
  const wanted = options.indent === undefined ? 4 : options.indent;
  const indent = wanted === 'pretty' ? 4 : wanted !== null && wanted < 0 ? null : wanted;
  try {
    return toJson(data, { indent, sortKeys: wanted === 'pretty', fallback: pyRepr });
  } catch (error) {
    // keys that JSON cannot have: Salt then prints an empty document, so that programs can go on reading
    if (error instanceof TypeError) return '{}';
    throw error;
  }
}
