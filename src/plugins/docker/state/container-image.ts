/** The image of a container that is to be there (3006.16 salt/states/docker_container.py `_resolve_image`). */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';

/**
 * The id of an image, which is fetched where it is not there; false in test mode then.
 * @throws CommandExecutionError
 */
export async function requiredImage(ctx: StateContext, image: string, changes: Dict): Promise<Value> {
  const id = await ctx.functions.call('docker.resolve_image_id', [image]);
  if (id !== false || ctx.state.test) return id;
  let fetched: Value;
  try {
    fetched = await ctx.functions.call('docker.pull', [image]);
  } catch (error) {
    throw new CommandExecutionError(`Failed to pull ${image}: ${messageOf(error)}`, { cause: error });
  }
  changes.set('image', fetched);
  const found = await ctx.functions.call('docker.resolve_image_id', [image]);
  if (found === false)
    throw new CommandExecutionError(`Image '${image}' not present despite a docker pull raising no errors`);
  return found;
}
