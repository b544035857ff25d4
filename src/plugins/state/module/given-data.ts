/**
 * Running states that come as data or text (3006.16 salt/modules/state.py `single`, `low`, `high`, `template`,
 * `template_str`).
 */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { tagOf } from '../../../runtime/state/result.ts';
import { verifyLow } from '../../../runtime/state/verify.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { type Dict, type Value } from '../../../python/values/value.ts';
import { COMPILER_ERROR, PILLAR_FAILURE } from './codes.ts';
import { openRun, refused, runHigh, setRetcode, startRun } from './open-run.ts';

/** `state.single`. @param kwargs the arguments of the state, and keywords of the run */
export async function runSingle(ctx: ModuleContext, fun: string, name: Value, kwargs: Dict): Promise<Value> {
  const [state, short] = fun.split('.');
  if (state === undefined || short === undefined) {
    ctx.setRetcode(COMPILER_ERROR);
    return 'Invalid function passed';
  }
  const open = await openRun(ctx, kwargs, { test: kwargs.get('test') ?? null });
  const low: Dict = new Map([...kwargs].filter(([key]) => !/^(?:__pub_.*|test|queue)$/.test(pyStr(key))));
  for (const [key, value] of Object.entries({ state, fun: short, __id__: name, name })) low.set(key, value);
  const errors = await verifyLow(low, await ctx.functions.states());
  if (errors.length > 0) return refused(ctx, errors);
  const run = await startRun(open);
  const tag = tagOf(low);
  const ret: Dict = new Map([[tag, await run.callOne(low)]]);
  setRetcode(ctx, ret);
  return ret;
}

/** `state.low`. @throws SaltInvocationError when it is no mapping */
export async function runLow(ctx: ModuleContext, data: Dict | undefined): Promise<Value> {
  if (data === undefined)
    throw new SaltInvocationError('data must be one low chunk, a mapping with state, fun and name');
  const errors = await verifyLow(data, await ctx.functions.states());
  if (errors.length > 0) return refused(ctx, errors);
  if (!data.has('__id__')) data.set('__id__', data.get('name') ?? null);
  const run = await startRun(await openRun(ctx, new Map()));
  return run.callOne(data);
}

/** `state.template`. @throws CommandExecutionError when the pillar has errors */
export async function runTemplate(ctx: ModuleContext, template: string, kwargs: Dict): Promise<Value> {
  const open = await openRun(ctx, kwargs);
  if (open.pillarErrors.length > 0) {
    ctx.setRetcode(PILLAR_FAILURE);
    throw new CommandExecutionError(`Pillar failed to render: ${open.pillarErrors.map(pyStr).join('\n')}`);
  }
  const path = template;
  const { data: high, errors } = await open.compiler.fileHigh(
    path.endsWith('.sls') ? path : `${path}.sls`,
    pyStr(kwargs.get('saltenv') ?? ''),
  );
  if (errors.length > 0) return refused(ctx, errors);
  const ret = await runHigh(open, high);
  setRetcode(ctx, ret, high);
  return ret;
}

/** `state.template_str`. */
export async function runTemplateText(ctx: ModuleContext, template: string, kwargs: Dict): Promise<Value> {
  const open = await openRun(ctx, kwargs);
  const { data: high, errors } = await open.compiler.textHigh(template);
  const ret = errors.length > 0 ? [...errors] : high.size === 0 ? high : await runHigh(open, high);
  setRetcode(ctx, ret);
  return ret;
}

/** `state.high`. @throws SaltInvocationError when it is no mapping */
export async function runHighData(ctx: ModuleContext, data: Dict | undefined, kwargs: Dict): Promise<Value> {
  if (data === undefined)
    throw new SaltInvocationError('data must be high data: a mapping of id to mappings of module to list');
  const open = await openRun(ctx, kwargs, { test: kwargs.get('test') ?? null });
  const ret = await runHigh(open, data);
  setRetcode(ctx, ret, data);
  return ret;
}
