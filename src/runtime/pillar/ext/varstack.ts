/** The external pillar varstack (3006.16 salt/pillar/varstack_pillar.py). */
import { askVarstack } from '../../classes/varstack.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';

/** The external pillar. */
export const varstackPillar: ExtPillar = (settings, { grains, opts }) =>
  askVarstack(namedSettings(settings, ['conf']).get('conf') ?? null, grains, opts);
