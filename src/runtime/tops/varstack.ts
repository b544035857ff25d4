/** Top data of varstack: the list `states` of a node (3006.16 salt/tops/varstack_top.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Value } from '../../python/values/value.ts';
import { askVarstack } from '../classes/varstack.ts';
import type { TopSource } from './top-source.ts';

/** The source. */
export const varstackTop: TopSource = async (settings, { minionId, grains, masterOpts }) => {
  const data = await askVarstack(settings, grains, masterOpts);
  const states = data.get('states');
  if (states === undefined) throw new CommandExecutionError(`varstack gives no states for ${minionId}`);
  return new Map<Value, Value>([['base', states]]);
};
