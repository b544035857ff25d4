/** What two containers differ in (3006.16 salt/modules/dockermod.py `compare_containers`). */
import { compareText } from '../../../python/values/order.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { innerDict, inspectContainer } from './container-facts.ts';
import { inspectImage } from './images.ts';

const change = (before: Value, after: Value): Dict => dict({ old: before, new: after });
const sorted = (list: Value): Value =>
  Array.isArray(list) ? [...list].sort((a, b) => compareText(pyRepr(a), pyRepr(b))) : list;

/** Links without the container's own name, by which two would never be equal. */
function plainLinks(list: Value, name: string): Value {
  return sorted(Array.isArray(list) ? list.map((link) => pyStr(link).replace(`/${name}/`, '/')) : list);
}

interface Pair {
  readonly first: string;
  readonly second: string;
}

/** The change of one field; undefined where there is none. */
async function fieldChange(
  ctx: ModuleContext,
  { first, second }: Pair,
  field: { key: Value; before: Value; after: Value },
): Promise<Dict | undefined> {
  const { key, before, after } = field;
  if (key === 'OomKillDisable' || before === null || after === null)
    return truthy(before) === truthy(after) ? undefined : change(before, after);
  let [a, b]: [Value, Value] = [before, after];
  if (key === 'Image')
    [a, b] = [
      (await inspectImage(ctx, pyStr(before))).get('Id') ?? null,
      (await inspectImage(ctx, pyStr(after))).get('Id') ?? null,
    ];
  else if (key === 'Links') [a, b] = [plainLinks(before, first), plainLinks(after, second)];
  else if (key === 'Ulimits' || key === 'Env') [a, b] = [sorted(before), sorted(after)];
  return valuesEqual(a, b) ? undefined : change(a, b);
}

/** The differences of two containers, of Config and of HostConfig. @param ignored fields that do not count */
export async function containerDifferences(
  ctx: ModuleContext,
  pair: Pair,
  ignored: readonly string[],
): Promise<Dict> {
  const [one, other] = [await inspectContainer(ctx, pair.first), await inspectContainer(ctx, pair.second)];
  const out = dict();
  for (const part of ['Config', 'HostConfig']) {
    const [a, b] = [innerDict(one, part), innerDict(other, part)];
    const found = dict();
    for (const key of new Set([...a.keys(), ...b.keys()])) {
      if (ignored.includes(pyStr(key))) continue;
      const field = { key, before: a.get(key) ?? null, after: b.get(key) ?? null };
      const made = await fieldChange(ctx, pair, field);
      if (isDict(made)) found.set(key, made);
    }
    if (found.size > 0) out.set(part, found);
  }
  return out;
}
