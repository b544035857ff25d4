/** The containers that a network is to connect (3006.16 salt/states/docker_network.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { innerDict } from '../module/container-facts.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** The containers of the SLS. */
export interface WantedContainers {
  readonly isGiven: boolean;
  /** Those that run, by id, each with its name. */
  readonly running: Dict;
  readonly warnings: readonly string[];
  /** Notes the links and aliases that containers have in a network. */
  remember(containers: Dict, network: string): Promise<void>;
}

function names(given: Value): string[] {
  if (!truthy(given)) return [];
  return Array.isArray(given)
    ? given.map(pyStr)
    : pyStr(given)
        .split(',')
        .map((name) => name.trim());
}

async function inspected(ctx: StateContext, name: string): Promise<Dict> {
  try {
    const found = await ctx.functions.call('docker.inspect_container', [name]);
    return isDict(found) ? found : dict();
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return dict();
  }
}

/** Looks the containers up. */
export async function wantedContainers(ctx: StateContext, given: Value): Promise<WantedContainers> {
  const running = dict();
  const [missing, stopped]: [string[], string[]] = [[], []];
  for (const name of names(given)) {
    const facts = await inspected(ctx, name);
    const id = facts.get('Id');
    if (id === undefined) missing.push(name);
    else if (truthy(innerDict(facts, 'State').get('Running') ?? null)) running.set(id, dict({ Name: name }));
    else stopped.push(name);
  }
  return {
    isGiven: truthy(given),
    running,
    warnings: [
      ...(missing.length > 0 ? [`The following containers do not exist: ${missing.join(', ')}.`] : []),
      ...(stopped.length > 0 ? [`The following containers are not running: ${stopped.join(', ')}.`] : []),
    ],
    remember: async (containers, network) => {
      for (const [id, known] of containers) {
        if (!isDict(known)) continue;
        const facts = innerDict(await inspected(ctx, pyStr(id)), 'NetworkSettings', 'Networks', network);
        for (const key of ['Links', 'Aliases']) {
          const value = facts.get(key) ?? null;
          if (truthy(value)) known.set(key, value);
        }
      }
    },
  };
}
