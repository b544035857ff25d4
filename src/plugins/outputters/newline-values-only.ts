/**
 * `newline_values_only`: the values without minion names, one per line (3006.16 salt/output/newline_values_only.py).
 */
import { pyStr } from '../../python/values/repr.ts';
import { asDict, type Outputter } from './outputter.ts';

/** The `newline_values_only` outputter. */
export const outputter: Outputter = {
  name: 'newline_values_only',
  render: (data) => [...asDict(data).values()].flat(1).map(pyStr).join('\n'),
};
