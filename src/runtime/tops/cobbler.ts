/**
 * Top data of Cobbler: the management classes of a system, in the environment that its status names (3006.16
 * salt/tops/cobbler.py).
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Value } from '../../python/values/value.ts';
import { cobblerSystem } from '../classes/cobbler.ts';
import type { TopSource } from './top-source.ts';

/** Makes the source. */
export function cobblerTop(clock: Clock): TopSource {
  return async (_, { minionId, masterOpts }) => {
    const data = await cobblerSystem(minionId, masterOpts, clock);
    const [status, classes] = [data.get('status'), data.get('mgmt_classes')];
    if (status === undefined || classes === undefined)
      throw new CommandExecutionError(`Cobbler says neither status nor mgmt_classes of ${minionId}`);
    return new Map<Value, Value>([[status, classes]]);
  };
}
