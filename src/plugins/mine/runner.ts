/** `mine.*`: data that minions have left for each other (salt/runners/mine.py, 3006.16). */
import { readMine } from '../../runtime/targeting/mine-access.ts';
import { dict } from '../../python/values/value.ts';
import { defineRunner, defineRunners } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

const tgtParams = {
  tgt: { type: 'str', doc: 'The minions.' },
  tgt_type: param.text({ default: 'glob', doc: 'What kind of target that is.' }),
} as const;

/** The mine runner. */
export const mineRunners = defineRunners({
  name: 'mine',
  doc: 'The mine.',
  failsWith: { empty: ['get', 'update'] },
  functions: {
    get: defineRunner({
      doc: 'Gives what minions have left in the mine under a function.',
      params: {
        tgt: tgtParams.tgt,
        fun: { type: 'str or list', doc: 'The function, or several.' },
        tgt_type: tgtParams.tgt_type,
      },
      returns: 'mapping of minion to value; with several functions mapping of function to that',
      examples: ["salt-run mine.get '*' network.interfaces"],
      run: (ctx, { tgt, fun, tgt_type }) => {
        const id = ctx.opts.raw('id');
        return readMine(
          { id: typeof id === 'string' ? id : '', tgt, fun, tgtType: tgt_type },
          {
            fleet: ctx.fleet,
            nodegroups: ctx.opts.get('nodegroups'),
            allowed: ctx.opts.get('mine_get').size === 0 ? undefined : ctx.opts.get('mine_get'),
            read: (minion) => ctx.cache.read(minion, 'mine'),
          },
        );
      },
    }),
    update: defineRunner({
      doc: 'Has minions bring their mine data up to date.',
      params: {
        ...tgtParams,
        clear: param.valueIfGiven({ default: false, type: 'bool', doc: 'Forget what is there first.' }),
        mine_functions: param.valueIfGiven({ default: null, type: 'dict', doc: 'Only these functions.' }),
      },
      returns: 'mapping of minion to True',
      examples: ["salt-run mine.update '*'"],
      run: (ctx, { tgt, tgt_type, clear, mine_functions }) => {
        const kwarg = dict({
          ...(clear !== undefined ? { clear } : {}),
          ...(mine_functions !== undefined ? { mine_functions } : {}),
        });
        return ctx.call('salt.execute', [tgt, 'mine.update'], dict({ tgt_type, kwarg }));
      },
    }),
  },
});
