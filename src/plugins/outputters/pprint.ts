/** `pprint`: the return as a Python literal, wrapped and sorted (3006.16 salt/output/pprint_out.py). */
import { pformat } from '../../python/values/pprint.ts';
import type { Value } from '../../python/values/value.ts';
import { unsuited, type Outputter, type OutputOptions } from './outputter.ts';

/** The `pprint` outputter. */
export const outputter: Outputter = { name: 'pprint', render: renderPprint };

function renderPprint(data: Value, { indent }: OutputOptions): string {
  if (indent === undefined) return pformat(data);
  if (typeof indent !== 'number') return unsuited('pprint takes a number as output_indent');
  return indent >= 0 ? pformat(data, { indent }) : pformat(data);
}
