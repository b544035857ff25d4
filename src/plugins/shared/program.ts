/** Running programs on behalf of functions: through `cmd`, without a shell, with the outcome in plain fields. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, toNumber, type DictInit, type Value } from '../../python/values/value.ts';

/** How a program ended. */
export interface Ended {
  readonly retcode: number;
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The path of a program. @throws CommandExecutionError `Command 'X' cannot be found` */
export function programPath(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new CommandExecutionError(`Command '${name}' cannot be found`);
  return path;
}

/** A path that no program takes for an option: a relative one that begins with a dash is told to be a path. */
export function pathOperand(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

/** `cmd.run_all`: sets the job's return code as every command does. */
export async function runAll(
  ctx: ModuleContext,
  argv: readonly Value[],
  keywords: DictInit = {},
): Promise<Ended> {
  const result = await ctx.functions.call('cmd.run_all', [[...argv]], { python_shell: false, ...keywords });
  const field = (name: string): Value => (isDict(result) ? (result.get(name) ?? null) : null);
  return {
    retcode: toNumber(field('retcode')) ?? 1,
    pid: toNumber(field('pid')) ?? 0,
    stdout: pyStr(field('stdout') ?? ''),
    stderr: pyStr(field('stderr') ?? ''),
  };
}

/** `cmd.run`: the output, error output included. */
export async function runText(
  ctx: ModuleContext,
  argv: readonly Value[],
  keywords: DictInit = {},
): Promise<string> {
  return pyStr(await ctx.functions.call('cmd.run', [[...argv]], { python_shell: false, ...keywords }));
}

/** `cmd.run_stdout`: the standard output only. */
export async function runStdout(
  ctx: ModuleContext,
  argv: readonly Value[],
  keywords: DictInit = {},
): Promise<string> {
  const words = dict({ python_shell: false, ...keywords });
  return pyStr(await ctx.functions.call('cmd.run_stdout', [[...argv]], words));
}

/** `cmd.retcode` */
export async function runCode(
  ctx: ModuleContext,
  argv: readonly Value[],
  keywords: DictInit = {},
): Promise<number> {
  const words = dict({ python_shell: false, ...keywords });
  return toNumber(await ctx.functions.call('cmd.retcode', [[...argv]], words)) ?? 1;
}
