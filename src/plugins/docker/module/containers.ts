/** Making, starting, stopping and removing containers (3006.16 salt/modules/dockermod.py). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, isInt, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { containerConfig } from './container-config.ts';
import { containerState, innerDict, inspectContainer, listed } from './container-facts.ts';
import { containerInput } from './container-input.ts';
import { askDaemon, askForDict } from './daemon.ts';
import { pull, resolveImageId } from './images.ts';
import { endpointConfig } from './networks.ts';
import type { TranslateChoice } from './translate.ts';
import { optionFlag } from '../../shared/settings.ts';

const STOP_SECONDS = 10;

/** Tells the mine which containers there are, unless `docker.update_mine` is off. */
export async function refreshMine(ctx: ModuleContext): Promise<void> {
  if (!(await optionFlag(ctx, ['docker.update_mine', true]))) return;
  const words = dict({ verbose: true, all: true, host: true });
  try {
    await ctx.functions.call('mine.send', ['docker.ps'], words);
  } catch (error) {
    ctx.log.warning(`The mine cannot be told of the containers: ${messageOf(error)}`);
  }
}

/** Has the daemon do something with a container. */
export async function actOn(
  ctx: ModuleContext,
  name: string,
  {
    verb,
    query = {},
    waitSeconds = 0,
  }: { verb: string; query?: Record<string, Value>; waitSeconds?: number },
): Promise<void> {
  await askDaemon(ctx, {
    method: 'POST',
    path: ['containers', name, verb],
    query,
    ...(waitSeconds > 0 ? { timeoutSeconds: 60 + waitSeconds } : {}),
  });
}

/** What comes of a change of the state: `{result, state: {old, new}}`. */
export function stateChange(result: boolean, before: string, after: string | null, comment?: string): Dict {
  const facts = dict({ result, state: dict({ old: before, new: after }) });
  return comment === undefined ? facts : facts.set('comment', comment);
}

/** Brings a container into another state. */
export async function changeState(
  ctx: ModuleContext,
  name: string,
  to: { verb: string; expected: string; query?: Record<string, Value>; waitSeconds?: number },
): Promise<Dict> {
  const before = await containerState(ctx, name);
  if (to.verb !== 'restart' && before === to.expected)
    return stateChange(false, before, before, `Container '${name}' already ${to.expected}`);
  await actOn(ctx, name, to);
  const after = await containerState(ctx, name).catch((error: unknown) => {
    if (error instanceof CommandExecutionError) return null;
    throw error;
  });
  return stateChange(after === to.expected, before, after);
}

/** `docker.stop` */
export async function stopContainer(
  ctx: ModuleContext,
  name: string,
  { timeout, isUnpausing }: { timeout: Value; isUnpausing: boolean },
): Promise<Dict> {
  const own = innerDict(await inspectContainer(ctx, name), 'Config').get('StopTimeout') ?? STOP_SECONDS;
  const wanted = timeout ?? own;
  const seconds = isInt(wanted) ? Number(wanted) : STOP_SECONDS;
  const before = await containerState(ctx, name);
  if (before === 'paused') {
    if (!isUnpausing)
      return stateChange(
        false,
        before,
        before,
        `Container '${name}' is paused, run with unpause=True to unpause before stopping`,
      );
    const freed = await changeState(ctx, name, { verb: 'unpause', expected: 'running' });
    if (freed.get('result') === false) return freed.set('comment', `Failed to unpause container '${name}'`);
  }
  const done = await changeState(ctx, name, {
    ...{ verb: 'stop', expected: 'stopped', query: { t: seconds }, waitSeconds: seconds },
  });
  innerDict(done, 'state').set('old', before);
  return done;
}

/** `docker.rm`. @returns the ids that are gone */
export async function removeContainer(
  ctx: ModuleContext,
  name: string,
  how: { force: boolean; volumes: boolean; stop: boolean; timeout: Value },
): Promise<Value[]> {
  const isRunning = (await containerState(ctx, name)) === 'running';
  if (isRunning && !how.force && !how.stop)
    throw new CommandExecutionError(
      `Container '${name}' is running, use force=True to forcibly remove this container`,
    );
  let isGone = false;
  if (how.stop && !how.force) {
    const host = innerDict(await inspectContainer(ctx, name), 'HostConfig');
    isGone = isRunning && truthy(host.get('AutoRemove') ?? null);
    await stopContainer(ctx, name, { timeout: how.timeout, isUnpausing: false });
  }
  const before = await listed(ctx, { isAll: true });
  if (!isGone)
    await askDaemon(ctx, {
      ...{ method: 'DELETE', path: ['containers', name] },
      query: { v: how.volumes, link: false, force: how.force },
    });
  const after = await listed(ctx, { isAll: true });
  return [...before.keys()].filter((id) => !after.has(id));
}

/** A container that is to be made. */
export interface CreateOrder {
  readonly image: string;
  readonly name: string | undefined;
  readonly keywords: Dict;
  readonly choice: TranslateChoice;
}

/** The keyword `networks` counts where the container's own network is among them. */
function ownNetworks(keywords: Dict): Dict | undefined {
  const [networks, mode] = [keywords.get('networks'), keywords.get('network_mode')];
  if (!isDict(networks) || mode === undefined || !networks.has(mode)) return undefined;
  const config = networks.get(mode);
  return dict({ EndpointsConfig: new Map([[mode, endpointConfig(isDict(config) ? config : dict())]]) });
}

/** Fetches the image where it is not there, unless `inspect` says not to look. */
export async function requireImage(ctx: ModuleContext, { image, keywords }: CreateOrder): Promise<void> {
  const isLooking = truthy(keywords.get('inspect') ?? true);
  if (isLooking && (await resolveImageId(ctx, image)) === false) await pull(ctx, image);
}

/** Has the daemon make a container. @returns Id and Warnings @throws CommandExecutionError */
export async function makeContainer(ctx: ModuleContext, order: CreateOrder): Promise<Dict> {
  const left = ['networks', 'inspect', 'client_timeout', 'name', 'image', 'start'];
  const given = new Map([...order.keywords].filter(([key]) => !left.includes(pyStr(key))));
  const keywords = containerInput(given, order.choice);
  const networks = ownNetworks(order.keywords);
  if (networks !== undefined) keywords.set('networking_config', networks);
  const { body, unknown } = containerConfig(order.image, keywords);
  if (unknown.length > 0)
    ctx.log.warning(
      `The following arguments were ignored because containers have none of that name: ${unknown.join(', ')}`,
    );
  return askForDict(ctx, {
    method: 'POST',
    path: ['containers', 'create'],
    query: { name: order.name ?? null },
    body,
  });
}

/** `docker.create` */
export async function createContainer(ctx: ModuleContext, order: CreateOrder): Promise<Dict> {
  await requireImage(ctx, order);
  const started = ctx.clock.nowMs();
  const made = await makeContainer(ctx, order);
  made.set('Time_Elapsed', (ctx.clock.nowMs() - started) / 1000);
  return made.set('Name', order.name ?? (await nameOf(ctx, made)));
}

/** The name that the daemon has given a container. */
export async function nameOf(ctx: ModuleContext, made: Dict): Promise<string> {
  const facts = await inspectContainer(ctx, pyStr(made.get('Id') ?? null));
  return pyStr(facts.get('Name') ?? '').replace(/^\/+/, '');
}
