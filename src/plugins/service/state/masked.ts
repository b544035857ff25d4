/** Masking of services. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { dict, truthy } from '../../../python/values/value.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import { unavailability } from './enabled.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** Masks a service, so that it cannot be started, or takes the mask off. */
export async function changeMask(
  ctx: StateContext,
  name: string,
  runtime: boolean,
  verb: 'mask' | 'unmask',
): Promise<StateResult> {
  const { functions } = ctx;
  if (!(await functions.has('service.masked')))
    return failure(name, 'Service masking not available on this minion');
  const kind = runtime ? 'runtime ' : '';
  const masks = verb === 'mask';
  const changes = dict({ [`${kind}masked`]: { old: !masks, new: masks } });
  const isMasked = async (): Promise<boolean> =>
    truthy(await functions.call('service.masked', [name, runtime]));
  try {
    if ((await isMasked()) === masks)
      return outcome(name, true, `Service ${name} ${masks ? 'is' : 'was'} already ${kind}${verb}ed`);
    const missing = ctx.state.test && !mayBeMade(ctx) ? await unavailability(ctx, name) : undefined;
    if (missing !== undefined) return failure(name, missing);
    if (ctx.state.test) return outcome(name, null, `Service ${name} would be ${kind}${verb}ed`, changes);
    await functions.call(`service.${verb}`, [name, runtime]);
    return (await isMasked()) === masks
      ? outcome(name, true, `Service ${name} was ${kind}${verb}ed`, changes)
      : outcome(name, true, `Failed to ${verb} service ${name}`);
  } catch (error) {
    if (error instanceof CommandExecutionError) return failure(name, error.message);
    throw error;
  }
}
