/** Top data of an inventory of reclass (3006.16 salt/tops/reclass_adapter.py). */
import { askReclass } from '../classes/reclass.ts';
import { dict, isDict } from '../../python/values/value.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import type { TopSource } from './top-source.ts';

/** The source. */
export const reclassTop: TopSource = async (settings, { minionId, masterOpts }) => {
  const data = await askReclass({
    fun: 'top',
    minionId,
    pillar: dict(),
    settings: isDict(settings) ? settings : new Map(),
    opts: masterOpts,
  });
  if (!isDict(data)) throw new CommandExecutionError('reclass gave no mapping');
  return data;
};
