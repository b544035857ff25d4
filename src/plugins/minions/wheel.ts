/** `minions.*`: the minions that are there now (salt/wheel/minions.py, 3006.16). */
import { defineRunners } from '../shared/runner/runner.ts';
import { defineWheel } from '../shared/wheel/wheel.ts';

/** The functions for minions. */
export const minionsWheel = defineRunners({
  name: 'minions',
  doc: 'The minions that are there now.',
  functions: {
    connected: defineWheel({
      doc: 'Lists the minions that are connected, as `manage.present` does.',
      returns: 'list of ids',
      run: (ctx) => ctx.call('manage.present'),
    }),
  },
});
