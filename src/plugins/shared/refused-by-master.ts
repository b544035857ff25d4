/** Requests that a master has refused: whoever called the function gets the reason. */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import type { Dict } from '../../python/values/value.ts';

/**
 * Salt compat: Salt gives an empty mapping and 0. Whoever calls the function gets the reason and a failure; states and
 * templates, which look into what they get, still get the mapping, and the log has the reason.
 * @param module whose function was refused
 * @throws CommandExecutionError
 */
export function refused(ctx: ModuleContext, module: string, reason: string): Dict {
  throwToCaller(ctx, module, reason);
  return new Map();
}

/** The same of functions that give False in Salt. @throws CommandExecutionError */
export function notDone(ctx: ModuleContext, module: string, reason: string): false {
  throwToCaller(ctx, module, reason);
  return false;
}

/** Who called a function of the module gets the reason as the answer; of any other caller the log has it. */
function throwToCaller(ctx: ModuleContext, module: string, reason: string): void {
  if (ctx.job.fun.split(',').some((name) => name.startsWith(`${module}.`)))
    throw new CommandExecutionError(reason);
  ctx.log.error(reason);
}
