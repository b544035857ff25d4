/** Values in grains that are lists (3006.16 salt/states/grains.py `list_present`, `list_absent`, `append`). */
import { slsText } from '../../shared/sls-text.ts';
import { dict, isDict, truthy, valuesEqual, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { grainValue } from './names.ts';

const includes = (list: readonly Value[], value: Value): boolean =>
  list.some((item) => valuesEqual(item, value));

/** Values that states of this run have added already, by grain. */
const PENDING = 'pending_grains';

/** The values of a list that no earlier state of the run has added; they are noted. */
function withoutPending({ state }: StateContext, name: string, values: Value[]): Value[] {
  const noted = state.memory.get(PENDING);
  const pending = isDict(noted) ? noted : new Map<Value, Value>();
  state.memory.set(PENDING, pending);
  const added = pending.get(name);
  const before = Array.isArray(added) ? added : [];
  const left = values.filter((value) => !includes(before, value));
  pending.set(name, [...before, ...left]);
  return left;
}

/**
 * Whether a grain that is a list has all that is wanted. Salt compat: Salt compares the sets of letters of its items,
 * so that `ab` is there where `ba` is, and fails at numbers.
 */
function holds(grain: readonly Value[], value: Value): boolean {
  return (Array.isArray(value) ? value : [value]).every((item) => includes(grain, item));
}

/** Makes sure that a grain holds values. */
export async function listPresent(ctx: StateContext, name: string, wanted: Value): Promise<StateResult> {
  const grain = (await grainValue(ctx, name)) ?? '';
  let value = wanted;
  if (truthy(grain)) {
    if (!Array.isArray(grain)) return failure(name, `Grain ${name} is not a valid list`);
    if (holds(grain, value))
      return outcome(name, true, `Value ${slsText(value)} is already in grain ${name}`);
    if (Array.isArray(value)) value = withoutPending(ctx, name, value);
  }
  if (ctx.state.test) {
    const comment = truthy(grain)
      ? `Value ${slsText(value)} is set to be appended to grain ${name}`
      : `Grain ${name} is set to be added`;
    return outcome(name, null, comment, dict({ new: grain }));
  }
  // Salt compat: a grain without a value is no list to which Salt can append
  const isEmpty = !truthy(grain) && !Array.isArray(grain) && (await grainValue(ctx, name)) !== undefined;
  const added = isEmpty
    ? await ctx.functions.call('grains.set', [name, Array.isArray(value) ? value : [value]], { force: true })
    : await ctx.functions.call('grains.append', [name, value]);
  const now = await ctx.functions.call('grains.get', [name]);
  const list = Array.isArray(now) ? now : [];
  const isThere = Array.isArray(value) ? value.every((item) => includes(list, item)) : includes(list, value);
  if (!isThere) return failure(name, `Failed append value ${slsText(value)} to grain ${name}`);
  return outcome(name, true, `Append value ${slsText(value)} to grain ${name}`, dict({ new: added }));
}

/** Makes sure that a grain does not hold values. */
export async function listAbsent(ctx: StateContext, name: string, value: Value): Promise<StateResult> {
  const grain = await grainValue(ctx, name);
  if (!truthy(grain)) return outcome(name, true, `Grain ${name} does not exist`);
  if (!Array.isArray(grain)) return failure(name, `Grain ${name} is not a valid list`);
  const [comments, deleted]: [string[], Value[]] = [[], []];
  for (const item of Array.isArray(value) ? value : [value]) {
    const text = slsText(item);
    if (!includes(grain, item)) {
      comments.push(`Value ${text} is absent from grain ${name}`);
      continue;
    }
    deleted.push(item);
    if (ctx.state.test) comments.push(`Value ${text} in grain ${name} is set to be deleted`);
    else {
      await ctx.functions.call('grains.remove', [name, item]);
      comments.push(`Value ${text} was deleted from grain ${name}`);
    }
  }
  const changes = deleted.length > 0 ? dict({ deleted }) : dict();
  const result = ctx.state.test && deleted.length > 0 ? null : true;
  return outcome(name, result, comments.join('\n'), changes);
}

/** Adds one value to a grain that is there. */
export async function appendToGrain(
  ctx: StateContext,
  name: string,
  { value, convert }: { value: Value; convert: boolean },
): Promise<StateResult> {
  const grain = (await grainValue(ctx, name)) ?? null;
  const text = slsText(value);
  const changes = dict({ added: value });
  if (!truthy(grain) && !ctx.grains.has(name)) return failure(name, `Grain ${name} does not exist`);
  if (!Array.isArray(grain)) {
    if (!convert) return failure(name, `Grain ${name} is not a valid list`);
    const planned = `Grain ${name} is set to be converted to list and value ${text} will be added`;
    if (ctx.state.test) return outcome(name, null, planned, changes);
    await ctx.functions.call('grains.setval', [name, grain === null ? [value] : [grain, value]]);
    return outcome(name, true, `Value ${text} was added to grain ${name}`, changes);
  }
  if (includes(grain, value))
    return outcome(name, true, `Value ${text} is already in the list for grain ${name}`);
  if (ctx.state.test)
    return outcome(name, null, `Value ${text} in grain ${name} is set to be added`, changes);
  await ctx.functions.call('grains.append', [name, value]);
  return outcome(name, true, `Value ${text} was added to grain ${name}`, changes);
}
