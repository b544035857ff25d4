/** `ret.*`: what returners keep, read through them. Follows 3006.16 salt/modules/ret.py. */
import { PythonError } from '../../python/exceptions.ts';
import { textRepr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { callFunction } from '../../runtime/loader/registry.ts';

const RETURNER = { returner: param.text({ doc: 'Name of the returner, such as `mysql`.' }) } as const;

/** @throws PythonError KeyError for a returner that is not there, or does not have the function */
async function ask(
  ctx: ModuleContext,
  returner: string,
  fun: string,
  args: readonly Value[] = [],
): Promise<Value> {
  const full = `${returner}.${fun}`;
  const found = await (await ctx.functions.returners?.())?.find(full);
  if (found?.spec === undefined) throw new PythonError('KeyError', textRepr(full));
  return callFunction(full, found.spec, ctx, args, new Map());
}

/** The module `ret`. */
export const retModule = defineModule({
  name: 'ret',
  file: 'ret',
  doc: 'Jobs, returns and minions as returners keep them.',
  functions: {
    get_jid: defineFunction({
      doc: 'Gives the returns of a job.',
      params: { ...RETURNER, jid: param.text({ doc: 'The job id.' }) },
      returns: 'mapping of minion to what the returner keeps of its return',
      examples: ["salt '*' ret.get_jid redis 20421104181954700505"],
      run: (ctx, { returner, jid }) => ask(ctx, returner, 'get_jid', [jid]),
    }),
    get_fun: defineFunction({
      doc: 'Gives the last return of each minion for a function.',
      params: { ...RETURNER, fun: param.text({ doc: 'The function.' }) },
      returns: 'mapping of minion to return',
      examples: ["salt '*' ret.get_fun mysql network.interfaces"],
      run: (ctx, { returner, fun }) => ask(ctx, returner, 'get_fun', [fun]),
    }),
    get_jids: defineFunction({
      doc: 'Gives all jobs.',
      params: RETURNER,
      returns: 'mapping of job id to the job, as the returner gives it',
      examples: ["salt '*' ret.get_jids mysql"],
      run: (ctx, { returner }) => ask(ctx, returner, 'get_jids'),
    }),
    get_minions: defineFunction({
      doc: 'Gives all minions that have returned something.',
      params: RETURNER,
      returns: 'list of ids',
      examples: ["salt '*' ret.get_minions mysql"],
      run: (ctx, { returner }) => ask(ctx, returner, 'get_minions'),
    }),
  },
});
