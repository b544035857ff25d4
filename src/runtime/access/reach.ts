/** The minions that the target of a rule reaches. */
import { forecast } from '../targeting/forecast.ts';
import { parseTarget } from '../targeting/parse-target.ts';
import { TargetError, type Fleet } from '../targeting/target.ts';
import type { Dict } from '../../python/values/value.ts';

/**
 * A rule's target is a compound expression, in which `N@` names a node group of the master (salt/utils/minions.py
 * `validate_tgt`, 3006.16). It reaches only minions of which it is known that it fits. One that cannot be read reaches
 * nobody.
 */
export function reachOfRule(expression: string, fleet: Fleet, nodegroups: Dict): ReadonlySet<string> {
  try {
    const target = parseTarget(expression, 'compound', undefined, nodegroups);
    return new Set(forecast(target, fleet, { greedy: false, forRights: true }).minions);
  } catch (error) {
    if (error instanceof TargetError) return new Set();
    throw error;
  }
}
