/** The external pillar nodegroups: the names of the groups that a minion is in (3006.16 salt/pillar/nodegroups.py). */
import { matchMinion } from '../../targeting/match-minion.ts';
import { nodegroupsOf } from '../../targeting/nodegroups.ts';
import { parseTarget } from '../../targeting/parse-target.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import { namedSettings, type ExtPillar } from './ext-pillar.ts';

/** The external pillar. */
export const nodegroupsPillar: ExtPillar = (settings, { minionId, grains, pillar, opts }) => {
  const name = namedSettings(settings, ['pillar_name']).get('pillar_name');
  const groups = nodegroupsOf(opts.get('nodegroups'));
  const subject = { id: minionId, grains, pillar };
  const mine = [...groups.keys()]
    .map(pyStr)
    .filter((group) => matchMinion(parseTarget(group, 'nodegroup', ':', groups), subject));
  return new Map<Value, Value>([[truthy(name) ? (name as Value) : 'nodegroups', mine]]);
};
