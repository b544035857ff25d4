/** "Did you mean" for functions: which of those that are there a name that nobody has comes close to. */
import { closestNames, didYouMean } from '../../errors/did-you-mean.ts';
import type { ModuleRegistry } from './registry.ts';

/**
 * The second half of a message about a function that is not there: ` Did you mean 'test.ping'?`, or '' when nothing is
 * close. Loads the module that is meant, or those whose name is close, and no others.
 */
export async function nearFunctions(
  registry: Pick<ModuleRegistry, 'module' | 'names'>,
  fun: string,
): Promise<string> {
  const dot = fun.indexOf('.');
  const name = dot < 0 ? fun : fun.slice(0, dot);
  const names = (await registry.module(name)) === undefined ? closestNames(name, registry.names()) : [name];
  const modules = await Promise.all(names.map(async (near) => [near, await registry.module(near)] as const));
  const functions = modules.flatMap(([near, module]) =>
    Object.keys(module?.functions ?? {}).map((own) => `${near}.${own}`),
  );
  return didYouMean(fun, functions);
}
