/** Joining the rules of several states into one (3006.16 salt/states/iptables.py `mod_aggregate`). */
import type { Dict, Value } from '../../../python/values/value.ts';
import { stateTag } from '../../../runtime/state/state-tag.ts';

const JOINED: readonly Value[] = ['append', 'insert'];

/**
 * The chunk with the rules of all others like it, which are marked, behind its own.
 * Salt compat: Salt forgets the rule of the chunk itself until another run.
 */
export function aggregateRules(low: Dict, chunks: readonly Dict[], running: Dict): Dict {
  const fun = low.get('fun') ?? null;
  if (!JOINED.includes(fun)) return low;
  const others = chunks.filter(
    (chunk) =>
      chunk !== low &&
      !running.has(stateTag(chunk)) &&
      chunk.get('state') === 'iptables' &&
      !chunk.has('__agg__') &&
      chunk.get('fun') === fun,
  );
  if (others.length === 0) return low;
  const given = low.get('rules');
  const own = Array.isArray(given) ? given : [new Map(low)];
  const rules = [...own, ...others.map((chunk) => new Map(chunk))];
  for (const chunk of others) chunk.set('__agg__', true);
  return low.set('rules', rules);
}
