/** `status`: what a machine is watched for (3006.16 salt/states/status.py). Nothing is ever changed. */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState, type StateResult } from '../shared/state-function.ts';

const seen = (name: string, result: boolean, comment: string, data: Value = dict()): StateResult => ({
  name,
  result,
  comment,
  changes: dict(),
  data,
});

/** A limit as it was given, and as it is told of; undefined for none. */
const limitOf = (given: Value): { readonly given: Value; readonly text: string } | undefined =>
  truthy(given) ? { given, text: pyStr(given) } : undefined;

const numberOf = (value: Value): number => Number(pyStr(value));

/** Texts are compared as texts, as in Python. */
function isLess(one: Value, other: Value): boolean {
  if (typeof one === 'string' && typeof other === 'string') return one < other;
  return numberOf(one) < numberOf(other);
}

/** The states of `status`. */
export const statusStates = defineModule({
  name: 'status',
  file: 'status',
  doc: 'What a machine is watched for.',
  needs: { fun: 'status.loadavg', otherwise: 'status module could not be loaded' },
  functions: {
    loadavg: defineState({
      doc: 'Checks the load of the machine.',
      params: {
        name: param.text({ doc: 'Over which time: 1-min, 5-min, 15-min.' }),
        maximum: param.by(limitOf, { type: 'str', default: null, doc: 'What it may be at most.' }),
        minimum: param.by(limitOf, { type: 'str', default: null, doc: 'What it has to be at least.' }),
      },
      run: async (ctx, { name, maximum, minimum }) => {
        const data = await ctx.functions.call('status.loadavg');
        const load = isDict(data) ? data.get(name) : undefined;
        if (load === undefined) return seen(name, false, `Requested load average ${name} not available `);
        if (minimum !== undefined && maximum !== undefined && !isLess(minimum.given, maximum.given))
          return seen(name, false, 'Min must be less than max');
        const now = numberOf(load);
        if (minimum !== undefined && now < numberOf(minimum.given))
          return seen(name, false, `Load avg is below minimum of ${minimum.text} at ${pyRepr(load)}`, load);
        if (maximum !== undefined && now > numberOf(maximum.given))
          return seen(name, false, `Load avg above maximum of ${maximum.text} at ${pyRepr(load)}`, load);
        return seen(name, true, 'Load avg in acceptable range', load);
      },
    }),
    process: defineState({
      doc: 'Checks that a process runs.',
      params: { name: param.text({ doc: 'A part of its command line.' }) },
      run: async (ctx, { name }) => {
        const found = await ctx.functions.call('status.pid', [name]);
        if (!truthy(found)) return seen(name, false, `Process signature "${name}" not found `);
        return seen(name, true, `Process signature "${name}" was found `, found);
      },
    }),
  },
});
