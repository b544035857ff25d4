/**
 * `state.orchestrate` on a minion: SLS of an orchestration that are applied here (3006.16 salt/runners/state.py
 * `orchestrate`).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { defineFunction, type FunctionSpec, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { isGoodRun } from '../../../runtime/state/check-result.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { runSls } from './sls.ts';

async function orchestrate(ctx: ModuleContext, mods: Value, named: Dict): Promise<Value> {
  const pillar = named.get('pillar');
  if (pillar !== undefined && !isDict(pillar))
    throw new SaltInvocationError('Pillar data must be formatted as a dictionary');
  const { jid } = ctx.job;
  const kwargs: Dict = new Map<Value, Value>([...named, ['__pub_jid', jid], ['orchestration_jid', jid]]);
  const local: ModuleContext = {
    ...ctx,
    opts: new Map<Value, Value>([...ctx.opts, ['file_client', 'local']]),
  };
  const running = await runSls({ ...local, functions: ctx.functions.within(() => local) }, mods, kwargs);
  const data: Dict = new Map([[ctx.id, running]]);
  const retcode = isGoodRun(data) ? 0 : 1;
  return dict({ data, outputter: 'highstate', retcode });
}

/** `state.orchestrate`. */
export const orchestrateFunctions: Readonly<Record<string, FunctionSpec>> = {
  orchestrate: defineFunction({
    doc: 'Applies SLS of an orchestration here, with the files and the pillar of this machine; for use without a master.',
    params: {
      mods: param.value({ type: 'str or list of str', doc: 'Names of SLS.' }),
      saltenv: param.value({ default: 'base', type: 'str', doc: 'The environment of the files.' }),
      test: param.value({
        default: null,
        type: 'bool',
        doc: 'Change nothing, and say what would be changed.',
      }),
      exclude: param.value({ default: null, type: 'str or list', doc: 'SLS to leave out.' }),
      pillar: param.value({ default: null, type: 'dict', doc: 'Merged over the pillar.' }),
      pillarenv: param.value({ default: null, type: 'str', doc: 'The environment of the pillar.' }),
    },
    returns: 'mapping `{data, outputter, retcode}`; data has the results by the id of this minion',
    isolation: 'process',
    examples: ['salt-call --local state.orchestrate webserver'],
    run: (ctx, { mods, ...args }) =>
      orchestrate(ctx, mods, new Map(Object.entries(args).filter(([, value]) => value !== null))),
  }),
};
