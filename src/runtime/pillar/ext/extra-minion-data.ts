/**
 * The external pillar extra_minion_data_in_pillar: options of the minion as pillar (3006.16
 * salt/pillar/extra_minion_data_in_pillar.py).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { parts } from '../extra-minion-data.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';

/**
 * The external pillar: all that the minion passes with `include: '*'`, else what `include` names. Salt compat: there a
 * name replaces what one before it has given of the same mapping, and a single text is taken letter by letter.
 */
export const extraMinionDataPillar: ExtPillar = (settings, { extraMinionData = new Map() }) => {
  const include = namedSettings(settings, ['include']).get('include') ?? null;
  if (extraMinionData.size === 0) return new Map();
  if (include === '*' || include === '<all>') return extraMinionData;
  const names = typeof include === 'string' ? [include] : include;
  if (Array.isArray(names)) return parts(extraMinionData, names);
  throw new SaltInvocationError(
    `include is a list of names, such as ['site:role'], or '*' for all that pass_to_ext_pillars names; it is not ${pyStr(include)}`,
  );
};
