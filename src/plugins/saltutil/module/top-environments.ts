/**
 * The environments in which the top file of the states has something for this minion: where `saltutil.sync_*` looks.
 */
import { messageOf } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { StateCompiler } from '../../../runtime/state/compile.ts';
import { pyStr } from '../../../python/values/repr.ts';

/** @returns the environments in the order of the top file, those of `master_tops` last; `base` when there are none */
export async function topEnvironments(ctx: ModuleContext): Promise<string[]> {
  try {
    const matches = await new StateCompiler(ctx, ctx.opts, ctx.pillar).topMatches();
    return matches.size > 0 ? [...matches.keys()].map(pyStr) : ['base'];
  } catch (error) {
    ctx.log.error(`Unable to render top file: ${messageOf(error)}`);
    return ['base'];
  }
}
