/** What is known of containers (3006.16 salt/modules/dockermod.py). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { askForDict, askForDicts, DaemonRefusal, filterText } from './daemon.ts';
import { renamedFacts } from './figures.ts';
import { withoutId } from './images.ts';

/** A mapping within a mapping; an empty one where there is none. */
export function innerDict(facts: Dict, ...path: readonly string[]): Dict {
  let found: Value = facts;
  for (const key of path) found = isDict(found) ? (found.get(key) ?? null) : null;
  return isDict(found) ? found : new Map();
}

/** `docker.inspect_container` */
export function inspectContainer(ctx: ModuleContext, name: string): Promise<Dict> {
  return askForDict(ctx, { path: ['containers', name, 'json'] });
}

/** running, paused or stopped. */
export function stateIn(facts: Dict): string {
  const state = innerDict(facts, 'State');
  if (truthy(state.get('Paused') ?? null)) return 'paused';
  return truthy(state.get('Running') ?? null) ? 'running' : 'stopped';
}

/** `docker.state` */
export async function containerState(ctx: ModuleContext, name: string): Promise<string> {
  return stateIn(await inspectContainer(ctx, name));
}

/** Whether there is a container. @throws CommandExecutionError where the daemon cannot be asked */
export async function containerExists(ctx: ModuleContext, name: string): Promise<boolean> {
  try {
    await inspectContainer(ctx, name);
    return true;
  } catch (error) {
    if (error instanceof DaemonRefusal) return false;
    throw error;
  }
}

/** Containers by id, those that run first. */
export async function listed(
  ctx: ModuleContext,
  { isAll, isVerbose = false, filters = dict() }: { isAll: boolean; isVerbose?: boolean; filters?: Dict },
): Promise<Dict> {
  const running: Dict = new Map();
  const stopped: Dict = new Map();
  const query = { all: 1, limit: -1, size: 0, trunc_cmd: 0, filters: filterText(filters) };
  for (const container of await askForDicts(ctx, { path: ['containers', 'json'], query })) {
    const { id, rest } = withoutId(container);
    if (id === undefined) continue;
    const isUp = pyStr(rest.get('Status') ?? '')
      .toLowerCase()
      .startsWith('up ');
    (isUp ? running : stopped).set(id, renamedFacts(rest, []));
  }
  const out: Dict = isAll ? new Map([...running, ...stopped]) : running;
  if (isVerbose)
    for (const [id, facts] of out)
      if (isDict(facts)) facts.set('Info', await inspectContainer(ctx, pyStr(id)));
  return out;
}

/** The names of containers. */
export async function containerNames(ctx: ModuleContext, isAll: boolean): Promise<string[]> {
  const names = [...(await listed(ctx, { isAll })).values()].flatMap((facts) => {
    const given = isDict(facts) ? facts.get('Names') : undefined;
    return Array.isArray(given) ? given.map((name) => pyStr(name).replace(/^\/+/, '')) : [];
  });
  return [...new Set(names)].sort();
}
