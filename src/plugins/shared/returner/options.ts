/** The options of one returner (salt/returners/__init__.py `get_returner_options`, 3006.16). */
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** Looks an option up by its whole name. */
export type OptionLookup = (name: string) => Value | undefined | Promise<Value | undefined>;

/** Options of the minion: its configuration, grains and pillar. */
function contextLookup(ctx: ModuleContext): OptionLookup {
  return (name) => ctx.functions.call('config.option', [name]);
}

/**
 * Reads options from the minion's configuration, grains and pillar: `<returner>.<option>` or `<returner>: {<option>:
 * …}`; with `ret_config: X` in the return first `X.<returner>.<option>`. `ret_kwargs` of the return comes before all of
 * it.
 * @param defaults names of options, and what holds when nothing sets them; undefined leaves the option out
 */
export function returnerOptions(
  ctx: ModuleContext,
  returner: string,
  ret: Dict,
  defaults: ReadonlyMap<string, Value | undefined>,
): Promise<ReadonlyMap<string, Value>> {
  return optionsFrom(contextLookup(ctx), returner, ret, defaults);
}

/** The same from anywhere. @param ret a return, or an empty mapping where there is none */
export async function optionsFrom(
  lookup: OptionLookup,
  returner: string,
  ret: Dict,
  defaults: ReadonlyMap<string, Value | undefined>,
): Promise<ReadonlyMap<string, Value>> {
  const config = ret.get('ret_config');
  const prefixes = truthy(config) ? [`${String(config)}.${returner}`, returner] : [returner];
  const out = new Map<string, Value>();
  for (const [name, fallback] of defaults) {
    const value = (await firstSet(lookup, prefixes, name, typeof fallback === 'boolean')) ?? fallback;
    if (value !== undefined) out.set(name, value);
  }
  const kwargs = ret.get('ret_kwargs');
  if (kwargs !== undefined && isDict(kwargs))
    for (const [name, value] of kwargs) if (typeof name === 'string') out.set(name, value);
  return out;
}

async function firstSet(
  lookup: OptionLookup,
  prefixes: readonly string[],
  name: string,
  isFlag: boolean,
): Promise<Value | undefined> {
  for (const prefix of prefixes) {
    const group = await lookup(prefix);
    const inGroup = isDict(group) ? group.get(name) : undefined;
    const value = inGroup ?? (await lookup(`${prefix}.${name}`));
    // Salt compat: there, what is false counts as not set, also where the default is True
    if (truthy(value) || (isFlag && value === false)) return value;
  }
  return undefined;
}
