/** `key`: what `salt-key` lists (3006.16 salt/output/key.py). */
import { sortedBy, sortedKeys, lessThan } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { isBytes, type Value } from '../../python/values/value.ts';
import { getColors, stripEscapes, type ColorName } from './colors.ts';
import { iterate, unsuited, type Outputter, type OutputOptions } from './outputter.ts';

/** The `key` outputter. */
export const outputter: Outputter = { name: 'key', render: renderKeys };

const SECTIONS: ReadonlyMap<string, { title: string; heading: ColorName; entry: ColorName }> = new Map([
  ['minions_pre', { title: 'Unaccepted Keys:', heading: 'LIGHT_RED', entry: 'RED' }],
  ['minions', { title: 'Accepted Keys:', heading: 'LIGHT_GREEN', entry: 'GREEN' }],
  ['minions_denied', { title: 'Denied Keys:', heading: 'LIGHT_MAGENTA', entry: 'MAGENTA' }],
  ['minions_rejected', { title: 'Rejected Keys:', heading: 'LIGHT_BLUE', entry: 'BLUE' }],
  ['local', { title: 'Local Keys:', heading: 'LIGHT_MAGENTA', entry: 'MAGENTA' }],
]);

/** Sections sorted by status; their entries names (list), or names with fingerprints or keys (mapping). */
function renderKeys(data: Value, options: OutputOptions): string {
  const colors = getColors(options.color, options.colorTheme);
  const indent = options.multiKey ? '    ' : '';
  let out = '';
  for (const status of data instanceof Map ? sortedKeys(data) : iterate(data)) {
    const section = (typeof status === 'string' && SECTIONS.get(status)) || unsuited('not a list of keys');
    const keys = (data instanceof Map && data.get(status)) ?? null;
    out += `${indent}${colors[section.heading]}${section.title}${colors.ENDC}\n`;
    for (const key of sortedBy(iterate(keys), lessThan)) {
      const name = stripEscapes(
        isBytes(key) ? (decodeUtf8(key) ?? pyStr(key)) : pyStr(key),
        options.stripColors,
      );
      const color = colors[section.entry];
      if (Array.isArray(keys)) out += `${indent}${color}${name}${colors.ENDC}\n`;
      else if (keys instanceof Map) {
        out += `${indent}${color}${name}:  ${pyStr(keys.get(key) ?? null)}${colors.ENDC}\n`;
      }
    }
  }
  return out;
}
