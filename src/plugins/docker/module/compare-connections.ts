/** How two containers are connected differently (3006.16 salt/modules/dockermod.py `compare_container_networks`). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { innerDict, stateIn } from './container-facts.ts';
import { inspectNetwork } from './networks.ts';
import { optionDict } from '../../shared/settings.ts';

/** The fields that are compared: those that are set, and those that the daemon chooses. */
interface Keys {
  readonly fixed: readonly string[];
  readonly automatic: readonly string[];
}

async function comparedKeys(ctx: ModuleContext): Promise<Keys> {
  const option = await optionDict(ctx, ['docker.compare_container_networks']);
  const list = (key: string): string[] => {
    const found = option?.get(key);
    return Array.isArray(found) ? found.map(pyStr) : [];
  };
  return { fixed: list('static'), automatic: list('automatic') };
}

/** The networks of a container that it is connected to indeed. */
async function connections(ctx: ModuleContext, container: Dict): Promise<Map<string, Dict>> {
  const found = new Map<string, Dict>();
  const isRunning = stateIn(container) === 'running';
  for (const [name, facts] of innerDict(container, 'NetworkSettings', 'Networks')) {
    if (!isDict(facts)) continue;
    try {
      const connected = innerDict(await inspectNetwork(ctx, pyStr(name)), 'Containers');
      if (isRunning && !connected.has(container.get('Id') ?? null)) continue;
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      ctx.log.warning(`Failed to inspect Docker network ${pyStr(name)}: ${error.message}`);
    }
    found.set(pyStr(name), facts);
  }
  return found;
}

/** Aliases that were given: not the host's name, not the id. Null where there are none. */
function givenAliases(value: Value, container: Dict): Value {
  if (!Array.isArray(value)) return truthy(value) ? value : null;
  const own = [
    innerDict(container, 'Config').get('Hostname') ?? null,
    pyStr(container.get('Id') ?? '').slice(0, 12),
  ];
  const left = value.filter((alias) => !own.includes(alias));
  return left.length === 0 ? null : left;
}

const change = (before: Value, after: Value): Dict => dict({ old: before, new: after });

/** One end of a connection: undefined where there is none. */
type End = Dict | undefined;

/** How the address of a connection changes. */
function addressChanges(before: End, after: End, automatic: readonly string[]): Dict {
  const out = dict();
  const fixed = (end: End): Value => end?.get('IPAMConfig') ?? null;
  const isAuto = (end: End): boolean => end !== undefined && !truthy(fixed(end));
  const chosen = (end: End): [string, Value][] =>
    automatic.flatMap((key): [string, Value][] => {
      const value = end?.get(key) ?? null;
      return truthy(value) ? [[key, value]] : [];
    });
  const kind = (end: End): string => (end === undefined ? 'not connected' : 'static');
  if (isAuto(before) && !isAuto(after)) {
    const lost = chosen(before);
    for (const [key, value] of lost) out.set(key, change(value, null));
    if (after !== undefined) out.set('IPAMConfig', change(null, fixed(after)));
    if (lost.length === 0) out.set('IPConfiguration', change('automatic', kind(after)));
  } else if (isAuto(after) && !isAuto(before)) {
    const won = chosen(after);
    for (const [key, value] of won) out.set(key, change(null, value));
    if (won.length === 0) out.set('IPConfiguration', change(kind(before), 'automatic'));
    if (before !== undefined) out.set('IPAMConfig', change(fixed(before), null));
  } else if (!valuesEqual(fixed(before), fixed(after)))
    out.set('IPAMConfig', change(fixed(before), fixed(after)));
  return out;
}

function connectionChanges(
  { before, after }: { before: End; after: End },
  { first, second, keys }: { first: Dict; second: Dict; keys: Keys },
): Dict {
  const out = dict();
  const isInBoth = before !== undefined && after !== undefined;
  for (const key of keys.fixed) {
    if (key === 'IPAMConfig') {
      for (const [name, made] of addressChanges(before, after, keys.automatic)) out.set(name, made);
      continue;
    }
    const value = (end: End, container: Dict): Value => {
      const given = end?.get(key) ?? null;
      const found = key === 'Aliases' ? givenAliases(given, container) : given;
      // only what is compared is sorted
      return Array.isArray(found) && isInBoth ? [...found].sort() : found;
    };
    const [a, b] = [value(before, first), value(after, second)];
    if ((truthy(a) || truthy(b)) && !valuesEqual(a, b)) out.set(key, change(a, b));
  }
  return out;
}

/** The differences of two containers by network. @param first what `inspect_container` says */
export async function connectionDifferences(ctx: ModuleContext, first: Dict, second: Dict): Promise<Dict> {
  const keys = await comparedKeys(ctx);
  const [one, other] = [await connections(ctx, first), await connections(ctx, second)];
  const out = dict();
  for (const name of [...new Set([...one.keys(), ...other.keys()])].sort()) {
    const ends = { before: one.get(name), after: other.get(name) };
    const made = connectionChanges(ends, { first, second, keys });
    if (made.size > 0) out.set(name, made);
  }
  return out;
}
