/** `minion`: keys of a master on this machine, and restarting the minion. Follows 3006.16 salt/modules/minion.py. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { BrineError, CommandExecutionError } from '../../errors/errors.ts';
import { listFolder } from '../../host/file-operations.ts';
import { findProgram } from '../../host/which.ts';
import { toPyInt } from '../../python/conversions.ts';
import { isOsError } from '../../python/os-errors.ts';
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { ranAll, runAll } from '../shared/program.ts';
import { isSystemdBooted } from '../shared/systemd-host.ts';
import { settingText } from '../shared/settings.ts';

const EX_SOFTWARE = 70;
const EX_TEMPFAIL = 75;
const SECOND_MS = 1000;

/** The names of the keys in a folder; none where it cannot be read. */
function keysIn(folder: string): string[] {
  try {
    const files = listFolder(folder).filter(
      (name) => !name.startsWith('.') && statSync(join(folder, name)).isFile(),
    );
    return files.sort((a, b) => compareText(a.toLowerCase(), b.toLowerCase()));
  } catch (error) {
    if (!isOsError(error)) throw error;
    return [];
  }
}

async function listed(ctx: ModuleContext): Promise<Value> {
  const pki = ((await settingText(ctx, ['pki_dir', ''])) ?? '').replaceAll('minion', 'master');
  const folders = ['minions', 'minions_pre', 'minions_rejected', 'minions_denied'];
  return new Map<Value, Value>(folders.map((name) => [name, keysIn(join(pki, name))]));
}

const signalled = async (ctx: ModuleContext, pid: Value): Promise<boolean> =>
  truthy(await ctx.functions.call('ps.kill_pid', [pid]));

/** Ends the minion's process. @param seconds how long to wait for its end */
async function kill(ctx: ModuleContext, seconds: number): Promise<Dict> {
  const ret = dict({ killed: null, retcode: 1 });
  const pid = ctx.grains.get('pid');
  if (!truthy(pid)) return ret.set('retcode', EX_SOFTWARE).set('comment', ['Unable to find "pid" in grains']);
  if (!(await signalled(ctx, pid ?? null))) return ret.set('comment', ['ps.kill_pid failed']);
  ret.set('retcode', 0);
  for (let i = 0; i < seconds; i++) {
    await ctx.clock.sleep(SECOND_MS, ctx.signal);
    if (!(await signalled(ctx, pid ?? null))) return ret.set('killed', pid ?? null);
  }
  return ret.set('retcode', EX_TEMPFAIL).set('comment', ['Timed out waiting for minion to exit']);
}

/** Has systemd start the minion after a while where it does not run then. @returns what systemd-run says */
async function scheduleRetry(ctx: ModuleContext, delay: Value): Promise<string> {
  if (toPyInt(delay) === undefined)
    throw new CommandExecutionError(
      `Invalid retry_delay value: ${pyStr(delay)}. Must be a number of seconds.`,
    );
  const ended = await runAll(ctx, [
    findProgram('systemd-run') ?? 'systemd-run',
    `--on-active=${pyStr(delay)}`,
    // what runs already stays as it is, so that nobody has to look first
    ...['systemctl', 'start', 'salt-minion'],
  ]);
  if (ended.retcode !== 0) throw new CommandExecutionError(ended.stderr);
  return ended.stderr;
}

interface RetryWish {
  readonly schedule_retry: boolean;
  readonly retry_delay: Value;
}

/** Restarts the service. @param comment what has been said so far, which grows */
async function restartService(ctx: ModuleContext, wish: RetryWish, comment: Value[]): Promise<Dict> {
  const about = dict();
  let failed = 'Adding scheduled retry failed';
  try {
    if (wish.schedule_retry) {
      const retry = dict();
      about.set('schedule_retry', retry);
      retry.set('detail', await scheduleRetry(ctx, wish.retry_delay)).set('delay', wish.retry_delay);
      comment.push(`Scheduled retry for minion restart in ${pyStr(wish.retry_delay)} seconds`);
    }
    failed = 'Service restart failed';
    about.set('result', await ctx.functions.call('service.restart', ['salt-minion'], { no_block: true }));
    comment.push('Service restart successful');
    return dict({ service_restart: about, retcode: 0 });
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    comment.push(failed);
    about.set('result', false).set('stderr', error.message);
    return dict({ service_restart: about, retcode: EX_SOFTWARE });
  }
}

/** Ends the minion, and starts it by a command where there is one. */
async function restartByCommand(
  ctx: ModuleContext,
  command: Value,
  ret: Dict,
  comment: Value[],
): Promise<void> {
  for (const [key, value] of await kill(ctx, 15)) ret.set(key, value);
  const said = ret.get('comment');
  if (Array.isArray(said)) comment.push(...said);
  if (truthy(ret.get('retcode'))) {
    comment.push('Kill failed - not restarting');
    return;
  }
  if (!truthy(command)) return;
  const about = new Map(await ranAll(ctx, [command]));
  const code = about.get('retcode') ?? 0;
  about.delete('pid');
  about.delete('retcode');
  ret.set('restart', about);
  if (!truthy(code)) return;
  comment.push('Restart failed');
  ret.set('retcode', code);
}

async function restart(ctx: ModuleContext, systemd: boolean, wish: RetryWish): Promise<Value> {
  const ret = dict({ killed: null, restart: {}, service_restart: {}, retcode: 0 });
  const comment: Value[] = [];
  const command = await ctx.functions.call('config.get', ['minion_restart_command']);
  const bySystemd = systemd && isSystemdBooted();
  if (truthy(command)) {
    comment.push('Using configuration minion_restart_command:');
    comment.push(
      ...(Array.isArray(command) ? command : [...pyStr(command)]).map((arg) => `    ${pyStr(arg)}`),
    );
  } else if (bySystemd) comment.push('Using systemctl to restart salt-minion');
  else comment.push('Not running in daemon mode - will not restart process after killing');
  if (truthy(command) || !bySystemd) await restartByCommand(ctx, command, ret, comment);
  if (!truthy(command) && bySystemd)
    for (const [key, value] of await restartService(ctx, wish, comment)) ret.set(key, value);
  return ret.set('comment', comment);
}

/** The module. */
export const minionModule = defineModule({
  name: 'minion',
  file: 'minion',
  doc: 'The keys that a master on this machine holds, and restarting the minion.',
  words: {},
  functions: {
    list: defineFunction({
      doc: 'Lists the keys of minions that a master on this machine holds.',
      returns: 'mapping of minions, minions_pre, minions_rejected and minions_denied to lists of names',
      examples: ["salt 'master' minion.list"],
      pythonName: 'list_',
      run: (ctx) => listed(ctx),
    }),
    kill: defineFunction({
      doc: 'Ends the minion, so that what watches it starts it again.',
      params: { timeout: param.count({ default: 15, doc: 'How many seconds to wait for its end.' }) },
      returns: 'mapping with killed, the number of the process, and retcode',
      examples: ["salt '*' minion.kill"],
      run: (ctx, { timeout }) => kill(ctx, timeout),
    }),
    restart: defineFunction({
      doc: 'Restarts the minion: by the option minion_restart_command, else by systemd; else it is ended.',
      params: {
        systemd: param.flag({ default: true, doc: 'Use systemd where it has started the machine.' }),
        win_service: param.value({ default: true, type: 'bool', doc: 'For Windows.' }),
        schedule_retry: param.flag({ default: false, doc: 'Look later whether it runs, and start it else.' }),
        retry_delay: param.value({ default: 180, type: 'int', doc: 'After how many seconds.' }),
      },
      returns: 'mapping with killed, restart, service_restart, retcode and comment',
      examples: ["salt '*' minion.restart"],
      run: (ctx, { systemd, schedule_retry, retry_delay }) =>
        restart(ctx, systemd, { schedule_retry, retry_delay }),
    }),
  },
});
