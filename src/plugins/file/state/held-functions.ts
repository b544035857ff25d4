/** The execution functions through which the source of `file.managed` passes. */
import { HeldFiles } from '../../../host/held-files.ts';
import type { FunctionCaller } from '../../../runtime/loader/module.ts';
import type { StateContext } from '../../shared/state-function.ts';

/**
 * The functions through which a source passes. What a template gives needs no file of its own on the way from one to
 * the other, unless one of them is the site's, which would find nothing at the path.
 */
export async function fileFunctions(ctx: StateContext): Promise<FunctionCaller> {
  for (const fun of ['file.get_managed', 'file.manage_file'])
    if ((await ctx.functions.find(fun)).spec?.knowsHeld !== true) return ctx.functions;
  // inherits: a context gets some of its parts when they are asked for
  const holding = Object.create(ctx, { held: { value: new HeldFiles() } }) as StateContext;
  return ctx.functions.within(() => holding);
}
