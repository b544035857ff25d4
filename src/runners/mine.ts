/** `mine.*`: data that minions have left for each other (salt/runners/mine.py, 3006.16). */
import { forecast } from '../targeting/forecast.ts';
import { parseTarget } from '../targeting/parse-target.ts';
import { pyStr } from '../values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../values/value.ts';
import { defineRunner, defineRunners } from './runner.ts';

const tgtParams = {
  tgt: { type: 'str', doc: 'The minions.' },
  tgt_type: { default: 'glob', type: 'str', doc: 'What kind of target that is.' },
} as const;
/** How Salt keeps a value that only some may read. */
const VALUE_WITH_ACCESS = '__data__';

/** The mine runner. */
export const mineRunners = defineRunners({
  name: 'mine',
  doc: 'The mine.',
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
        const target = parseTarget(tgt, pyStr(tgt_type));
        const ids = [...forecast(target, ctx.fleet, { greedy: false }).minions].sort();
        const names = Array.isArray(fun) ? fun.map(pyStr) : pyStr(fun).split(',');
        const found = new Map<Value, Dict>();
        for (const id of ids) {
          const mine = ctx.cache.read(id, 'mine');
          for (const name of names) {
            const value = mine?.get(name);
            if (value === undefined) continue;
            const values = found.get(name) ?? new Map<Value, Value>();
            found.set(name, values.set(id, plainValue(value)));
          }
        }
        return names.length === 1 && !Array.isArray(fun)
          ? (found.get(names[0] as string) ?? new Map())
          : found;
      },
    }),
    update: defineRunner({
      doc: 'Has minions bring their mine data up to date.',
      params: {
        ...tgtParams,
        clear: { default: false, type: 'bool', doc: 'Forget what is there first.' },
        mine_functions: { default: null, type: 'dict', doc: 'Only these functions.' },
      },
      returns: 'mapping of minion to True',
      examples: ["salt-run mine.update '*'"],
      run: (ctx, { tgt, tgt_type, clear, mine_functions }) => {
        const kwarg = dict({
          ...(truthy(clear) ? { clear } : {}),
          ...(truthy(mine_functions) ? { mine_functions } : {}),
        });
        return ctx.call('salt.execute', [tgt, 'mine.update'], dict({ tgt_type, kwarg }));
      },
    }),
  },
});

function plainValue(value: Value): Value {
  return isDict(value) ? (value.get(VALUE_WITH_ACCESS) ?? value) : value;
}
