/**
 * Running what the top files give this minion: `state.highstate`, `state.top` (salt/modules/state.py, salt/state.py
 * `call_highstate`, 3006.16).
 */
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { EXCLUDE, listAt } from '../../../runtime/state/high-data.ts';
import { StateCompiler } from '../../../runtime/state/compile.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { HIGH_DATA, keep, kept } from './cached.ts';
import { disabledAmong } from './disabled.ts';
import { openRun, pillarRefusal, pruned, runHigh, setRetcode, type OpenRun } from './open-run.ts';
import { inTurn } from './queue.ts';

const NOTHING_TAG = 'no_|-states_|-states_|-None';

/** The result of a run without states. */
function nothing(comment: string): Dict {
  const result = dict({ result: false, comment, name: 'No States', changes: {}, __run_num__: 0 });
  return new Map([[NOTHING_TAG, result]]);
}

/**
 * `state.highstate`.
 * @param kwargs all that was given by name, the parameters `test`, `queue` and `state_events` among them
 */
export async function runHighstate(ctx: ModuleContext, kwargs: Dict): Promise<Value> {
  if ((await disabledAmong(ctx, ['highstate'])).length > 0)
    return dict({
      name: 'Salt highstate run is disabled. To re-enable, run state.enable highstate',
      result: 'False',
      comment: 'Disabled',
    });
  return inTurn(ctx, kwargs, () => applyHighstate(ctx, kwargs));
}

async function applyHighstate(ctx: ModuleContext, kwargs: Dict): Promise<Value> {
  const open = await openRun(ctx, kwargs, {
    test: kwargs.get('test') ?? null,
    stateEvents: kwargs.get('state_events') ?? null,
  });
  const refusal = pillarRefusal(open);
  if (refusal !== undefined) return refusal;
  const { ret, high } = await callHighstate(open);
  const shown = await pruned(ctx, ret, kwargs);
  setRetcode(ctx, shown, high);
  return shown;
}

/** `state.top`. @param topFile path of a top file on the file server */
export function runTop(ctx: ModuleContext, topFile: string, kwargs: Dict): Promise<Value> {
  return inTurn(ctx, kwargs, () => applyTop(ctx, topFile, kwargs));
}

async function applyTop(ctx: ModuleContext, topFile: string, kwargs: Dict): Promise<Value> {
  const open = await openRun(ctx, kwargs, { test: kwargs.get('test') ?? null });
  const refusal = pillarRefusal(open);
  if (refusal !== undefined) return refusal;
  const fixed = dict({ state_top: `salt://${topFile}`, state_top_saltenv: kwargs.get('saltenv') });
  const compiler = new StateCompiler(ctx, open.opts, open.pillar, fixed);
  const { ret, high } = await callHighstate({ ...open, compiler }, fixed);
  setRetcode(ctx, ret, high);
  return ret;
}

/** @param fixed options that hold whatever the master says */
async function callHighstate(given: OpenRun, fixed?: Dict): Promise<{ ret: Value; high?: Dict }> {
  const { kwargs } = given;
  const cacheName = `${pyStr(kwargs.get('cache_name') ?? 'highstate')}${HIGH_DATA}`;
  const cached = truthy(kwargs.get('cache')) ? kept(given.ctx, cacheName) : undefined;
  if (cached !== undefined) return { ret: await runHigh(given, cached) };
  const top = await given.compiler.top();
  if (top.data.size === 0)
    return {
      ret: nothing('No Top file or master_tops data matches found. Please see master log for details.'),
    };
  const open = await synced(given, top.data, fixed);
  const matches = whitelisted(top.data, kwargs.get('whitelist') ?? null);
  const { data: high, errors } = await open.compiler.highstate(matches);
  const exclude = kwargs.get('exclude') ?? null;
  if (truthy(exclude))
    listAt(high, EXCLUDE).push(
      ...(typeof exclude === 'string' ? exclude.split(',') : Array.isArray(exclude) ? exclude : []),
    );
  if (errors.length > 0) return { ret: [...errors] };
  if (high.size === 0) return { ret: nothing('No states found for this minion') };
  keep(open.ctx, cacheName, high);
  return { ret: await runHigh(open, high), high };
}

function whitelisted(matches: Dict, whitelist: Value): Dict {
  if (!truthy(whitelist)) return matches;
  const names: Value[] = Array.isArray(whitelist) ? whitelist : pyStr(whitelist).split(',');
  return new Map(
    [...matches].flatMap(([env, list]): [Value, Value][] => {
      const left = Array.isArray(list) ? list.filter((sls) => names.includes(sls)) : [];
      return left.length === 0 ? [] : [[env, left]];
    }),
  );
}

/** Brings custom modules over first (`autoload_dynamic_modules`); a run with new ones finds them. */
async function synced(open: OpenRun, matches: Dict, fixed: Dict | undefined): Promise<OpenRun> {
  const { ctx, opts, pillar } = open;
  if (opts.get('autoload_dynamic_modules') === false) return open;
  const changed = await ctx.functions.call('saltutil.sync_all', [[...matches.keys()]], { refresh: false });
  const kinds = isDict(changed)
    ? [...changed].filter(([, names]) => truthy(names)).map(([kind]) => kind)
    : [];
  if (kinds.length === 0) return open;
  const grains = kinds.includes('grains') ? ((await ctx.services.grains?.()) ?? ctx.grains) : ctx.grains;
  const anew: ModuleContext = {
    ...ctx,
    grains,
    functions: ctx.functions.within(() => anew, { opts: ctx.opts, grains }),
    get retcode() {
      return ctx.retcode;
    },
  };
  if (!truthy(opts.get('local')) && opts.get('multiprocessing') !== false)
    await anew.functions.call('saltutil.refresh_modules');
  return { ...open, ctx: anew, compiler: new StateCompiler(anew, opts, pillar, fixed) };
}
