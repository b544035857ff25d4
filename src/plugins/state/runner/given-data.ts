/** Orchestrations that come as data (salt/runners/state.py `orchestrate_single`, `orchestrate_high`, 3006.16). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { defineRunner, type RunnerContext, type RunnerSpec } from '../../shared/runner/runner.ts';

/** Files come from the master's own folders. */
export const LOCAL_FILES: Dict = dict({ file_client: 'local' });

const commonParams = {
  test: { default: null, type: 'bool', doc: 'Has no effect, as in Salt.' },
  queue: { default: false, type: 'bool', doc: 'Has no effect, as in Salt.' },
  pillar: { default: null, type: 'dict', doc: 'Merged over the pillar of the master.' },
} as const;

/** @throws SaltInvocationError for a pillar that is no mapping */
export function checkPillar(pillar: Value): Dict | undefined {
  if (pillar === null) return undefined;
  if (!isDict(pillar)) throw new SaltInvocationError('Pillar data must be formatted as a dictionary');
  return pillar;
}

/** Runs states on the master, and shows their results as they are. */
async function runStates(
  ctx: RunnerContext,
  fun: 'state.single' | 'state.high',
  args: readonly Value[],
  kwargs: Dict,
): Promise<Value> {
  const results = await ctx.execute(fun, args, kwargs, { opts: LOCAL_FILES });
  const ret: Dict = new Map([[ctx.id, results]]);
  await ctx.progress(dict({ data: ret, outputter: 'highstate' }));
  return ret;
}

const single = defineRunner({
  doc: 'Runs one state on the master; what fits no parameter is an argument of the state.',
  params: {
    fun: param.text({ doc: 'Full name of the state function, such as `salt.function`.' }),
    name: { type: 'str', doc: 'The name of the state.' },
    ...commonParams,
  },
  kwargs: 'kwargs',
  returns: 'the result by its tag, by the id of the master',
  examples: ['salt-run state.orchestrate_single fun=salt.wheel name=key.list_all'],
  run: (ctx, { fun, name, pillar }, _rest, kwargs) => {
    const given = checkPillar(pillar);
    if (given !== undefined) kwargs.set('pillar', given);
    return runStates(ctx, 'state.single', [fun, name], kwargs);
  },
});

const high = defineRunner({
  doc: 'Runs states on the master that are given as data.',
  params: { data: { type: 'dict', doc: 'Mapping of id to what SLS have below it.' }, ...commonParams },
  kwargs: 'kwargs',
  returns: 'the results by their tags, by the id of the master',
  examples: ["salt-run state.orchestrate_high '{deploy: {salt.state: [{tgt: \'web*\'}, {sls: app}]}}'"],
  run: (ctx, { data, pillar }, _rest, kwargs) =>
    runStates(ctx, 'state.high', [data], new Map([...kwargs, ['pillar', checkPillar(pillar) ?? null]])),
});

/** The functions that run given data. */
export const givenDataRunners: Readonly<Record<string, RunnerSpec>> = {
  orchestrate_single: single,
  orch_single: single,
  orchestrate_high: high,
  orch_high: high,
};
