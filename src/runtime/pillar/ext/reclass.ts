/**
 * The external pillar reclass: what an inventory of reclass says of a node (3006.16 salt/pillar/reclass_adapter.py).
 */
import { askReclass } from '../../classes/reclass.ts';
import { isDict } from '../../../python/values/value.ts';
import type { ExtPillar } from './ext-pillar.ts';

/** The external pillar. */
export const reclassPillar: ExtPillar = (settings, { minionId, pillar, opts }) =>
  askReclass({
    fun: 'ext_pillar',
    minionId,
    pillar,
    settings: isDict(settings) ? settings : new Map(),
    opts,
  });
