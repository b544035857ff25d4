/**
 * `local`: prints the return where the minion's output goes, for trying returners out (salt/returners/local.py,
 * 3006.16).
 */
import { defineFunction, defineModule } from '../../runtime/loader/module.ts';
import { pyRepr } from '../../python/values/repr.ts';

export const localReturner = defineModule({
  name: 'local',
  file: 'local',
  doc: 'Prints what it gets, to see that returners are reached.',
  settings: [],
  functions: {
    returner: defineFunction({
      doc: 'Prints one return.',
      params: { ret: { type: 'dict', doc: 'The return, as the master gets it.' } },
      returns: 'None',
      examples: ["salt '*' test.ping --return local"],
      run: (_ctx, { ret }) => {
        process.stdout.write(`${pyRepr(ret)}\n`);
        return null;
      },
    }),
    event_return: defineFunction({
      doc: 'Prints events.',
      params: { event: { type: 'list', doc: 'Events, each a mapping of tag and data.' } },
      returns: 'None',
      run: (_ctx, { event }) => {
        process.stdout.write(`${pyRepr(event)}\n`);
        return null;
      },
    }),
  },
});
