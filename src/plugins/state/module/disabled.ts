/** States that may not run: the grain `state_runs_disabled` (salt/modules/state.py `_disabled`, 3006.16). */
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';

/** The names and globs that are disabled. */
export async function disabledNames(ctx: ModuleContext): Promise<string[]> {
  const names = await ctx.functions.call('grains.get', ['state_runs_disabled']);
  return Array.isArray(names) ? names.map(pyStr) : [];
}

/** Why some of these SLS may not run, in sentences. */
export async function disabledAmong(ctx: ModuleContext, mods: readonly Value[]): Promise<string[]> {
  const disabled = await disabledNames(ctx);
  return mods.map(pyStr).flatMap((name) =>
    disabled.flatMap((entry) => {
      if (!entry.includes('.*'))
        return entry === name
          ? [`The state file "${entry}" is currently disabled, to re-enable, run state.enable ${entry}.`]
          : [];
      return name.startsWith(`${entry.split('.')[0] ?? ''}.`)
        ? [
            `The state file "${name}" is currently disabled by "${entry}", to re-enable, run state.enable ${entry}.`,
          ]
        : [];
    }),
  );
}
