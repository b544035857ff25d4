/** Carrying out commands in files (3006.16 salt/modules/augeas_cfg.py `execute`). */
import type { Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { commandLine, readCommand } from './commands.ts';
import { saveChanges, type SaveOutcome } from './save.ts';
import { lensFolders } from './tool.ts';

/** What is to be carried out. */
export interface Execution {
  /** What stands before each path. */
  readonly context: string | undefined;
  /** The lens for the file of the context. */
  readonly lens: string | undefined;
  readonly commands: readonly string[];
  readonly load_path: Value;
}

/**
 * Carries out commands and saves what they change.
 * @param isTest write nothing, only tell whether something would be
 */
export async function executeCommands(
  ctx: ModuleContext,
  { context, lens, commands, load_path }: Execution,
  isTest: boolean,
): Promise<Pick<SaveOutcome, 'error' | 'isChange'>> {
  const lines: string[] = [];
  for (const text of commands) {
    const command = readCommand(text);
    if ('error' in command) {
      ctx.log.error(`augeas: ${command.error}`);
      return { error: command.error, isChange: false };
    }
    lines.push(commandLine(command, context ?? ''));
  }
  const isOne = lens !== undefined && context !== undefined;
  const only = isOne ? { lens, file: context.replace(/^\/files/, '') } : undefined;
  const scope = { folders: lensFolders(ctx, load_path), only };
  const made = await saveChanges(ctx, scope, lines, isTest);
  if (made.error === undefined || lens === undefined || lens.endsWith('.lns')) return made;
  const hint = `Lenses are normally configured as "name.lns". Did you mean "${lens}.lns"?`;
  return { ...made, error: `${made.error}\n${hint}` };
}
