/** Running programs on behalf of functions: through `cmd`, without a shell, with the outcome in plain fields. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { answered, readDict } from '../../runtime/loader/answered.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { toNumber, type DictInit, type Value } from '../../python/values/value.ts';

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

function endedOf(answer: Value): Ended {
  const fields = readDict(answer);
  return {
    retcode: toNumber(fields.get('retcode')) ?? 1,
    pid: toNumber(fields.get('pid')) ?? 0,
    stdout: pyStr(fields.get('stdout') ?? ''),
    stderr: pyStr(fields.get('stderr') ?? ''),
  };
}

/** `cmd.run_all` as it is, with the mapping that it answers: for functions that answer with it in turn. */
export const ranAll = answered('cmd.run_all', readDict);

/** `cmd.run_all` as it is, for command lines that an operator wrote. */
export const lineEnded = answered('cmd.run_all', endedOf);

/** `cmd.run` as it is, for command lines: the output, error output included. */
export const lineOutput = answered('cmd.run', pyStr);

const outputOf = answered('cmd.run_stdout', pyStr);

/** `cmd.retcode` as it is, for command lines that an operator wrote; 1 for what is no number. */
export const lineCode = answered('cmd.retcode', (answer) => toNumber(answer) ?? 1);

/** `cmd.run_all`: sets the job's return code as every command does. */
export function runAll(ctx: ModuleContext, argv: readonly Value[], keywords: DictInit = {}): Promise<Ended> {
  return lineEnded(ctx, [[...argv]], { python_shell: false, ...keywords });
}

/** `cmd.run`: the output, error output included. */
export function runText(
  ctx: ModuleContext,
  argv: readonly Value[],
  keywords: DictInit = {},
): Promise<string> {
  return lineOutput(ctx, [[...argv]], { python_shell: false, ...keywords });
}

/** `cmd.run_stdout`: the standard output only. */
export function runStdout(
  ctx: ModuleContext,
  argv: readonly Value[],
  keywords: DictInit = {},
): Promise<string> {
  return outputOf(ctx, [[...argv]], { python_shell: false, ...keywords });
}

/** `cmd.retcode` */
export function runCode(
  ctx: ModuleContext,
  argv: readonly Value[],
  keywords: DictInit = {},
): Promise<number> {
  return lineCode(ctx, [[...argv]], { python_shell: false, ...keywords });
}
