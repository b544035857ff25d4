/** Parts of `docker_container.running`: what its comparison says, and containers that are connected anew. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/** Whether a field was empty texts before and is nothing now, as older versions of Salt have left it. */
export function isFormerEmpty(changes: Dict): boolean {
  const fields = [...changes].flatMap(([part, found]) =>
    part === 'Networks' || !isDict(found) ? [] : [...found.values()].filter(isDict),
  );
  return fields.some((field) => {
    const before = field.get('old') ?? null;
    if (field.get('new') !== null) return false;
    return before === '' || (Array.isArray(before) && before.every((item) => item === ''));
  });
}

/** How a container is to be connected. */
export interface Connections {
  readonly container: string;
  /** Networks with what is said of each. */
  readonly wanted: Dict;
  /** What is different, by network; what cannot be done is taken out. */
  readonly changes: Dict;
}

/** Takes back what could not be changed. */
function takeBack(changes: Dict, network: string): void {
  const found = changes.get(network);
  for (const [key, field] of isDict(found) ? [...found] : []) {
    if (!isDict(field) || !isDict(found)) continue;
    if (field.get('old') === null) found.delete(key);
    else field.set('new', null);
  }
}

/** Connects a container anew to the networks that are different. */
export async function updateConnections(
  ctx: StateContext,
  { container, wanted, changes }: Connections,
): Promise<{ readonly comments: readonly string[]; readonly isFailed: boolean }> {
  const comments: string[] = [];
  let isFailed = false;
  const attempt = async (fun: string, network: string, words: Dict): Promise<boolean> => {
    try {
      await ctx.functions.call(`docker.${fun}`, [container, network], words);
      return true;
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      comments.push(error.message);
      isFailed = true;
      return false;
    }
  };
  for (const network of [...changes.keys()].map(pyStr).sort()) {
    const names = await ctx.functions.call('docker.connected', [network]);
    const isThere = Array.isArray(names) && names.includes(container);
    const isGone = isThere && (await attempt('disconnect_container_from_network', network, dict()));
    const config = wanted.get(network);
    const isWanted = wanted.has(network);
    const words = isDict(config) ? new Map(config) : dict();
    const isBack = isWanted && (await attempt('connect_container_to_network', network, words));
    if (isWanted && !isBack && isGone) takeBack(changes, network);
    if (isGone && isBack) comments.push(`Reconnected to network '${network}' with updated configuration`);
    else if (isGone) comments.push(`Disconnected from network '${network}'`);
    else if (isBack) comments.push(`Connected to network '${network}'`);
  }
  return { comments, isFailed };
}
