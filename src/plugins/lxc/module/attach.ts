/** Commands in containers of LXC, by lxc-attach (3006.16 salt/modules/lxc.py `_run`, `info`). */
import { join } from 'node:path';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { isFile } from '../../../python/paths.ts';
import { compareText } from '../../../python/values/order.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { commandWords, keptVariables } from '../../shared/container-command.ts';
import { runAll, runCode } from '../../shared/program.ts';
import { readConfig, settingsOf } from './config.ts';
import {
  freezeContainer,
  needContainer,
  placeWords,
  rootOf,
  startContainer,
  stateOf,
  stopContainer,
  unfreezeContainer,
} from './container.ts';

/** Whether commands can be run in a container. */
export async function isAttachable(
  ctx: ModuleContext,
  name: string,
  path: string | undefined,
): Promise<boolean> {
  await needContainer(ctx, name, path);
  const words = ['lxc-attach', ...placeWords(path), '--clear-env', '-n', name, '--', '/usr/bin/env'];
  return (await runCode(ctx, words, { output_loglevel: 'quiet', ignore_retcode: true })) === 0;
}

/** A command that is run in a container. */
export interface ContainerCommand {
  readonly name: string;
  readonly cmd: string;
  readonly path: string | undefined;
  readonly no_start: boolean;
  readonly preserve_state: boolean;
  readonly stdin: string | undefined;
  readonly python_shell: boolean;
  readonly output_loglevel: Value;
  readonly ignore_retcode: Value;
  readonly chroot_fallback: boolean;
  readonly keep_env: Value;
}

/** The words of lxc-attach. */
function attachWords({ name, cmd, path, python_shell, keep_env }: ContainerCommand): string[] {
  const { path: own, kept } = keptVariables(keep_env);
  const variables = [
    ...(keep_env === true ? [] : own).flatMap((each) => ['--set-var', each]),
    ...kept.flatMap((variable) => ['--keep-var', variable]),
  ];
  const clean = keep_env === true ? [] : ['--clear-env'];
  return [
    'lxc-attach',
    ...placeWords(path),
    ...clean,
    ...variables,
    '-n',
    name,
    '--',
    ...commandWords(cmd, python_shell),
  ];
}

/** Brings a container into the state that it had. */
async function restore(
  ctx: ModuleContext,
  { name, path }: ContainerCommand,
  before: string | undefined,
): Promise<void> {
  const now = await stateOf(ctx, name, path);
  if (before === 'stopped' && now !== 'stopped') await stopContainer(ctx, name, { path, kill: false });
  else if (before === 'frozen' && now !== 'frozen') await freezeContainer(ctx, name, { path, start: true });
}

/** Makes sure that a container runs. @throws CommandExecutionError for one that does not and is not to be started */
async function needRunning(ctx: ModuleContext, { name, path, no_start }: ContainerCommand): Promise<void> {
  const state = await stateOf(ctx, name, path);
  if (state === 'running') return;
  if (no_start) throw new CommandExecutionError(`Container '${name}' is not running`);
  await (state === 'frozen' ? unfreezeContainer(ctx, name, path) : startContainer(ctx, name, { path }));
}

/** Runs a command in a container. @param isText its output alone is wanted, errors included */
export async function runInContainer(
  ctx: ModuleContext,
  command: ContainerCommand,
  isText: boolean,
): Promise<Value> {
  const { name, path, stdin, output_loglevel, ignore_retcode } = command;
  const before = await stateOf(ctx, name, path);
  const keywords = dict({ stdin: stdin ?? null, output_loglevel, ignore_retcode, python_shell: false });
  try {
    if (await isAttachable(ctx, name, path)) {
      await needRunning(ctx, command);
      return await ctx.functions.call(isText ? 'cmd.run' : 'cmd.run_all', [attachWords(command)], keywords);
    }
    if (!command.chroot_fallback) throw new CommandExecutionError(`${name} is not attachable.`);
    const root = (await describeContainer(ctx, name, path)).get('rootfs') ?? null;
    if (typeof root !== 'string')
      throw new SaltInvocationError(`The configuration of ${name} names no root file system.`);
    const said = await ctx.functions.call('cmd.run_chroot', [root, command.cmd], keywords);
    return isText && isDict(said) ? (said.get('stdout') ?? '') : said;
  } finally {
    if (command.preserve_state) await restore(ctx, command, before);
  }
}

const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|127\.)/;

/** The addresses of a container that runs. */
async function addressesOf(ctx: ModuleContext, name: string, path: string | undefined): Promise<string[]> {
  const words = ['lxc-attach', ...placeWords(path), '--clear-env', '-n', name, '--', 'ip', 'addr', 'show'];
  const { retcode, stdout } = await runAll(ctx, words, { ignore_retcode: true });
  if (retcode !== 0) return [];
  return [...stdout.matchAll(/^\s+inet6? ([\da-f.:]+)/gm)].map(([, address = '']) => address);
}

function sortedAddresses(addresses: readonly string[]): string[] {
  const rank = (ip: string): string =>
    `${ip === '127.0.0.1' ? '200' : ip === '::1' ? '201' : ip.includes('::') ? '100' : '001'}___${ip}`;
  return [...addresses].sort((a, b) => compareText(rank(a), rank(b)));
}

function addressFacts(addresses: readonly string[]): Record<string, Value> {
  const isV4 = (ip: string): boolean => ip.includes('.');
  const isPrivate = (ip: string): boolean =>
    isV4(ip) ? PRIVATE.test(ip) : ip === '::1' || ip.startsWith('fe80');
  const of = (is: (ip: string) => boolean): Value => sortedAddresses(addresses.filter(is));
  return {
    ips: of(() => true),
    public_ips: of((ip) => !isPrivate(ip)),
    private_ips: of(isPrivate),
    public_ipv4_ips: of((ip) => isV4(ip) && !isPrivate(ip)),
    public_ipv6_ips: of((ip) => !isV4(ip) && !isPrivate(ip)),
    private_ipv4_ips: of((ip) => isV4(ip) && isPrivate(ip)),
    private_ipv6_ips: of((ip) => !isV4(ip) && isPrivate(ip)),
    ipv4_ips: of(isV4),
    ipv6_ips: of((ip) => !isV4(ip)),
  };
}

async function groupLimit(ctx: ModuleContext, name: string, field: string): Promise<number> {
  const { retcode, stdout } = await runAll(ctx, ['lxc-cgroup', '-n', name, field]);
  const number = Number(stdout.trim());
  return retcode === 0 && Number.isInteger(number) ? number : 0;
}

/** Describes a container. @throws CommandExecutionError */
export async function describeContainer(
  ctx: ModuleContext,
  name: string,
  path: string | undefined,
): Promise<Dict> {
  await needContainer(ctx, name, path);
  const file = join(rootOf(ctx, path), name, 'config');
  if (!isFile(file)) throw new CommandExecutionError(`LXC config file ${file} does not exist`);
  const settings = settingsOf(await readConfig(file)).map(
    ([key, value]) => [key, value.split('#')[0]?.trim() ?? ''] as const,
  );
  const nics: Dict[] = [];
  for (const [key, value] of settings) {
    if (key === 'lxc.network.type') nics.push(dict({ type: value }));
    else if (key.startsWith('lxc.network.')) nics.at(-1)?.set(key.slice('lxc.network.'.length), value);
  }
  const state = await stateOf(ctx, name, path);
  const isRunning = state === 'running';
  const found = dict({
    ...(nics.length > 0 ? { nics } : {}),
    rootfs: settings.find(([key]) => key === 'lxc.rootfs')?.[1] ?? null,
    state: state ?? null,
    ...addressFacts(isRunning ? await addressesOf(ctx, name, path) : []),
    size: null,
    config: file,
  });
  if (!isRunning) return found;
  const limit = await groupLimit(ctx, name, 'memory.limit_in_bytes');
  found.set('memory_limit', limit);
  found.set('memory_free', limit - (await groupLimit(ctx, name, 'memory.usage_in_bytes')));
  const words = ['lxc-attach', ...placeWords(path), '--clear-env', '-n', name, '--', 'df', '/'];
  const size = splitLines((await runAll(ctx, words)).stdout)
    .at(-1)
    ?.trim()
    .split(/\s+/)[1];
  return found.set('size', size ?? null);
}
