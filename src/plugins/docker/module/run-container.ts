/** `docker.run_container`: a container that is made, started and waited for (3006.16 salt/modules/dockermod.py). */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { containerState, innerDict, inspectContainer } from './container-facts.ts';
import {
  changeState,
  makeContainer,
  nameOf,
  removeContainer,
  requireImage,
  type CreateOrder,
} from './containers.ts';
import { containerLogs } from './logs.ts';
import { connectContainer } from './networks.ts';

/** How it is run. */
export interface RunOrder extends CreateOrder {
  /** Do not wait for its end. */
  readonly bg: boolean;
  readonly replace: boolean;
  readonly force: boolean;
  readonly networks: Value | undefined;
}

const LOG_KEYS = ['stdout', 'stderr', 'stream', 'timestamps', 'tail', 'since', 'follow', 'until'];

/** Takes a container of that name away. @throws CommandExecutionError where that was not asked for */
async function makeRoom(
  ctx: ModuleContext,
  { name, replace, force }: RunOrder,
): Promise<Value[] | undefined> {
  if (name === undefined) return undefined;
  const before = await containerState(ctx, name).catch((error: unknown) => {
    if (error instanceof CommandExecutionError) return undefined;
    throw error;
  });
  if (before === undefined) return undefined;
  if (before === 'running' && !(replace && force))
    throw new CommandExecutionError(
      `Container '${name}' exists and is running. Run with replace=True and force=True to force removal of the existing container.`,
    );
  if (!replace)
    throw new CommandExecutionError(
      `Container '${name}' exists. Run with replace=True to remove the existing container`,
    );
  return removeContainer(ctx, name, { force, volumes: false, stop: false, timeout: null });
}

function networkConfigs(given: Value | undefined): [string, Dict][] {
  if (given === undefined) return [];
  if (typeof given === 'string') return given.split(',').map((name) => [name, dict()]);
  if (!isDict(given) || ![...given.values()].every(isDict))
    throw new SaltInvocationError('Invalid format for networks argument');
  return [...given].map(([name, config]) => [pyStr(name), isDict(config) ? config : dict()]);
}

/** Runs a container. @returns Id, Name, Logs and ExitCode, and what it replaces */
export async function runContainer(ctx: ModuleContext, order: RunOrder): Promise<Dict> {
  await requireImage(ctx, order);
  const replaced = await makeRoom(ctx, order);
  const keywords = new Map([...order.keywords].filter(([key]) => !LOG_KEYS.includes(pyStr(key))));
  const networks = networkConfigs(order.networks);
  const started = ctx.clock.nowMs();
  const out = await makeContainer(ctx, { ...order, keywords });
  if (replaced !== undefined && replaced.length > 0) out.set('Replaces', replaced);
  const id = pyStr(out.get('Id') ?? null);
  out.set('Name', order.name ?? (await nameOf(ctx, out)));
  const facts = await inspectContainer(ctx, id);
  const isRemoved = truthy(innerDict(facts, 'HostConfig').get('AutoRemove') ?? null);
  for (const [network, config] of networks) await connectContainer(ctx, { container: id, network, config });
  await changeState(ctx, id, { verb: 'start', expected: 'running' });
  const logs = order.bg ? undefined : await logsOf(ctx, id, out);
  out.set('Time_Elapsed', (ctx.clock.nowMs() - started) / 1000);
  if (logs === undefined) return out;
  out.set('Logs', logs);
  if (!isRemoved) await addExit(ctx, id, out);
  return out;
}

function warn(out: Dict, text: string): void {
  const found = out.get('Warnings');
  out.set('Warnings', [...(Array.isArray(found) ? found : []), text]);
}

async function logsOf(ctx: ModuleContext, id: string, out: Dict): Promise<string> {
  try {
    return await containerLogs(ctx, id, dict({ follow: true }));
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    warn(
      out,
      'Failed to get logs from container. This may be because the container exited before Salt was able to attach to it to retrieve the logs. Consider setting auto_remove to False.',
    );
    return '';
  }
}

async function addExit(ctx: ModuleContext, id: string, out: Dict): Promise<void> {
  const state = innerDict(await inspectContainer(ctx, id), 'State');
  if (state.get('Status') !== 'exited') warn(out, "Container state is not 'exited'");
  out.set('ExitCode', state.get('ExitCode') ?? null);
}
