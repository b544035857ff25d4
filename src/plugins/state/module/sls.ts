/** Running SLS by name (3006.16 salt/modules/state.py `sls`, `sls_id`, `apply`). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { HIGH_DATA, keep, kept } from './cached.ts';
import { disabledAmong } from './disabled.ts';
import { runHighstate } from './highstate.ts';
import { openRun, pillarRefusal, pruned, refused, runHigh, setRetcode, startRun } from './open-run.ts';
import { inTurn } from './queue.ts';
import { splitNames } from './show.ts';

/** `state.sls`. @param kwargs all that was given by name but `mods` */
export function runSls(ctx: ModuleContext, given: Value, kwargs: Dict): Promise<Value> {
  return inTurn(ctx, kwargs, () => applySls(ctx, given, kwargs));
}

/** The run of SLS that are named: those of the environment base, unless another one is given. */
function openSlsRun(ctx: ModuleContext, kwargs: Dict): ReturnType<typeof openRun> {
  const [test = null, stateEvents = null] = ['test', 'state_events'].map((name) => kwargs.get(name));
  return openRun(ctx, kwargs, { test, stateEvents, saltenv: 'base' });
}

async function applySls(ctx: ModuleContext, given: Value, kwargs: Dict): Promise<Value> {
  const disabled = await disabledAmong(ctx, Array.isArray(given) ? given : [given]);
  if (disabled.length > 0) return refused(ctx, disabled);
  await syncModules(ctx, kwargs);
  const open = await openSlsRun(ctx, kwargs);
  const refusal = pillarRefusal(open);
  if (refusal !== undefined) return refusal;
  const cacheName = `${pyStr(kwargs.get('cache_name') ?? 'highstate')}${HIGH_DATA}`;
  const cached = truthy(kwargs.get('cache')) ? kept(ctx, cacheName) : undefined;
  if (cached !== undefined) return runHigh(open, cached);
  const exclude = kwargs.get('exclude') ?? null;
  const { data: high, errors } = await open.compiler.slsHigh(
    splitNames(given),
    pyStr(open.opts.get('saltenv') ?? 'base'),
    truthy(exclude) ? splitNames(exclude) : [],
  );
  if (errors.length > 0) return refused(ctx, errors);
  const ret = await pruned(ctx, await runHigh(open, high), kwargs);
  keep(ctx, 'sls.p', ret);
  setRetcode(ctx, ret, high);
  keep(ctx, cacheName, high);
  return ret;
}

/** The keyword `sync_mods`: kinds of modules to bring over first. */
async function syncModules(ctx: ModuleContext, kwargs: Dict): Promise<void> {
  const given = kwargs.get('sync_mods') ?? null;
  if (given === null) return;
  const kinds = given === true ? ['all'] : splitNames(given).map(pyStr);
  for (const kind of kinds.includes('all') ? ['all'] : kinds) {
    const fun = `saltutil.sync_${kind}`;
    const saltenv = kwargs.get('saltenv') ?? 'base';
    if (await ctx.functions.has(fun)) await ctx.functions.call(fun, [], { saltenv });
    else ctx.log.warning(`Invalid custom module type '${kind}', ignoring`);
  }
}

/** `state.apply`. @param given names of SLS; none: the highstate */
export function runApply(ctx: ModuleContext, given: Value, kwargs: Dict): Promise<Value> {
  return truthy(given) ? runSls(ctx, given, kwargs) : runHighstate(ctx, kwargs);
}

/** `state.sls_id`. @throws SaltInvocationError when the SLS have no such id */
export async function runSlsId(ctx: ModuleContext, id: string, given: Value, kwargs: Dict): Promise<Value> {
  const open = await openSlsRun(ctx, kwargs);
  const refusal = pillarRefusal(open);
  if (refusal !== undefined) return refusal;
  const saltenv = pyStr(open.opts.get('saltenv') ?? 'base');
  const high = await open.compiler.slsHigh(splitNames(given), saltenv);
  const low = await open.compiler.low(high.data);
  const errors = [...high.errors, ...low.errors];
  if (errors.length > 0) return refused(ctx, errors);
  const chunks = [...low.data];
  const run = await startRun(open);
  const ret: Dict = new Map();
  for (const chunk of chunks)
    if ((chunk.get('__id__') ?? '') === id)
      for (const [tag, result] of await run.callChunkAlone(chunk, chunks)) ret.set(tag, result);
  setRetcode(ctx, ret);
  if (ret.size === 0)
    throw new SaltInvocationError(
      `No matches for ID '${id}' found in SLS '${pyStr(given)}' within saltenv '${saltenv}'`,
    );
  return ret;
}
