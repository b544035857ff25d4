/** Running snapper: its command line, what it answers as JSON, and what its refusals are called in Salt. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { parseJson } from '../../../formats/json/parse.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../../shared/program.ts';

/** What is asked of snapper. */
export interface SnapperCall {
  readonly config?: string;
  /** Options of snapper itself, in front of the command. */
  readonly global?: readonly string[];
  readonly command: readonly string[];
  /** What was being done, for the error: `listing snapshots`; without it the error is the reason alone. */
  readonly doing?: string;
}

/**
 * Why snapper refused, in Salt's words.
 * Salt compat: what Salt has no words for is what snapper says, where Salt has the name of an error of D-Bus.
 */
function reasonOf(said: string, config: string): string {
  if (/^(?:Unknown config\b|Config '.*' not found)/im.test(said)) return `Unknown configuration '${config}'`;
  if (/^(?:Illegal snapshot|Snapshot '.*' not found)/im.test(said)) return 'Invalid snapshot';
  return said.trim() === '' ? 'snapper says nothing' : said.trim();
}

/** @returns what snapper prints @throws CommandExecutionError in Salt's words */
export async function snapper(ctx: ModuleContext, call: SnapperCall): Promise<string> {
  const { config, global = [], command, doing } = call;
  const line = ['snapper', ...(config === undefined ? [] : ['-c', config]), ...global, ...command];
  const { retcode, stdout, stderr } = await runAll(ctx, line, { ignore_retcode: true });
  if (retcode === 0) return stdout;
  const reason = reasonOf(`${stderr}\n${stdout}`, config ?? '');
  throw new CommandExecutionError(
    doing === undefined ? reason : `Error encountered while ${doing}: ${reason}`,
  );
}

/** @returns the mapping that snapper prints @throws CommandExecutionError in Salt's words */
export async function snapperJson(ctx: ModuleContext, call: SnapperCall): Promise<Dict> {
  const global = ['--machine-readable', 'json', ...(call.global ?? [])];
  const text = await snapper(ctx, { ...call, global });
  const answer = jsonIn(text);
  if (isDict(answer)) return answer;
  throw new CommandExecutionError(
    `snapper ${call.command.join(' ')} does not print JSON, as it does from version 0.8.6 on: ${text.slice(0, 200)}`,
  );
}

function jsonIn(text: string): Value {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** The subvolume of a configuration, without a `/` at its end. */
export async function subvolumeOf(ctx: ModuleContext, config: string, doing: string): Promise<string> {
  const values = await configOf(ctx, config, doing);
  return pyStr(values.get('SUBVOLUME') ?? '/').replace(/(?<=.)\/+$/, '');
}

/** What a configuration says. */
export async function configOf(
  ctx: ModuleContext,
  config: string,
  doing = 'retrieving configuration',
): Promise<Dict> {
  return snapperJson(ctx, { config, command: ['get-config'], doing });
}
