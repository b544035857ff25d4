/** Taking networks away, and connecting containers (3006.16 salt/states/docker_network.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** What is found out and done bit by bit. */
export interface NetworkProgress {
  readonly name: string;
  readonly changes: Dict;
  result: boolean | null;
  comment: string;
  readonly warnings: string[];
}

function append(changes: Dict, key: string, item: Value): void {
  const list = changes.get(key);
  changes.set(key, [...(Array.isArray(list) ? list : []), item]);
}

async function containerName(ctx: StateContext, id: Value): Promise<string> {
  try {
    const facts = await ctx.functions.call('docker.inspect_container', [id]);
    return pyStr((isDict(facts) ? facts.get('Name') : undefined) ?? '').replace(/^\/+/, '');
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return pyStr(id);
  }
}

/** Takes a network away, and its containers before. */
export async function removeNetwork(ctx: StateContext, network: Dict): Promise<StateResult> {
  const name = network.get('Name') ?? null;
  const changes = dict();
  const errors: string[] = [];
  const containers = network.get('Containers');
  for (const id of isDict(containers) ? containers.keys() : []) {
    const container = await containerName(ctx, id);
    try {
      await ctx.functions.call('docker.disconnect_container_from_network', [id, name]);
      append(changes, 'disconnected', container);
    } catch (error) {
      errors.push(`Failed to disconnect container '${container}' : ${messageOf(error)}`);
    }
  }
  if (errors.length > 0) return { name, changes, result: false, comment: errors.join('\n') };
  try {
    await ctx.functions.call('docker.remove_network', [name]);
  } catch (error) {
    return { name, changes, result: false, comment: `Failed to remove network: ${messageOf(error)}` };
  }
  return {
    name,
    changes: changes.set('removed', true),
    result: true,
    comment: `Removed network '${pyStr(name)}'`,
  };
}

/** How a container was connected before. */
function formerConfig(facts: Dict): Dict {
  const out = dict();
  const names = [
    ['IPv4Address', 'ipv4_address'],
    ['IPv6Address', 'ipv6_address'],
    ['Links', 'links'],
    ['Aliases', 'aliases'],
  ] as const;
  for (const [field, name] of names) {
    const value = facts.get(field);
    if (value !== undefined) out.set(name, typeof value === 'string' ? value.replace(/\/[^/]*$/, '') : value);
  }
  return out;
}

/** Connects the containers that are left. */
export async function reconnect(
  ctx: StateContext,
  {
    name,
    left,
    disconnected,
    progress,
  }: { name: string; left: Dict; disconnected: Dict; progress: NetworkProgress },
): Promise<void> {
  const errors: string[] = [];
  for (const [id, facts] of left) {
    const known = isDict(facts) ? facts : dict();
    const config = disconnected.has(id) ? formerConfig(known) : dict();
    const connect = (words: Dict): Promise<Value> =>
      ctx.functions.call('docker.connect_container_to_network', [id, name], words);
    try {
      // with the addresses that the daemon chooses, where it can no more have those of before
      await connect(config).catch((error: unknown) => {
        if (config.size === 0) throw error;
        return connect(dict());
      });
      append(progress.changes, disconnected.has(id) ? 'reconnected' : 'connected', known.get('Name') ?? null);
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      errors.push(error.message);
    }
  }
  if (errors.length > 0)
    progress.comment = `${progress.comment === '' ? '' : `${progress.comment}. `}${errors.join('. ')}.`;
  else progress.result = true;
  for (const [id, facts] of disconnected)
    if (!left.has(id))
      append(progress.changes, 'disconnected', isDict(facts) ? (facts.get('Name') ?? null) : null);
}
