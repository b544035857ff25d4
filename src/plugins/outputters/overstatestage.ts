/** `overstatestage`: the stages of the old overstate (3006.16 salt/output/overstatestage.py). */
import { sortedEntries } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { getColors } from './colors.ts';
import { asDict, iterate, type Outputter } from './outputter.ts';

/** The `overstatestage` outputter; data is a list of mappings of stage name to its settings. */
export const outputter: Outputter = {
  name: 'overstatestage',
  render(data, options) {
    const { LIGHT_BLUE, ENDC } = getColors(options.color, options.colorTheme);
    let out = '';
    for (const [name, stage] of iterate(data).flatMap((stages) => [...asDict(stages)])) {
      out += `${LIGHT_BLUE}${pyStr(name)}: ${ENDC}\n`;
      for (const [key, value] of sortedEntries(asDict(stage))) {
        out += `    ${LIGHT_BLUE}${pyStr(key)}: ${pyStr(value)}${ENDC}\n`;
      }
    }
    return out;
  },
};
