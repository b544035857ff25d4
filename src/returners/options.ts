/** The options of one returner (salt/returners/__init__.py `get_returner_options`, 3006.16). */
import type { ModuleContext } from '../loader/module.ts';
import { isDict, truthy, type Dict, type Value } from '../values/value.ts';

/**
 * Reads options from the minion's configuration, grains and pillar: `<returner>.<option>` or `<returner>: {<option>: …}`; with
 * `ret_config: X` in the return first `X.<returner>.<option>`. `ret_kwargs` of the return comes before all of it.
 * @param defaults names of options, and what holds when nothing sets them; undefined leaves the option out
 */
export async function returnerOptions(
  ctx: ModuleContext,
  returner: string,
  ret: Dict,
  defaults: ReadonlyMap<string, Value | undefined>,
): Promise<ReadonlyMap<string, Value>> {
  const config = ret.get('ret_config');
  const prefixes = truthy(config) ? [`${String(config)}.${returner}`, returner] : [returner];
  const out = new Map<string, Value>();
  for (const [name, fallback] of defaults) {
    const value = (await firstSet(ctx, prefixes, name)) ?? fallback;
    if (value !== undefined) out.set(name, value);
  }
  const kwargs = ret.get('ret_kwargs');
  if (kwargs !== undefined && isDict(kwargs))
    for (const [name, value] of kwargs) if (typeof name === 'string') out.set(name, value);
  return out;
}

async function firstSet(
  ctx: ModuleContext,
  prefixes: readonly string[],
  name: string,
): Promise<Value | undefined> {
  for (const prefix of prefixes) {
    const group = await ctx.functions.call('config.option', [prefix]);
    const inGroup = isDict(group) ? group.get(name) : undefined;
    const value = inGroup ?? (await ctx.functions.call('config.option', [`${prefix}.${name}`]));
    if (truthy(value)) return value;
  }
  return undefined;
}
