/** `no_return`: minions that did not answer, in red (3006.16 salt/output/no_return.py). */
import { sortedEntries } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import { getColors, type Colors } from './colors.ts';
import type { Outputter, OutputOptions } from './outputter.ts';

/** The `no_return` outputter. */
export const outputter: Outputter = {
  name: 'no_return',
  render: (data: Value, options: OutputOptions) =>
    show(data, '', getColors(options.color, options.colorTheme)),
};

function show(value: Value, indent: string, colors: Colors): string {
  if (typeof value === 'string') {
    return value
      .split('\n')
      .map((line) => `${colors.RED}${indent}${line}${colors.ENDC}\n`)
      .join('');
  }
  if (!(value instanceof Map)) return '';
  return sortedEntries(value)
    .map(
      ([key, item]) =>
        `${colors.CYAN}${indent}${pyStr(key)}${colors.ENDC}:\n${show(item, `${indent}    `, colors)}`,
    )
    .join('');
}
