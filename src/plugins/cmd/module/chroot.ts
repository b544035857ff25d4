/** Running a command in another root folder, with the system's own file systems mounted there meanwhile. */
import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { runProcess } from '../../../host/process.ts';
import { isExecutable } from '../../../host/which.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { type Dict, type Value } from '../../../python/values/value.ts';
import { outcomeDict, runCommand } from './execute.ts';
import { DEFAULT_SHELL, textOf } from './options.ts';
import type { CommandOptions } from './params.ts';
import { assertPermitted } from './permission.ts';
import { isDir } from '../../../python/paths.ts';

/** How often left-over processes are asked to end, then killed, and the pause between. */
const ENDING_ROUNDS = [15, 15, 15, 9, 9, 9];
const ROUND_PAUSE_MS = 100;
const MOUNT_TIMEOUT_MS = 60_000;

/**
 * Mounts, runs, ends what is left, unmounts (3006.16 salt/modules/cmdmod.py `run_chroot`).
 * @throws CommandExecutionError when the root is `/`: there, "everything below the root" is the whole system
 */
export async function runChroot(ctx: ModuleContext, options: CommandOptions): Promise<Dict> {
  const { root, cmd, binds } = options;
  if (realPath(root) === '/')
    throw new CommandExecutionError('The root folder of cmd.run_chroot cannot be / itself.');
  await assertPermitted(ctx, options, cmd);
  const mounted = await mountAll(ctx, root, binds);
  try {
    const merged = options.redirect_stderr === true;
    const outcome = await runCommand(ctx, innerOptions(options, chrootCommand(options)), {
      merged,
    });
    const result = outcomeDict(outcome);
    if (options.hide_output) result.set('stdout', '').set('stderr', '');
    return result;
  } finally {
    if (!(await endProcesses(ctx, root))) {
      ctx.log.error('Processes running in chroot could not be killed, filesystem will remain mounted');
    }
    for (const target of mounted.reverse()) await mountProgram(ctx, ['umount', '--', target]);
  }
}

/** The user and group are changed inside, by `chroot` itself, where their names mean something. */
function innerOptions(options: CommandOptions, cmd: Value[]): CommandOptions {
  const inside = { runas: undefined, group: undefined, python_shell: undefined, shell: DEFAULT_SHELL };
  return { ...options, ...inside, __pub_jid: false, cmd };
}

function chrootCommand({ root, cmd, runas, group }: CommandOptions): string[] {
  const shell = isExecutable(join(root, 'bin/bash')) ? '/bin/bash' : '/bin/sh';
  const text = Array.isArray(cmd) ? cmd.map(textOf).join(' ') : textOf(cmd);
  const userspec = runas === undefined ? [] : ['--userspec', `${runas}:${group ?? ''}`];
  return ['chroot', ...userspec, '--', root, shell, '-c', text];
}

// Only what we have mounted ourselves is unmounted again.
async function mountAll(ctx: ModuleContext, root: string, binds: readonly string[]): Promise<string[]> {
  const wanted = [
    { target: join(root, 'dev'), mount: ['-t', 'devtmpfs', '--', 'devtmpfs'] },
    { target: join(root, 'proc'), mount: ['-t', 'proc', '--', 'proc'] },
    { target: join(root, 'sys'), mount: ['-t', 'sysfs', '--', 'sysfs'] },
    ...binds.map((from) => ({
      target: join(root, relative('/', from)),
      mount: ['--bind', '--', from],
    })),
  ];
  const mounted: string[] = [];
  for (const { target, mount } of wanted) {
    if (!isDir(target) || isMountPoint(target)) continue;
    if (await mountProgram(ctx, ['mount', ...mount, target])) mounted.push(target);
  }
  return mounted;
}

async function mountProgram(ctx: ModuleContext, argv: readonly string[]): Promise<boolean> {
  try {
    const { retcode, stdout } = await runProcess(argv, { mergeStderr: true, timeoutMs: MOUNT_TIMEOUT_MS });
    if (retcode !== 0) ctx.log.error(`${argv.join(' ')}: ${stdout.toString('utf8').trimEnd()}`);
    return retcode === 0;
  } catch (error) {
    ctx.log.error(messageOf(error));
    return false;
  }
}

function isMountPoint(path: string): boolean {
  const [here, above] = [statSync(path), statSync(join(path, '..'))];
  return here.dev !== above.dev || here.ino === above.ino;
}

async function endProcesses(ctx: ModuleContext, root: string): Promise<boolean> {
  for (const signal of ENDING_ROUNDS) {
    const pids = processesIn(root);
    if (pids.length === 0) return true;
    for (const pid of pids) sendSignal(pid, signal);
    await ctx.clock.sleep(ROUND_PAUSE_MS);
  }
  return processesIn(root).length === 0;
}

/** The processes whose root folder is this one or below it. */
function processesIn(root: string): number[] {
  const real = realPath(root);
  if (real === undefined || real === '/') return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const own = processRoot(name);
    return own === real || own?.startsWith(`${real}/`) ? [Number(name)] : [];
  });
}

function processRoot(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/root`);
  } catch {
    return undefined; // gone, or not ours to see
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function sendSignal(pid: number, signal: number): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended by itself
  }
}
