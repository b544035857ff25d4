/**
 * Containers of LXC: which there are, how they are, and bringing them into another state (3006.16 salt/modules/lxc.py).
 */
import { join } from 'node:path';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pathExists } from '../../../python/paths.ts';
import { quoteWord } from '../../../python/shell-words.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll, runStdout, runText } from '../../shared/program.ts';

const DEFAULT_PATH = '/var/lib/lxc';
/** How long a container may take to get into a state, in seconds. */
const WAIT_SECONDS = 30;

/** Where containers are. */
export const rootOf = (ctx: ModuleContext, path: string | undefined): string =>
  path ?? pyStr(ctx.opts.get('lxc.root_path') ?? DEFAULT_PATH);

/** The words that say where containers are. */
export const placeWords = (path: string | undefined): string[] => (path === undefined ? [] : ['-P', path]);

/** A command as it is told in an error. */
export const shownCommand = (words: readonly string[]): string =>
  words.map((word, i) => (words[i - 1] === '-P' ? quoteWord(word) : word)).join(' ');

/** The containers. @param active only those that run */
export async function containers(
  ctx: ModuleContext,
  path: string | undefined,
  active = false,
): Promise<string[]> {
  const said = await runStdout(ctx, ['lxc-ls', ...placeWords(path), ...(active ? ['--active'] : [])]);
  return said.split(/\s+/).filter((name) => name !== '');
}

/** Whether a container is there. */
export const containerExists = async (
  ctx: ModuleContext,
  name: string,
  path: string | undefined,
): Promise<boolean> => (await containers(ctx, path)).includes(name);

/** @throws CommandExecutionError for a container that is not there */
export async function needContainer(
  ctx: ModuleContext,
  name: string,
  path: string | undefined,
): Promise<void> {
  if (!(await containerExists(ctx, name, path)))
    throw new CommandExecutionError(`Container '${name}' does not exist`);
}

/** What lxc-info says under a name, in small letters. */
function infoIn(said: string, field: string): string | undefined {
  const line = splitLines(said).find((one) => one.split(':')[0]?.trim().toLowerCase() === field);
  return line?.split(':')[1]?.trim();
}

/** The state in capitals, as lxc-info says it. */
export const shownState = async (
  ctx: ModuleContext,
  name: string,
  path: string | undefined,
): Promise<string | undefined> =>
  infoIn(await runText(ctx, ['lxc-info', ...placeWords(path), '-n', name]), 'state');

/** `running`, `stopped` or `frozen`; undefined for a container that is not there. */
export async function stateOf(
  ctx: ModuleContext,
  name: string,
  path: string | undefined,
): Promise<string | undefined> {
  if (!(await containerExists(ctx, name, path))) return undefined;
  const { retcode, stdout } = await runAll(ctx, ['lxc-info', ...placeWords(path), '-n', name]);
  if (retcode !== 0) throw new CommandExecutionError(`Unable to get state of container '${name}'`);
  return infoIn(stdout, 'state')?.toLowerCase();
}

/** The number of the first process of a container that runs. */
export async function pidOf(ctx: ModuleContext, name: string, path: string | undefined): Promise<string> {
  if ((await stateOf(ctx, name, path)) !== 'running')
    throw new CommandExecutionError(`Container ${name} is not running, can't determine PID`);
  const pid = infoIn(await runText(ctx, ['lxc-info', ...placeWords(path), '-n', name]), 'pid');
  if (pid === undefined) throw new CommandExecutionError(`lxc-info says no PID of ${name}`);
  return pid;
}

/** A change of state. */
export interface Change {
  readonly words: readonly string[];
  readonly name: string;
  readonly path: string | undefined;
  /** The state afterwards; undefined where the container is gone then. */
  readonly expected: string | undefined;
}

/** Whether a change was made, and from which state to which. */
export function changed(result: boolean, old: Value, now: Value): Dict {
  return dict({ result, state: { old, new: now } });
}

/** Brings a container into another state. @throws CommandExecutionError */
export async function changeState(
  ctx: ModuleContext,
  { words, name, path, expected }: Change,
): Promise<Dict> {
  const before = await stateOf(ctx, name, path);
  if (before === expected)
    return changed(true, expected ?? null, expected ?? null).set(
      'comment',
      `Container '${name}' already ${String(expected)}`,
    );
  const all = [...words, ...(words.includes('-P') ? [] : placeWords(path)), '-n', name];
  const { retcode, stdout } = await runAll(ctx, all, { redirect_stderr: true });
  if (retcode !== 0)
    throw new CommandExecutionError(
      `Error changing state for container '${name}' using command '${shownCommand(all)}': ${stdout}`,
    );
  if (expected !== undefined)
    await runText(ctx, ['lxc-wait', ...placeWords(path), '-n', name, '-s', expected.toUpperCase()], {
      timeout: WAIT_SECONDS,
    });
  const after = await stateOf(ctx, name, path);
  return changed(after === expected, before ?? null, after ?? null);
}

/** Starts a container. @param config its configuration file, where it is another than its own */
export async function startContainer(
  ctx: ModuleContext,
  name: string,
  { path, config }: { readonly path: string | undefined; readonly config?: string | undefined },
): Promise<Dict> {
  const file = config ?? join(rootOf(ctx, path), name, 'config');
  const words = ['lxc-start', ...(pathExists(file) ? ['-f', file] : []), '-d'];
  await needContainer(ctx, name, path);
  if ((await stateOf(ctx, name, path)) === 'frozen')
    throw new CommandExecutionError(`Container '${name}' is frozen, use lxc.unfreeze`);
  return changeState(ctx, { words, name, path, expected: 'running' });
}

/** Lets a frozen container go on. */
export async function unfreezeContainer(
  ctx: ModuleContext,
  name: string,
  path: string | undefined,
): Promise<Dict> {
  await needContainer(ctx, name, path);
  if ((await stateOf(ctx, name, path)) === 'stopped')
    throw new CommandExecutionError(`Container '${name}' is stopped`);
  return changeState(ctx, { words: ['lxc-unfreeze', ...placeWords(path)], name, path, expected: 'running' });
}

/** Stops a container. */
export async function stopContainer(
  ctx: ModuleContext,
  name: string,
  { path, kill }: { readonly path: string | undefined; readonly kill: boolean },
): Promise<Dict> {
  await needContainer(ctx, name, path);
  const before = await stateOf(ctx, name, path);
  if (before === 'frozen' && !kill) await unfreezeContainer(ctx, name, path);
  const words = ['lxc-stop', ...(kill ? ['-k'] : [])];
  return withOld(await changeState(ctx, { words, name, path, expected: 'stopped' }), before);
}

/** A change that has begun at another state. */
export function withOld(change: Dict, old: string | undefined): Dict {
  const state = change.get('state');
  if (isDict(state)) state.set('old', old ?? null);
  return change;
}

/** Freezes a container. @param start whether one that is stopped is started before */
export async function freezeContainer(
  ctx: ModuleContext,
  name: string,
  { path, start }: { readonly path: string | undefined; readonly start: boolean },
): Promise<Dict> {
  await needContainer(ctx, name, path);
  const before = await stateOf(ctx, name, path);
  if (before === 'stopped' && !start) throw new CommandExecutionError(`Container '${name}' is stopped`);
  if (before === 'stopped') await startContainer(ctx, name, { path });
  const words = ['lxc-freeze', ...placeWords(path)];
  const change = await changeState(ctx, { words, name, path, expected: 'frozen' });
  if (before === 'stopped') withOld(change, before).set('started', true);
  const state = change.get('state');
  if (isDict(state)) state.set('new', (await stateOf(ctx, name, path)) ?? null);
  return change;
}

/** Removes a container, and whatever runs in it. @param stop whether it may run */
export async function destroyContainer(
  ctx: ModuleContext,
  name: string,
  { path, stop }: { readonly path: string | undefined; readonly stop: boolean },
): Promise<Dict> {
  await needContainer(ctx, name, path);
  if (!stop && (await stateOf(ctx, name, path)) !== 'stopped')
    throw new CommandExecutionError(`Container '${name}' is not stopped`);
  await runText(ctx, ['lxc-stop', ...placeWords(path), '-k', '-n', name]);
  return changeState(ctx, { words: ['lxc-destroy'], name, path, expected: undefined });
}
