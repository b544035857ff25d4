/** `docker_container.stopped`, `absent` and `run` (3006.16 salt/states/docker_container.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { requiredImage } from './container-image.ts';
import { containerNetworks } from './container-networks.ts';

/** What `stopped` is given. */
export interface StopOrder {
  readonly name: Value;
  readonly containers: Value;
  readonly shutdown_timeout: Value;
  readonly unpause: boolean;
  readonly error_on_absent: boolean;
}

async function byState(ctx: StateContext, targets: readonly string[]): Promise<Map<string, string[]>> {
  const out = new Map<string, string[]>();
  for (const target of targets) {
    const state = await ctx.functions.call('docker.state', [target]).then(pyStr, (error: unknown) => {
      if (error instanceof CommandExecutionError) return 'absent';
      throw error;
    });
    out.set(state, [...(out.get(state) ?? []), target]);
  }
  return out;
}

/** Makes sure that containers do not run. */
export async function stopped(ctx: StateContext, order: StopOrder): Promise<StateResult> {
  const { name, containers, unpause } = order;
  if (!truthy(name) && !truthy(containers))
    return failure(name, "One of 'name' and 'containers' must be provided");
  if (containers !== null && !Array.isArray(containers)) return failure(name, 'containers must be a list');
  const targets = (containers ?? [name]).map(pyStr);
  const found = await byState(ctx, targets);
  const [gone = [], paused = []] = [found.get('absent'), found.get('paused')];
  const errors = [
    ...(order.error_on_absent && gone.length > 0
      ? [`The following container(s) are absent: ${gone.join(', ')}`]
      : []),
    ...(!unpause && paused.length > 0 ? [`The following container(s) are paused: ${paused.join(', ')}`] : []),
  ];
  if (errors.length > 0) return failure(name, errors.join('. '));
  const wanted = [...(found.get('running') ?? []), ...paused];
  if (wanted.length === 0) {
    const who = targets.length === 1 ? `Container '${targets[0] ?? ''}' is` : 'All specified containers are';
    return outcome(name, true, `${who} ${gone.length > 0 ? 'absent or ' : ''}not running`);
  }
  const all = wanted.join(', ');
  if (ctx.state.test) return outcome(name, null, `The following container(s) will be stopped: ${all}`);
  return stopAll(ctx, order, wanted);
}

async function stopAll(
  ctx: StateContext,
  { name, shutdown_timeout, unpause }: StopOrder,
  wanted: readonly string[],
): Promise<StateResult> {
  const words = dict({ unpause, ...(truthy(shutdown_timeout) ? { timeout: shutdown_timeout } : {}) });
  const changes = dict();
  const failed: string[] = [];
  for (const target of wanted) {
    const done = await ctx.functions.call('docker.stop', [target], new Map(words));
    const facts = isDict(done) ? done : dict();
    if (facts.get('result') === true) changes.set(target, facts);
    else failed.push(pyStr(facts.get('comment') ?? `Failed to stop container '${target}'`));
  }
  return failed.length > 0
    ? outcome(name, false, failed.join('; '), changes)
    : outcome(name, true, `The following container(s) were stopped: ${wanted.join(', ')}`, changes);
}

/** Makes sure that there is no such container. */
export async function absent(ctx: StateContext, name: Value, force: boolean): Promise<StateResult> {
  const shown = pyStr(name);
  const isThere = async (): Promise<boolean> => {
    const names = await ctx.functions.call('docker.list_containers', [], { all: true });
    return Array.isArray(names) && names.includes(name);
  };
  if (!(await isThere())) return outcome(name, true, `Container '${shown}' does not exist`);
  const state = await ctx.functions.call('docker.state', [name]);
  if (state !== 'stopped' && !force)
    return failure(name, 'Container is running, set force to True to forcibly remove it');
  if (ctx.state.test) return outcome(name, null, `Container '${shown}' will be removed`);
  let removed: Value;
  try {
    removed = await ctx.functions.call('docker.rm', [name], { force });
  } catch (error) {
    return failure(name, `Failed to remove container '${shown}': ${messageOf(error)}`);
  }
  const changes = dict({ removed });
  if (await isThere()) return outcome(name, false, `Failed to remove container '${shown}'`, changes);
  const how = force && state !== 'stopped' ? 'Forcibly' : 'Successfully';
  return outcome(name, true, `${how} removed container '${shown}'`, changes);
}

/** What `run` is given. */
export interface RunOrder {
  readonly name: Value;
  readonly image: string | undefined;
  readonly bg: boolean;
  readonly failhard: boolean;
  readonly words: Dict;
}

const NOT_OF_RUN = ['watch_action', 'start', 'shutdown_timeout', 'follow'];

/** Whether the container is removed afterwards. @throws CommandExecutionError for two names of one keyword */
function takeRemoval(words: Dict, bg: boolean): boolean {
  if (bg) return false;
  const [first, second] = [words.get('auto_remove'), words.get('rm')];
  if (first !== undefined && second !== undefined && !truthy(words.get('ignore_collisions') ?? null))
    throw new CommandExecutionError("'rm' is an alias for 'auto_remove', they cannot both be used");
  const given = first ?? second;
  words.delete('auto_remove');
  words.delete('rm');
  if (given !== undefined) words.set('auto_remove', false);
  return truthy(given ?? null);
}

/** Runs a container once. */
export async function run(ctx: StateContext, order: RunOrder): Promise<StateResult> {
  const { name, image, bg } = order;
  const words = new Map(order.words);
  const wrong = NOT_OF_RUN.find((key) => words.has(key));
  if (wrong !== undefined) return failure(name, `The '${wrong}' argument is not supported`);
  if (image === undefined) return failure(name, "The 'image' argument is required");
  const fetched = dict();
  let isRemoved: boolean;
  try {
    const networks = words.get('networks') ?? null;
    if (networks !== null) words.set('networks', await containerNetworks(ctx, networks));
    await requiredImage(ctx, image, fetched);
    if (ctx.state.test)
      return outcome(name, null, `Container would be run${bg ? ' in the background' : ''}`, fetched);
    isRemoved = takeRemoval(words, bg);
  } catch (error) {
    return outcome(name, false, messageOf(error), fetched);
  }
  let made: Value;
  try {
    made = await ctx.functions.call(
      'docker.run_container',
      [image],
      new Map([...words, ...dict({ name, bg })]),
    );
  } catch (error) {
    return outcome(name, false, `Encountered error running container: ${messageOf(error)}`, fetched);
  }
  const changes = isDict(made) ? made : dict();
  const done = runResult(order, changes);
  return isRemoved ? { ...done, ...(await removedAfterwards(ctx, changes)) } : done;
}

function runResult({ name, bg, failhard }: RunOrder, changes: Dict): StateResult {
  if (bg) return outcome(name, true, 'Container was run in the background', changes);
  const code = changes.get('ExitCode');
  if (code === undefined) return outcome(name, true, '', changes);
  const text = `Container ran and exited with a return code of ${pyStr(code)}`;
  return outcome(name, !(failhard && code !== 0), text, changes);
}

async function removedAfterwards(ctx: StateContext, changes: Dict): Promise<{ warnings?: string[] }> {
  try {
    await ctx.functions.call('docker.rm', [changes.get('Id') ?? null]);
    return {};
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    return { warnings: [`Failed to auto_remove container: ${error.message}`] };
  }
}
