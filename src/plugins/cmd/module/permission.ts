/** Which commands may be run from outside: `cmd_blacklist_glob` and `cmd_whitelist_glob`. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import { textOf } from './options.ts';
import type { CommandOptions } from './params.ts';

/**
 * Refuses a command that came with a job and that the configuration does not let through. Calls between modules are
 * not checked, as in Salt.
 * @throws CommandExecutionError `The shell command "X" is not permitted`
 */
export async function assertPermitted(
  ctx: ModuleContext,
  options: CommandOptions,
  cmd: Value,
): Promise<void> {
  if (!options.__pub_jid) return;
  const text = Array.isArray(cmd) ? cmd.map(textOf).join(' ') : textOf(cmd);
  const forbidden = await globs(ctx, 'cmd_blacklist_glob');
  const allowed = await globs(ctx, 'cmd_whitelist_glob');
  const isListed = (glob: string): boolean => fnmatch(text, glob);
  if (forbidden.some(isListed) || (allowed.length > 0 && !allowed.some(isListed))) {
    throw new CommandExecutionError(`The shell command "${pyStr(cmd)}" is not permitted`);
  }
}

// The lists may also stand in grains and pillar, which `config.get` knows.
async function globs(ctx: ModuleContext, name: string): Promise<string[]> {
  const value = (await ctx.functions.has('config.get'))
    ? await ctx.functions.call('config.get', [name])
    : (ctx.opts.get(name) ?? null);
  if (Array.isArray(value)) return value.map(textOf);
  return truthy(value) ? [textOf(value)] : [];
}
